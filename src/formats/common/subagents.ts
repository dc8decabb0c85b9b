import { pushTo } from '../../domain/result.ts'
import type { Step } from '../../domain/trajectory/trajectory.ts'
import type { SubagentRef } from '../atif/observations.ts'
import { cutName, type Reading } from './reading.ts'

/** A trajectory embedded in its parent's document. */
export interface Subagent {
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
export function placeSubagents(
  reading: Reading,
  parent: readonly { readonly step: Step; readonly refs: readonly SubagentRef[] }[],
  subagents: readonly Subagent[],
): Step[] {
  const byId = indexById(reading, subagents)
  const unplaced = new Set(subagents)
  const steps: Step[] = []
  let nextId = parent.reduce((highest, { step }) => Math.max(highest, step.id), 0) + 1
  const referred = new Set(parent.flatMap(({ refs }) => refs.map(({ trajectory }) => trajectory)))
  const timed = placeInTime(
    parent,
    subagents.filter(({ trajectoryId }) => trajectoryId === null || !referred.has(trajectoryId)),
  )
  const place = (subagent: Subagent, of: Pick<Step, 'conversation'> = {}): void => {
    unplaced.delete(subagent)
    for (const step of subagent.steps)
      steps.push({ ...of, ...step, id: nextId++, name: cutName(`${subagent.name}#${step.name ?? step.id}`) })
  }
  for (const { step, refs } of parent) {
    steps.push(step)
    for (const ref of refs) {
      const subagent = resolve(reading, ref, byId)
      if (subagent === undefined || !unplaced.has(subagent)) continue
      reading.warn(subagent.path, `embedded subagent, shown after step ${step.id} under new step ids`)
      place(subagent)
    }
    for (const subagent of timed.get(step) ?? []) {
      reading.warn(
        subagent.path,
        `embedded subagent that no step refers to, shown by its time after step ${step.id} under new step ids`,
      )
      place(subagent)
    }
  }
  for (const subagent of [...unplaced]) {
    reading.warn(subagent.path, 'embedded subagent that no step refers to, shown at the end under new step ids')
    place(subagent, { conversation: subagent.path })
  }
  return steps
}

/** Maps a parent step to the subagents without a reference that began after it, by their times. */
function placeInTime(
  parent: readonly { readonly step: Step }[],
  subagents: readonly Subagent[],
): ReadonlyMap<Step, readonly Subagent[]> {
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
    if (id === null) reading.warn(`${path}/trajectory_id`, 'an embedded trajectory must have a trajectory_id')
    else if (byId.has(id)) reading.warn(`${path}/trajectory_id`, 'another embedded trajectory has this trajectory_id')
    else byId.set(id, subagent)
  }
  return byId
}

function resolve(reading: Reading, ref: SubagentRef, byId: ReadonlyMap<string, Subagent>): Subagent | undefined {
  const subagent = ref.trajectory === null ? undefined : byId.get(ref.trajectory)
  if (subagent !== undefined) return subagent
  if (ref.file !== null) reading.unread(ref.path, 'the subagent ran in another file, which is not read here', true)
  else reading.unread(ref.path, 'refers to a subagent that this document does not embed', true)
  return undefined
}
