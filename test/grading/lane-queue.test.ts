import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLaneQueue } from '../../src/asking/lane/queue.ts'

interface Item {
  readonly party: string | null
  readonly seq: number
}

/** Fills a queue in this order; `takeAll` answers the parties in the order of their turns. */
function filled(parties: readonly (string | null)[]) {
  const queue = createLaneQueue<Item>()
  const removals = parties.map((party, seq) => queue.add(party, { party, seq }))
  const takeAll = () => {
    const taken: Item[] = []
    for (let item = queue.take(); item !== null; item = queue.take()) taken.push(item)
    return taken
  }
  return { queue, removals, takeAll }
}

/** Whose turn it was, and who was waiting for it (once for each that waits). */
function turnsOf(steps: readonly ('take' | { readonly party: string | null })[]) {
  const queue = createLaneQueue<Item>()
  const turns: { readonly party: string | null; readonly waiting: readonly (string | null)[] }[] = []
  let waiting: (string | null)[] = []
  for (const step of [...steps, ...steps.map(() => 'take' as const)]) {
    if (step !== 'take') {
      queue.add(step.party, { party: step.party, seq: 0 })
      waiting = [...waiting, step.party]
      continue
    }
    const item = queue.take()
    if (item === null) continue
    turns.push({ party: item.party, waiting })
    waiting = waiting.toSpliced(waiting.indexOf(item.party), 1)
  }
  expect(queue.size()).toBe(0)
  return turns
}

const PARTY = fc.constantFrom(null, 'a', 'b', 'c', '__proto__')

describe('lane queue', () => {
  test.each<[string, (string | null)[], string]>([
    ['nobody', [], ''],
    ['one batch', ['a', 'a', 'a'], 'aaa'],
    ['batches in turn', ['a', 'a', 'a', 'b', 'b', 'c'], 'abcaba'],
    ['single requests alone', [null, null, null], '---'],
    ['a single request first', ['a', 'a', null], '-aa'],
    ['every second turn', ['a', 'a', 'a', null, null, null, null], '-a-a-a-'],
    ['every second turn with the batches in turn', ['a', 'a', 'b', null, null, null], '-a-b-a'],
  ])('%s', (_, parties, expected) => {
    const { takeAll } = filled(parties)
    expect(
      takeAll()
        .map(({ party }) => party ?? '-')
        .join(''),
    ).toBe(expected)
  })

  test('keeps the order of a party, loses nobody, and answers removals honestly', () => {
    fc.assert(
      fc.property(fc.array(PARTY, { maxLength: 60, size: 'max' }), fc.array(fc.nat(59)), (parties, leaving) => {
        const { queue, removals, takeAll } = filled(parties)
        const gone = new Set<number>()
        for (const index of leaving) {
          const remove = removals[index]
          if (remove === undefined) continue
          expect(remove()).toBe(!gone.has(index))
          gone.add(index)
        }
        expect(queue.size()).toBe(parties.length - gone.size)
        const taken = takeAll()
        const expected = parties.map((_, seq) => seq).filter((seq) => !gone.has(seq))
        expect(taken.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(expected)
        for (const party of new Set(parties)) {
          const mine = taken.filter((item) => item.party === party).map(({ seq }) => seq)
          expect(mine).toEqual(mine.toSorted((a, b) => a - b))
        }
        for (const remove of removals) expect(remove()).toBe(false)
      }),
    )
  })

  const STEPS = fc.array(fc.oneof(fc.constant('take' as const), fc.record({ party: PARTY })), {
    maxLength: 200,
    size: 'max',
  })

  test('gives no two turns running to one kind while the other waits', () => {
    fc.assert(
      fc.property(STEPS, (steps) => {
        const turns = turnsOf(steps)
        for (const [index, { party, waiting }] of turns.entries()) {
          const before = turns[index - 1]
          if (before === undefined || (before.party === null) !== (party === null)) continue
          if (party === null) expect(waiting.filter((other) => other !== null)).toEqual([])
          else expect(waiting.includes(null) && before.waiting.includes(null)).toBe(false)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('gives no batch two turns while another waits for one', () => {
    fc.assert(
      fc.property(STEPS, fc.constantFrom('a', 'b', 'c', '__proto__'), (steps, batch) => {
        const passed = new Set<string>()
        for (const { party, waiting } of turnsOf(steps)) {
          if (party === batch || !waiting.includes(batch)) passed.clear()
          else if (party !== null) {
            expect(passed).not.toContain(party)
            passed.add(party)
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  test('takes a long queue apart from either end in linear time', () => {
    const milliseconds = (count: number) => {
      const { removals, takeAll } = filled(Array.from({ length: count }, (_, index) => (index % 3 ? 'a' : null)))
      const started = performance.now()
      for (let index = count - 1; index >= count / 2; index--) removals[index]?.()
      expect(takeAll()).toHaveLength(count / 2)
      return performance.now() - started
    }
    milliseconds(20_000)
    // A walk over the waiters would be 2 × 10^10 steps.
    expect(milliseconds(200_000)).toBeLessThan(2000)
  })
})
