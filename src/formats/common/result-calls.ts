import { isAbsent, isRecord } from './reading.ts'
import type { StepCall } from './tool-calls.ts'

/**
 * Which call each result of an ATIF trajectory answers. An id may name many calls, in one step and over many: then a result is given
 * to a call only where it can be no other's, so that no call gets another's outcome or name.
 */
export class CallAnswers {
  /** Calls of earlier steps that nothing has answered yet, by id. */
  readonly #open = new Map<string, StepCall[]>()

  /** For each result of a step, the calls that it answers: none, one, or all of a step that has one result for all of them. */
  match(results: readonly unknown[], calls: readonly StepCall[]): readonly (readonly StepCall[])[] {
    const own = groupById(calls)
    const counts = new Map<string, number>()
    const ids = results.map((result) => (isRecord(result) ? result['source_call_id'] : null))
    for (const id of ids) if (typeof id === 'string') counts.set(id, (counts.get(id) ?? 0) + 1)
    const taken = new Map<string, number>()
    const matched = ids.map((id): readonly StepCall[] => {
      // ATIF: a result that names no call is of the whole step.
      if (typeof id !== 'string') return isAbsent(id) && (results.length === 1 || calls.length === 1) ? calls : []
      const named = own.get(id)
      if (named === undefined) return this.#takeEarlier(id, counts.get(id) ?? 0)
      const next = taken.get(id) ?? 0
      taken.set(id, next + 1)
      const call = named[next]
      return call !== undefined && named.length === counts.get(id) ? [call] : []
    })
    const answered = new Set(matched.flat())
    for (const [id, named] of own) {
      const left = named.filter((call) => !answered.has(call))
      const open = this.#open.get(id)
      if (open !== undefined) open.push(...left)
      else if (left.length > 0) this.#open.set(id, left)
    }
    return matched
  }

  #takeEarlier(id: string, results: number): readonly StepCall[] {
    const earlier = this.#open.get(id)
    if (earlier === undefined || earlier.length !== 1 || results !== 1) return []
    this.#open.delete(id)
    return earlier
  }
}

function groupById(calls: readonly StepCall[]): ReadonlyMap<string, StepCall[]> {
  const groups = new Map<string, StepCall[]>()
  for (const call of calls) {
    const group = call.id === null ? undefined : groups.get(call.id)
    if (group !== undefined) group.push(call)
    else if (call.id !== null) groups.set(call.id, [call])
  }
  return groups
}
