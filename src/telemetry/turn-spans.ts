import type { Lane } from '../asking/lane/lane.ts'
import type { Scribe } from './scribe.ts'

/**
 * A lane begins a call when another ends, in that other’s place: the call is put back to where it was asked for. What it waited for its turn
 * is a span, where it did.
 */
export const traceLane = (scribe: Scribe, lane: Pick<Lane, 'call'>): Pick<Lane, 'call'> => ({
  call(party, make, signal) {
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
  },
})
