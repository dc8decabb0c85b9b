import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTraceparent, word } from '../../src/telemetry/spans.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

/** The cases of https://www.w3.org/TR/trace-context/#traceparent-header. */
test.each<[unknown, number | null]>([
  [`00-${TRACE}-${SPAN}-01`, 1],
  [`00-${TRACE}-${SPAN}-00`, 0],
  [`00-${TRACE}-${SPAN}-ff`, 1],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-brings`, 1],
  [`cc-${TRACE}-${SPAN}-01`, 1],
  [`cc-${TRACE}-${SPAN}-01.x`, null],
  [`00-${TRACE}-${SPAN}-01-more`, null],
  [`ff-${TRACE}-${SPAN}-01`, null],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, null],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, null],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, null],
  [`00-${TRACE}-${SPAN}-1`, null],
  [` 00-${TRACE}-${SPAN}-01`, null],
  ['', null],
  [undefined, null],
  [[`00-${TRACE}-${SPAN}-01`], null],
  [`cc-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`, null],
])('%j', (value, flags) => {
  const context = parseTraceparent(value)
  expect(context?.traceFlags ?? null).toBe(flags)
  if (context !== null) expect(context).toMatchObject({ traceId: TRACE, spanId: SPAN, isRemote: true })
})

test('anything at all is a traceparent or none', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const context = parseTraceparent(value)
      expect(context === null || context.traceId.length === 32).toBe(true)
    }),
  )
})

test('a word has no spaces, no quotes and an end', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(word(value) ?? 'x').toMatch(/^[\w.:/@+-]{1,128}$/)
    }),
  )
  expect(word('gpt-5.6-mini')).toBe('gpt-5.6-mini')
  expect(word('I will not say')).toBeUndefined()
  expect(word('x'.repeat(129))).toBeUndefined()
})
