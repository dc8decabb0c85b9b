import type { Lane } from '../asking/lane/lane.ts'
import type { Scribe } from './scribe.ts'

/**
 * A lane begins a call when another ends, in that other’s place: the call is put back to where it was asked for. What it waited for its turn
 * is a span, where it did.
 */
export function traceLane(scribe: Scribe, lane: Lane): Lane {
  const call: Lane['call'] = (party, make, signal) => {
    if (!scribe.isRecording()) return lane.call(party, make, signal)
    const place = scribe.active()
    const { span } = scribe.begin('wait for a turn', {})
    let waits = true
    const begun = () => {
      if (waits) span.end()
      waits = false
      return scribe.within(place, make)
    }
    return lane.call(party, begun, signal).finally(() => {
      if (waits) span.end()
    })
  }
  return new Proxy(lane, {
    get(target, name) {
      if (name === 'call') return call
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
