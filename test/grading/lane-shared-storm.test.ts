import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { replyOf } from './harness.ts'
import { createHub } from './lane-hub.ts'

const GOOD = replyOf('{}')
const steady = (limit: number) => ({ initial: limit, min: limit, max: limit })

type Hub = ReturnType<typeof createHub>

/** A process and its calls that have not ended. */
const openSlot = (hub: Hub) => ({ process: hub.open(), waiting: new Set<symbol>() })
type Slot = ReturnType<typeof openSlot>

interface Event {
  readonly kind: 'call' | 'stop' | 'die'
  readonly process: number
  readonly ms: number
  readonly count: number
}

/** Another process comes for one that dies. */
function happen(hub: Hub, slots: Slot[], { kind, process: number, ms, count }: Event): void {
  const slot = slots[number]
  if (kind === 'stop') slot?.process.stop(ms)
  if (kind === 'die') {
    slot?.process.die()
    slots[number] = openSlot(hub)
  }
  for (let n = 0; kind === 'call' && n < count; n++) {
    const id = Symbol()
    slot?.waiting.add(id)
    void slot?.process.call(null, ms, GOOD).then(() => slot.waiting.delete(id))
  }
}

describe('whatever happens to processes and to the database', () => {
  const MS = fc.oneof({ weight: 4, arbitrary: fc.nat(60) }, fc.nat(4_000))
  const EVENT = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        kind: fc.constant('call' as const),
        process: fc.nat(3),
        ms: fc.nat(3_000),
        at: fc.nat(60_000),
        count: fc.integer({ min: 1, max: 8 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('stop' as const, 'die' as const),
        process: fc.nat(3),
        ms: fc.nat(40_000),
        at: fc.nat(60_000),
        count: fc.constant(1),
      }),
    },
  )
  const LOOKS = fc.array(
    fc.record({
      fate: fc.constantFrom(
        'answered' as const,
        'answered' as const,
        'answered' as const,
        'away' as const,
        'unheard' as const,
      ),
      ms: MS,
    }),
    { minLength: 1, maxLength: 40 },
  )

  test('every call of those who live is made, and what they have in flight is never more than each of them took for the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        LOOKS,
        fc.array(EVENT, { minLength: 10, maxLength: 100, size: 'max' }),
        async (limit, looks, events) => {
          const hub = createHub(steady(limit))
          let n = 0
          hub.decide(() => looks[n++ % looks.length] ?? { fate: 'answered', ms: 1 })
          const slots = Array.from({ length: 4 }, () => openSlot(hub))
          for (const event of events) void hub.clock.sleep(event.at).then(() => happen(hub, slots, event))
          await hub.run(60_000)
          hub.decide(() => ({ fate: 'answered', ms: 5 }))
          await hub.run(2_000_000)
          // Each of the four and of those that came for the dead knew of none of the others, at the worst.
          expect(hub.most()).toBeLessThanOrEqual(limit * (4 + events.filter(({ kind }) => kind === 'die').length))
          expect(slots.map(({ waiting }) => waiting.size)).toEqual([0, 0, 0, 0])
          expect(slots.map(({ process }) => process.lane.state().in_flight)).toEqual([0, 0, 0, 0])
        },
      ),
      { numRuns: 60 },
    )
  })
})
