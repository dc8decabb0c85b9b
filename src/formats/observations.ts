import type { Part } from '../domain/trajectory.ts'
import { type ContentSink, readContent, readPreview } from './content.ts'
import { isAbsent, isRecord, type Json, pointer, type Reading, typeName } from './reading.ts'
import { openEnvelope } from './result-envelope.ts'
import { isScaffold } from './terminus.ts'
import type { Calls } from './tool-calls.ts'

const OBSERVATION_FIELDS = new Set(['results', 'extra'])
const RESULT_FIELDS = new Set(['source_call_id', 'content', 'subagent_trajectory_ref', 'extra'])
const REF_FIELDS = new Set(['trajectory_id', 'trajectory_path', 'session_id', 'extra'])

/** A result's mention of another trajectory. */
export interface SubagentRef {
  readonly path: string
  readonly trajectory: string | null
  readonly file: string | null
}

export interface Observation {
  readonly parts: readonly Part[]
  readonly refs: readonly SubagentRef[]
  /** Results that name no call, where the step has calls that they could name. */
  readonly unlinked: number
  readonly linked: number
}

/** What the tools answered in one step. `terminus`: the harness's own words among them are not tool output. */
export function readObservation(
  reading: Reading,
  observation: unknown,
  path: string,
  calls: Calls,
  terminus: boolean,
): Observation {
  const parts: Part[] = []
  const refs: SubagentRef[] = []
  let [unlinked, linked] = [0, 0]
  const sink = resultSink(reading, parts, 'observation', false)
  if (isAbsent(observation) || readPreview(reading, observation, path, sink)) return { parts, refs, unlinked, linked }
  for (const [index, result] of resultsOf(reading, observation, path).entries()) {
    const at = pointer(`${path}/results`, index)
    if (!isRecord(result)) {
      reading.error(at, `a result must be an object, not ${typeName(result)}`)
      continue
    }
    reading.warnUnknown(result, at, RESULT_FIELDS)
    refs.push(...readRefs(reading, result['subagent_trajectory_ref'], `${at}/subagent_trajectory_ref`))
    const name = toolName(reading, result, at, calls)
    if (!isAbsent(result['source_call_id'])) linked++
    else if (calls.count > 0) unlinked++
    readContent(reading, result['content'], `${at}/content`, resultSink(reading, parts, name, terminus))
  }
  return { parts, refs, unlinked, linked }
}

function resultsOf(reading: Reading, observation: unknown, path: string): readonly unknown[] {
  if (!isRecord(observation)) {
    reading.error(path, `must be an object, not ${typeName(observation)}`)
    return []
  }
  reading.warnUnknown(observation, path, OBSERVATION_FIELDS)
  const results = observation['results']
  if (Array.isArray(results)) return results
  if (isAbsent(results)) reading.warn(`${path}/results`, 'an observation must have results')
  else reading.error(`${path}/results`, `must be an array, not ${typeName(results)}`)
  return []
}

/** A result that names no call is of the step's call where there is only one. */
function toolName(reading: Reading, result: Json, path: string, calls: Calls): string {
  const id = result['source_call_id']
  const name = typeof id === 'string' ? calls.names.get(id) : undefined
  if (name !== undefined) return name
  // A corpus that cut the calls of a step took their ids with them.
  const idsAreKnown = calls.names.size > 0 || calls.count === 0
  if (!isAbsent(id) && idsAreKnown) reading.warn(`${path}/source_call_id`, 'names no tool call of this step')
  const [only] = calls.names.values()
  return isAbsent(id) && calls.count === 1 && only !== undefined ? only : 'observation'
}

function resultSink(reading: Reading, parts: Part[], name: string, terminus: boolean): ContentSink {
  return {
    text(text, path) {
      const scaffold = terminus && isScaffold(text)
      const leaves = scaffold ? null : openEnvelope(text)
      if (leaves === null) reading.add(parts, { actor: scaffold ? 'system' : 'tool_output', text, path, name })
      for (const leaf of leaves ?? []) {
        const full = leaf.name === '' ? name : `${name}.${leaf.name}`
        reading.add(parts, { actor: 'tool_output', text: leaf.text, path: `${path}#${leaf.pointer}`, name: full })
      }
    },
    media(text, path) {
      reading.add(parts, { actor: 'tool_output', text, path, name, media: true })
    },
  }
}

function readRefs(reading: Reading, refs: unknown, path: string): SubagentRef[] {
  if (isAbsent(refs)) return []
  if (!Array.isArray(refs)) {
    reading.warn(path, `must be an array, not ${typeName(refs)}; not read`)
    return []
  }
  return refs.flatMap((ref, index) => {
    const at = pointer(path, index)
    if (!isRecord(ref)) {
      reading.warn(at, `must be an object, not ${typeName(ref)}; not read`)
      return []
    }
    reading.warnUnknown(ref, at, REF_FIELDS)
    const { trajectory_id: id, trajectory_path: file } = ref
    return [{ path: at, trajectory: typeof id === 'string' ? id : null, file: typeof file === 'string' ? file : null }]
  })
}
