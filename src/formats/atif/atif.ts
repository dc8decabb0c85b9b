import type { Step, Trajectory } from '../../domain/trajectory/trajectory.ts'
import { cutName, isAbsent, isRecord, type Json, objectsIn, pointer, type Reading } from '../common/reading.ts'
import { asList, asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { CallAnswers, numberSteps, readStep, StepReplies, warnAboutOrder } from './atif-step.ts'

/** Bounds the nesting of subagents inside of subagents; known documents nest one level. */
const MAX_NESTING = 8

export const ATIF: Format = {
  name: 'atif',
  recognizes: ({ schema_version: version, steps }) => {
    if (typeof version === 'string') return version.startsWith('ATIF')
    return Array.isArray(steps) && steps.some((step) => isRecord(step) && 'source' in step && !('actor' in step))
  },
  read: (reading, document) => readAtif(reading, document, '', noFiles()),
}

/** The files of a run beside its document, by name. `placed`: the names that stand in the run already, so that circles end. */
type RunFiles = { readonly byName: ReadonlyMap<string, Json>; readonly placed: Set<string> }
const noFiles = (): RunFiles => ({ byName: new Map(), placed: new Set() })

/** Reads a trajectory, its embedded subagents, and the files that its steps refer to. `isContinued`: the document holds the rest of the run. */
function readAtif(reading: Reading, document: Json, path: string, files: RunFiles, isContinued = false, depth = 0) {
  const format = readVersion(reading, document['schema_version'], `${path}/schema_version`)
  const agent = readAgent(reading, document['agent'], `${path}/agent`)
  if (!isAbsent(document['continued_trajectory_ref']) && !isContinued)
    reading.unread(`${path}/continued_trajectory_ref`, 'the run goes on in another file, which is not read here', true)
  const read = readSteps(reading, document, `${path}/steps`, agent.name ?? '')
  const subagents: Subagent[] = []
  for (const { document: own, files: beside, ...subagent } of subagentsIn(reading, document, path, read, files))
    if (depth >= MAX_NESTING)
      reading.unread(subagent.path, `subagents nested deeper than ${MAX_NESTING} levels; not read`, true)
    else {
      const { steps }: Pick<ReadDocument, 'steps'> = readAtif(reading, own, subagent.path, beside, false, depth + 1)
      subagents.push({ ...subagent, steps })
    }
  return { format, agent, steps: placeSubagents(reading, read, subagents, files) }
}

/** Yields the subagents that a document embeds, then the files that its steps refer to, each at its first reference of all. */
function* subagentsIn(reading: Reading, document: Json, path: string, read: readonly ReadStep[], files: RunFiles) {
  const embedded = objectsIn(reading, document['subagent_trajectories'], `${path}/subagent_trajectories`)
  for (const [subagent, at, index] of embedded) {
    const id = asText(subagent['trajectory_id'])
    yield { id, document: subagent, path: at, name: id ?? `subagent-${index + 1}`, files: noFiles() }
  }
  for (const { file } of read.flatMap(({ refs }) => refs)) {
    const document = file === null ? undefined : files.byName.get(file)
    if (file === null || document === undefined || files.placed.has(file)) continue
    files.placed.add(file)
    yield { id: file, document, path: pointer('/subagents', file), name: file, files }
  }
}

const VERSION = /^ATIF-v(\d{1,3}\.\d{1,3})$/
const KNOWN = /^1\.[0-8]$/
const NEWEST = '1.8'

function readVersion(reading: Reading, version: unknown, path: string): string {
  if (typeof version !== 'string') {
    reading.warn(path, 'no schema_version; read as ATIF because of its steps')
    return 'atif'
  }
  const [, number] = VERSION.exec(version) ?? []
  if (!KNOWN.test(number ?? '')) reading.warn(path, `unknown version; read as ATIF-v${NEWEST}`)
  return number === undefined ? 'atif' : `atif-${number}`
}

function readAgent(reading: Reading, agent: unknown, path: string): Trajectory['agent'] {
  const [name, model] = [asText(asRecord(agent)['name']), asText(asRecord(agent)['model_name'])]
  if (name === null) reading.warn(isRecord(agent) ? `${path}/name` : path, 'no agent is named')
  return { name, model }
}

type ReadStep = Pick<ReturnType<typeof readStep>, 'refs'> & { readonly step: Step }

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
  const ids = numberSteps(reading, steps, path)
  warnAboutOrder(reading, steps, path)
  const answers = new CallAnswers()
  const sink = new ChatSink(reading, agent)
  const replies = new StepReplies(steps)
  return [...objectsIn(reading, steps, path)].map(([step, at, index]) => {
    reading.reply = replies.of(step, at)
    const { refs, ...content } = readStep(sink, step, at, answers)
    return { step: { ...(ids[index] ?? { id: index + 1, name: null }), ...content }, refs }
  })
}

/** A trajectory embedded in its parent's document, or in a file beside it; steps refer to its id or the name of its file. */
type Subagent = Readonly<Record<'path' | 'name', string>> & { readonly id: string | null } & Pick<ReadDocument, 'steps'>

/** Places each subagent's steps once: behind the step that first refers to it, else at the end, at an unknown time. */
function placeSubagents(
  reading: Reading,
  parent: readonly ReadStep[],
  subagents: readonly Subagent[],
  files: RunFiles,
) {
  const byId = indexById(reading, subagents)
  const unplaced = new Set(subagents)
  const steps: Step[] = []
  let nextId = parent.reduce((highest, { step }) => Math.max(highest, step.id), 0) + 1
  const place = (subagent: Subagent, where: string, of: Pick<Step, 'conversation'> = {}): void => {
    reading.warn(subagent.path, `embedded subagent${where} under new step ids`)
    unplaced.delete(subagent)
    for (const step of subagent.steps)
      steps.push({ ...of, ...step, id: nextId++, name: cutName(`${subagent.name}#${step.name ?? step.id}`) })
  }
  for (const { step, refs } of parent) {
    steps.push(step)
    for (const { path, trajectory, file } of refs) {
      const subagent = byId.get(file ?? '') ?? byId.get(trajectory ?? '')
      const away = 'the subagent ran in another file, which is not read here'
      if (subagent !== undefined && unplaced.has(subagent)) place(subagent, `, shown after step ${step.id}`)
      // A file that another step has placed, or another segment, is not placed again.
      else if (subagent === undefined && !files.placed.has(file ?? ''))
        reading.unread(path, file === null ? 'refers to a subagent that this document does not embed' : away, true)
    }
  }
  for (const subagent of [...unplaced])
    place(subagent, ' that no step refers to, shown at the end', { conversation: subagent.path })
  return steps
}

function indexById(reading: Reading, subagents: readonly Subagent[]): ReadonlyMap<string, Subagent> {
  const byId = new Map<string, Subagent>()
  for (const subagent of subagents) {
    const { id, path } = subagent
    if (id !== null && byId.has(id)) reading.warn(`${path}/trajectory_id`, 'another embedded trajectory has this id')
    else if (id !== null) byId.set(id, subagent)
  }
  return byId
}

/** One ATIF run in several files: `segments` in the order of their continuations, `subagents` by their `trajectory_path`. */
export const ATIF_SEGMENTS: Format = {
  name: 'atif-segments',
  recognizes: ({ schema_version: version, segments, subagents }) =>
    version === undefined &&
    Array.isArray(segments) &&
    segments.some((segment) => isRecord(segment) && Array.isArray(segment['steps'])) &&
    (subagents === undefined || isRecord(subagents)),
  read: readAtifSegments,
}

/** Bounds a file name, which is repeated in the path of every part of that file. */
const MAX_FILE_NAME = 1000

function readAtifSegments(reading: Reading, document: Json): ReadDocument {
  const segments = asList(document['segments'])
  const subagents = Object.entries(asRecord(document['subagents']))
  const byName = new Map(subagents.filter((file): file is [string, Json] => isRecord(file[1])))
  const files = { byName, placed: new Set<string>() }
  const runs: ReadDocument[] = []
  let highest = 0
  for (const [segment, path, index] of objectsIn(reading, segments, '/segments')) {
    const run = readAtif(reading, segment, path, files, index < segments.length - 1)
    const steps = numberOn(run.steps, highest, index)
    highest = steps.reduce((most, step) => Math.max(most, step.id), highest)
    runs.push({ ...run, steps })
  }
  for (const [name] of subagents)
    if (name.length > MAX_FILE_NAME)
      reading.unread('/subagents', `a file name of ${name.length} characters; not read`, true)
    else if (!files.placed.has(name))
      reading.unread(pointer('/subagents', name), `no step refers to ${cutName(name)}; not shown`, true)
  const [first] = runs
  const steps = runs.flatMap((run) => run.steps)
  return { format: first?.format ?? 'atif', agent: first?.agent ?? { name: null, model: null }, steps }
}

/** Numbers a segment's steps on from the segment before, so that a citation names one step of the whole run. */
function numberOn(steps: readonly Step[], highest: number, index: number): Step[] {
  if (index === 0) return [...steps]
  const name = (step: Step): string => cutName(`segment-${index + 1}#${step.name ?? step.id}`)
  return steps.map((step, at) => ({ ...step, id: highest + at + 1, name: name(step) }))
}

/** Lists the files that a trajectory's steps refer to, in order of first mention. */
export function subagentFilesOf({ steps }: Json): string[] {
  const results = asList(steps).flatMap((step) => asList(asRecord(asRecord(step)['observation'])['results']))
  const refs = results.flatMap((result) => asList(asRecord(result)['subagent_trajectory_ref']))
  return [...new Set(refs.flatMap((ref) => asText(asRecord(ref)['trajectory_path']) ?? []))]
}
