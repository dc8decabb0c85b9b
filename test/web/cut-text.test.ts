import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunkText, cutText, HEAD } from '../../web/src/timeline/cut-text.ts'

const TWO = [
  [0, HEAD],
  [499_400, 500_610],
]
test.each([
  ['a short text is whole', 100, [], [[0, 100]]],
  ['an empty one too', 0, [], [[0, 0]]],
  ['a long one is its head', 1_000_000, [], [[0, HEAD]]],
  ['and what is around a mark far in', 1_000_000, [{ start: 500_000, end: 500_010 }], TWO],
  ['a mark just behind the head is no gap', 1_000_000, [{ start: 4200, end: 4300 }], [[0, 4900]]],
] as const)('%s', (_, length, places, spans) => {
  expect(cutText(length, places).map(({ start, end }) => [start, end])).toEqual(spans)
})

const span = (length: number) =>
  fc.tuple(fc.nat(length), fc.nat(2000)).map(([start, width]) => ({ start, end: Math.min(length, start + width) }))

test('spans are in order, apart, inside of the text, and hold the beginning of every mark', () => {
  fc.assert(
    fc.property(
      fc.nat(200_000).chain((length) => fc.tuple(fc.constant(length), fc.array(span(length), { maxLength: 8 }))),
      ([length, marks]) => {
        const spans = cutText(length, marks)
        expect(spans[0]?.start).toBe(0)
        expect(spans.at(-1)?.end).toBeLessThanOrEqual(length)
        for (const [index, one] of spans.entries()) {
          expect(one.end).toBeGreaterThanOrEqual(one.start)
          if (index > 0) expect(one.start).toBeGreaterThan(spans[index - 1]?.end ?? 0)
        }
        for (const mark of marks)
          expect(spans.some((one) => one.start <= mark.start && one.end >= Math.min(mark.end, mark.start + HEAD))).toBe(
            true,
          )
      },
    ),
  )
})

test('chunks cover the text, break no character, and end with a line where there is one', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 3000 }),
      (word, times) => {
        const text = word.repeat(times)
        const chunks = chunkText(text)
        expect(chunks.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
        if (text.isWellFormed())
          expect(chunks.every(({ start, end }) => text.slice(start, end).isWellFormed())).toBe(true)
        if (word.includes('\n')) expect(chunks.slice(0, -1).every(({ end }) => text[end - 1] === '\n')).toBe(true)
      },
    ),
  )
  expect(chunkText('x'.repeat(50_000)).map(({ end }) => end)).toEqual([20_000, 40_000, 50_000])
})
