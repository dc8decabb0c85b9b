import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../src/domain/money/tokens.ts'
import { expectLinear } from './linear-work.ts'
import { SAMPLES } from './tokens-samples.ts'

describe('estimateTokens against o200k_base', () => {
  test.each(SAMPLES.filter(({ kind }) => kind !== 'Chinese'))(
    '$kind: within 15 %, hardly under',
    ({ text, measured }) => {
      const ratio = estimateTokens(text) / measured
      expect(ratio).toBeGreaterThan(0.97)
      expect(ratio).toBeLessThan(1.15)
    },
  )

  // Modern Chinese merges better than the mixed text of judge-science.md 2.3 (1.25 characters a token), which is the aim.
  test('Chinese errs upward', () => {
    const { text, measured } = SAMPLES.find(({ kind }) => kind === 'Chinese') ?? { text: '', measured: 0 }
    const ratio = estimateTokens(text) / measured
    expect(ratio).toBeGreaterThan(1)
    expect(ratio).toBeLessThan(1.25)
  })

  // js-tiktoken 1.0.21, 1000 characters each.
  test.each([
    ['=', 16],
    ['-', 16],
    ['#', 17],
    ['.', 17],
    [' ', 9],
    ['\n', 63],
    ['─', 63],
    ['0', 334],
    ['a', 125],
    ['\u0000', 500],
  ])('a run of %j costs no less than measured, and less than three times as much', (unit, measured) => {
    const estimated = estimateTokens(unit.repeat(1000))
    expect(estimated).toBeGreaterThanOrEqual(measured)
    expect(estimated).toBeLessThan(measured * 3)
  })

  test('nothing costs nothing', () => expect(estimateTokens('')).toBe(0))

  test('a word of an alphabet is not free', () => expect(estimateTokens('x')).toBe(1))
})

const ODD_TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(fc.constantFrom('=', '中', '\ud800', '\udc00', '\u001b[0m', ' ', '\r\n', 'aB3', '/', '+', "'re", 'é', '🎉'))
    .map((parts) => parts.join('')),
)

describe('estimateTokens on any text', () => {
  test('is a whole number, at least one for some text, and never more than the UTF-8 bytes', () => {
    fc.assert(
      fc.property(ODD_TEXT, (text) => {
        const tokens = estimateTokens(text)
        expect(Number.isInteger(tokens)).toBe(true)
        expect(tokens).toBeGreaterThanOrEqual(text === '' ? 0 : 1)
        expect(tokens).toBeLessThanOrEqual(Buffer.byteLength(text))
      }),
    )
  })

  test('two texts cost about what they cost together: only the pieces at the seam can differ', () => {
    fc.assert(
      fc.property(ODD_TEXT, ODD_TEXT, (head, tail) => {
        const lines = `${head}\n`
        const apart = estimateTokens(lines) + estimateTokens(tail)
        // Four, and what the bound by bytes may take off one of the two alone.
        const allowed = 4 + 0.05 * (lines.length + tail.length)
        expect(Math.abs(estimateTokens(lines + tail) - apart)).toBeLessThanOrEqual(allowed)
      }),
    )
  })

  test.each([
    ['equal signs', '='],
    ['Chinese', '中'],
    ['lone surrogates', '\ud800'],
    ['spaces', ' '],
    ['line ends', '\r\n'],
    ['one letter', 'a'],
    ['apostrophes', "a'"],
    ['pieces of one', 'aA0/'],
    ['controls', '\u0000'],
    ['marks', '=-'],
    ['accents', 'é'],
  ])('%s take linear time', (_, unit) => {
    expectLinear((size) => unit.repeat(size), estimateTokens, 4_000_000 / unit.length)
  })
})
