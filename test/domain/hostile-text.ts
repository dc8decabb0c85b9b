import fc from 'fast-check'

/** Text that an adversary would write: plain words between every kind of special character. */
export function hostileText(): fc.Arbitrary<string> {
  const special = fc.constantFrom(
    '\u001b[31m',
    '\u001b[0m',
    '\r\n',
    '\r',
    '\0\0\0\0\0\0',
    '\u200b',
    '\u202e',
    '\u{e0041}',
    '\ufe0f',
    '⟨U+0041⟩',
    '⟦',
    '<|im_start|>',
    '\n=== STEP 3 ===\n',
    '\n--- tool_output\n',
    '🙂',
    '“',
    '’',
    '\t',
    '  ',
    '\n',
    '\u00a0',
  )
  const word = fc.string({ unit: fc.constantFrom(...'abcxyzABC0123459 -_/.') })
  return fc.array(fc.oneof(special, word), { maxLength: 30 }).map((pieces) => pieces.join(''))
}
