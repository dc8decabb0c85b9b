import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { visibleString, visibleText } from '../../web/src/text/visible-text.ts'

describe('what cannot be seen is named', () => {
  test.each([
    ['plain text\n\tstays', 'plain text\n\tstays'],
    ['\u001b[31m', '⟨ESC⟩[31m'],
    ['a\r\nb', 'a⟨CR⟩\nb'],
    ['\0\u0007\u007f', '⟨NUL⟩⟨BEL⟩⟨DEL⟩'],
    ['\u0085\u009b', '⟨U+0085⟩⟨U+009B⟩'],
    ['\u202eabc\u202c', '⟨U+202E⟩abc⟨U+202C⟩'],
    ['\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
    ['a\u200bb', 'a⟨U+200B⟩b'],
    ['\u200b'.repeat(12), '⟨U+200B×12⟩'],
    ['\0'.repeat(5), '⟨NUL×5⟩'],
    ['\u{e0041}', '⟨U+E0041⟩'],
    ['\u{e0100}'.repeat(4), '⟨U+E0100×4⟩'],
    ['\ufe0f\ufeff\u00ad\u3164\u2800', '⟨U+FE0F⟩⟨U+FEFF⟩⟨U+00AD⟩⟨U+3164⟩⟨U+2800⟩'],
    ['\ud800x', '⟨U+D800⟩x'],
    ['x\udc00', 'x⟨U+DC00⟩'],
    ['\ud800\ud800\ud800\ud800', '⟨U+D800×4⟩'],
    ['😀 café 漢字 עברית', '😀 café 漢字 עברית'],
    ['', ''],
  ])('%j is shown as %j', (text, shown) => {
    expect(visibleString(text)).toBe(shown)
  })
})

/** All code points of the classes that a reader cannot see, and a few that can be. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom(
        '\u202e',
        '\u200b\u200b\u200b\u200b\u200b',
        '\u001b',
        '\ud800',
        '\udc00',
        '\u{e0041}',
        '😀',
        'abc',
        '\n',
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

test('the segments cover the text, in order and without a gap, and plain ones are the text itself', () => {
  fc.assert(
    fc.property(anyText, fc.nat(20), (text, skip) => {
      const from = Math.min(skip, text.length)
      const segments = visibleText(text, from)
      let at = from
      for (const segment of segments) {
        expect(segment.start).toBe(at)
        expect(segment.end).toBeGreaterThan(at)
        if (segment.kind === 'plain') expect(segment.text).toBe(text.slice(segment.start, segment.end))
        at = segment.end
      }
      expect(at).toBe(text.length)
    }),
  )
})

test('what is shown can be seen, and showing it again changes nothing', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = visibleString(text)
      expect(visibleString(shown)).toBe(shown)
      expect(shown.isWellFormed()).toBe(true)
    }),
  )
})

test('a million marks are one piece after the first few thousand, and as fast as plain text', () => {
  const text = 'a\u001b'.repeat(500_000)
  const segments = visibleText(text)
  expect(segments.length).toBeLessThan(5000)
  expect(segments.map((segment) => segment.text).join('')).toBe('a⟨ESC⟩'.repeat(500_000))
})
