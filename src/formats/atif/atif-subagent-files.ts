import { isRecord, type Json, pointer } from '../common/reading.ts'

/** Files of files of …: terminus-2 shows one level. */
const MAX_NESTING = 7

export interface EmbeddedFiles {
  /** The trajectory, with each subagent file as an embedded subagent. */
  readonly document: Json
  /** The place of something in `document`, as a pointer into the document that holds the files. */
  sourceOf(path: string): string
  /** Pointers, there, of the references that a file of the document answers. */
  readonly resolved: ReadonlySet<string>
}

/**
 * References to files become references to embedded trajectories, which `readAtif` knows how to place. Every file is embedded
 * once, where it is first referred to: `placed` remembers them, over all segments of a run, so a circle ends.
 */
export function embedSubagentFiles(
  trajectory: Json,
  path: string,
  subagents: Json,
  placed: Set<string>,
  depth = 0,
): EmbeddedFiles {
  const own = embeddedOf(trajectory)
  const resolved = new Set<string>()
  const files: { readonly name: string; readonly embedded: EmbeddedFiles }[] = []
  const steps = mapRefs(trajectory, path, (ref, at) => {
    const name = ref['trajectory_path']
    if (typeof name !== 'string' || !Object.hasOwn(subagents, name)) return ref
    const file = subagents[name]
    if (!isRecord(file) || depth >= MAX_NESTING) return ref
    resolved.add(at)
    if (!placed.has(name)) {
      placed.add(name)
      const embedded = embedSubagentFiles(file, pointer('/subagents', name), subagents, placed, depth + 1)
      files.push({ name, embedded })
    }
    return { trajectory_id: name }
  })
  for (const { embedded } of files) for (const at of embedded.resolved) resolved.add(at)
  if (files.length === 0) return { document: { ...trajectory, steps }, sourceOf: (at) => `${path}${at}`, resolved }
  const added = files.map(({ name, embedded }) => ({ ...embedded.document, trajectory_id: name }))
  const sourceOf = (at: string): string => {
    const [head, index, ...rest] = at.split('/').slice(1)
    const file = head === 'subagent_trajectories' ? files[Number(index) - own.length] : undefined
    if (file === undefined) return `${path}${at}`
    return file.embedded.sourceOf(rest.map((token) => `/${token}`).join(''))
  }
  return { document: { ...trajectory, steps, subagent_trajectories: [...own, ...added] }, sourceOf, resolved }
}

const embeddedOf = ({ subagent_trajectories: embedded }: Json): readonly unknown[] =>
  Array.isArray(embedded) ? embedded : []

/** The names of the files that a trajectory's steps refer to, each once, in their order. */
export function subagentFilesOf(trajectory: Json): string[] {
  const names = new Set<string>()
  mapRefs(trajectory, '', (ref) => {
    const name = ref['trajectory_path']
    if (typeof name === 'string' && name !== '') names.add(name)
    return ref
  })
  return [...names]
}

/** The steps with each reference replaced; whatever is not of the form stays as it is, for the reader to complain about. */
function mapRefs(trajectory: Json, path: string, replace: (ref: Json, at: string) => Json): unknown {
  return mapItems(trajectory['steps'], `${path}/steps`, (step, stepAt) => {
    const observation = step['observation']
    if (!isRecord(observation)) return step
    let changed = false
    const results = mapItems(observation['results'], `${stepAt}/observation/results`, (result, resultAt) => {
      const refs = result['subagent_trajectory_ref']
      if (!Array.isArray(refs)) return result
      changed = true
      return { ...result, subagent_trajectory_ref: mapItems(refs, `${resultAt}/subagent_trajectory_ref`, replace) }
    })
    return changed ? { ...step, observation: { ...observation, results } } : step
  })
}

function mapItems(items: unknown, path: string, map: (item: Json, at: string) => Json): unknown {
  if (!Array.isArray(items)) return items
  return items.map((item: unknown, index) => (isRecord(item) ? map(item, pointer(path, index)) : item))
}
