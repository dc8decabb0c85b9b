import { pushTo } from '../../domain/result.ts'
import type { Step, Trajectory } from '../../domain/trajectory/trajectory.ts'
import { cutName, isAbsent, isRecord, type Json, pointer, type Reading } from '../common/reading.ts'
import { asRecord, asText, Session } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { readStep, type StepContent } from './atif-step.ts'
import { CallAnswers, type SubagentRef } from './observations.ts'
import { numberSteps, StepReplies, warnAboutOrder, warnAboutTimes } from './step-order.ts'

/** Bounds the nesting of subagents inside of subagents; known documents nest one level. */
const MAX_NESTING = 8
const NEWEST_MINOR = 8

export const ATIF: Format = {
  name: 'atif',
  recognizes: ({ schema_version: version, steps }) => {
    if (typeof version === 'string') return version.startsWith('ATIF')
    return Array.isArray(steps) && steps.some((step) => isRecord(step) && 'source' in step && !('actor' in step))
  },
  read: (reading, document) => readAtif(reading, document, ''),
}

/** The files of a run beside its document, by name. `placed`: the names that stand in the run already, so that circles end. */
export interface RunFiles {
  readonly byName: ReadonlyMap<string, Json>
  readonly placed: Set<string>
}

/**
 * Reads an ATIF trajectory of version 1.0 to 1.8, and a later version as far as its members are the same: at a path, with its embedded
 * subagents and the files that its steps refer to, at most `MAX_NESTING` deep. `isContinued`: the document holds the rest of the run.
 */
export function readAtif(
  reading: Reading,
  document: Json,
  path: string,
  files: RunFiles = { byName: new Map(), placed: new Set() },
  { isContinued = false, depth = 0 } = {},
): ReadDocument {
  const format = readVersion(reading, document['schema_version'], `${path}/schema_version`)
  const agent = readAgent(reading, document['agent'], `${path}/agent`)
  if (!isAbsent(document['continued_trajectory_ref']) && !isContinued)
    reading.unread(`${path}/continued_trajectory_ref`, 'the run goes on in another file, which is not read here', true)
  const read = readSteps(reading, document, `${path}/steps`, agent.name ?? '').map(({ step, refs }) => ({
    step,
    refs: refs.map((ref) => (ref.file !== null && files.byName.has(ref.file) ? { ...ref, trajectory: ref.file } : ref)),
  }))
  const embedded = readSubagents(reading, document['subagent_trajectories'], `${path}/subagent_trajectories`, depth)
  const subagents = [...embedded, ...readFiles(reading, read, files, depth)]
  return { format, agent, steps: placeSubagents(reading, read, subagents, files.placed) }
}

/** Reads the files that the steps refer to, each at its first reference. */
function readFiles(reading: Reading, read: readonly ReadStep[], files: RunFiles, depth: number): Subagent[] {
  return read.flatMap(({ refs }) =>
    refs.flatMap(({ file }) => {
      const document = file === null ? undefined : files.byName.get(file)
      if (file === null || document === undefined || files.placed.has(file) || depth >= MAX_NESTING - 1) return []
      files.placed.add(file)
      const path = pointer('/subagents', file)
      const { steps } = readAtif(reading, document, path, files, { depth: depth + 1 })
      return [{ path, trajectoryId: file, name: file, steps }]
    }),
  )
}

function readVersion(reading: Reading, version: unknown, path: string): string {
  if (typeof version !== 'string') {
    reading.warn(path, 'no schema_version; read as ATIF because of its steps')
    return 'atif'
  }
  const number = version.startsWith('ATIF-v') ? version.slice('ATIF-v'.length) : ''
  const [major, minor, ...more] = number.length <= 8 ? number.split('.') : []
  const isKnownVersion =
    major === '1' && more.length === 0 && String(Number(minor)) === minor && Number(minor) <= NEWEST_MINOR
  if (!isKnownVersion) reading.warn(path, `unknown version; read as ATIF-v1.${NEWEST_MINOR}`)
  const isNumber = [major, minor].every((part) => part !== undefined && String(Number.parseInt(part, 10)) === part)
  return isNumber && more.length === 0 ? `atif-${number}` : 'atif'
}

function readAgent(reading: Reading, agent: unknown, path: string): Trajectory['agent'] {
  if (!isRecord(agent)) {
    reading.warn(path, 'no agent is named')
    return { name: null, model: null }
  }
  const [name, model] = [asText(agent['name']), asText(agent['model_name'])]
  if (name === null) reading.warn(`${path}/name`, 'no agent is named')
  return { name, model }
}

type ReadStep = Pick<StepContent, 'refs'> & { readonly step: Step }

function readSteps(reading: Reading, document: Json, path: string, agent: string): ReadStep[] {
  const { steps } = document
  if (!Array.isArray(steps)) {
    reading.odd(path, 'an array', steps)
    return []
  }
  const { total_steps: total } = asRecord(document['final_metrics'])
  if (!isAbsent(total) && total !== steps.length)
    reading.warn(path, `the file holds ${steps.length} steps, and not all`)
  if (!reading.takeSteps(steps.length, path)) return []
  const own = steps.map((step) => (isRecord(step) ? step['step_id'] : null))
  const ids = numberSteps(reading, own, path)
  warnAboutOrder(reading, own, path)
  warnAboutTimes(reading, steps, path)
  const answers = new CallAnswers()
  const session = new Session(reading, null, agent)
  const replies = new StepReplies(steps)
  const read = steps.flatMap((step, index): ReadStep[] => {
    const at = pointer(path, index)
    const id = ids[index]
    if (!isRecord(step) || id === undefined) {
      reading.odd(at, 'an object', step)
      return []
    }
    reading.reply = replies.of(step, at)
    const { refs, ...content } = readStep(session, step, at, answers)
    return [{ step: { ...id, at: content.at, copied: content.copied, parts: content.parts }, refs }]
  })
  return read
}

function readSubagents(reading: Reading, subagents: unknown, path: string, depth: number): Subagent[] {
  if (isAbsent(subagents)) return []
  if (!Array.isArray(subagents)) {
    reading.odd(path, 'an array', subagents)
    return []
  }
  if (depth >= MAX_NESTING && subagents.length > 0) {
    reading.unread(path, `subagents nested deeper than ${MAX_NESTING} levels; not read`, true)
    return []
  }
  return subagents.flatMap((subagent, index): Subagent[] => {
    const at = pointer(path, index)
    if (!isRecord(subagent)) {
      reading.odd(at, 'an object', subagent)
      return []
    }
    const trajectoryId = asText(subagent['trajectory_id'])
    const { steps } = readAtif(reading, subagent, at, undefined, { depth: depth + 1 })
    return [{ path: at, trajectoryId, name: trajectoryId ?? `subagent-${index + 1}`, steps }]
  })
}

/** A trajectory embedded in its parent's document. */
interface Subagent {
  readonly path: string
  readonly trajectoryId: string | null
  readonly name: string
  readonly steps: readonly Step[]
}

/**
 * Places the steps of each embedded subagent behind the step that first refers to it; without a reference, behind the last step that began
 * no later, by time; else at the end. The steps get new ids above the parent's and names `trajectory#step`. Every subagent is shown exactly
 * once, so circular references end.
 */
function placeSubagents(
  reading: Reading,
  parent: readonly ReadStep[],
  subagents: readonly Subagent[],
  files: ReadonlySet<string>,
): Step[] {
  const byId = indexById(reading, subagents)
  const unplaced = new Set(subagents)
  const steps: Step[] = []
  let nextId = parent.reduce((highest, { step }) => Math.max(highest, step.id), 0) + 1
  const referred = new Set(parent.flatMap(({ refs }) => refs.map(({ trajectory }) => trajectory)))
  const unreferred = subagents.filter(({ trajectoryId }) => trajectoryId === null || !referred.has(trajectoryId))
  const timed = placeInTime(parent, unreferred)
  const place = (subagent: Subagent, where: string, of: Pick<Step, 'conversation'> = {}): void => {
    reading.warn(subagent.path, `embedded subagent${where} under new step ids`)
    unplaced.delete(subagent)
    for (const step of subagent.steps)
      steps.push({ ...of, ...step, id: nextId++, name: cutName(`${subagent.name}#${step.name ?? step.id}`) })
  }
  for (const { step, refs } of parent) {
    steps.push(step)
    for (const ref of refs) {
      const subagent = resolve(reading, ref, byId, files)
      if (subagent === undefined || !unplaced.has(subagent)) continue
      place(subagent, `, shown after step ${step.id}`)
    }
    for (const subagent of timed.get(step) ?? [])
      place(subagent, ` that no step refers to, shown by its time after step ${step.id}`)
  }
  for (const subagent of [...unplaced])
    place(subagent, ' that no step refers to, shown at the end', { conversation: subagent.path })
  return steps
}

/** Maps a parent step to the subagents without a reference that began after it, by their times. */
function placeInTime(parent: readonly ReadStep[], subagents: readonly Subagent[]): ReadonlyMap<Step, Subagent[]> {
  const places = new Map<Step, Subagent[]>()
  const times = parent.flatMap(({ step }) => (step.at === null || step.copied ? [] : [{ step, at: step.at }]))
  for (const subagent of subagents) {
    const start = subagent.steps.find(({ at }) => at !== null)?.at ?? null
    const before = start === null ? undefined : times.findLast(({ at }) => at <= start)
    if (before !== undefined) pushTo(places, before.step, subagent)
  }
  return places
}

function indexById(reading: Reading, subagents: readonly Subagent[]): ReadonlyMap<string, Subagent> {
  const byId = new Map<string, Subagent>()
  for (const subagent of subagents) {
    const { trajectoryId: id, path } = subagent
    if (id === null) continue
    if (byId.has(id)) reading.warn(`${path}/trajectory_id`, 'another embedded trajectory has this trajectory_id')
    else byId.set(id, subagent)
  }
  return byId
}

/** Returns the subagent of a reference. A file that another step has placed, or another segment, is not placed again. */
function resolve(
  reading: Reading,
  { path, trajectory, file }: SubagentRef,
  byId: ReadonlyMap<string, Subagent>,
  placed: ReadonlySet<string>,
): Subagent | undefined {
  const subagent = byId.get(trajectory ?? '')
  if (subagent !== undefined || placed.has(file ?? '')) return subagent
  const away = 'the subagent ran in another file, which is not read here'
  reading.unread(path, file === null ? 'refers to a subagent that this document does not embed' : away, true)
  return undefined
}
