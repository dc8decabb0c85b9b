import { ANY_LANDMARKS, inFile, type Mutant, one } from './mutant.ts'

/** Rule 2: what of an honest quote may differ, and what may not. */
export const QUOTE_MUTANTS: readonly Mutant[] = [
  ...inFile('src/domain/quotes/quote-wrapping.ts', 'honest_quotes', {
    'peel-fence': ['2: a fence is peeled', 'fence', 'wrapping(withoutFence(text)) ??', ''],
    'peel-pair': [
      '2: marks around a quote are peeled',
      'backticks double_quotes typographic',
      'wrapping(withoutPair(text)) ??',
      '',
    ],
    'peel-ellipsis': ['2: an ellipsis at an end is peeled', 'trailing_dots leading_', 'withoutEllipsis(text) ??', ''],
  }),
  ...inFile('src/domain/quotes/quote-wrapping.ts', 'framed_quotes', {
    'peel-end': ['2: a sign at the end is peeled', 'full_stop semicolon', 'return [outer, cut]', 'return [outer]'],
    'peel-tags': ['2: tags are peeled', 'tags', "['quote', 'code', ", "['code', "],
    'peel-added': ['2: the + of a line is peeled', 'plus', "isAdded(text) ? '+' : undefined", 'undefined'],
  }),
  ...inFile('src/domain/quotes/quote-readings.ts', 'framed_quotes', {
    'peel-names': ['2: the names of a part are peeled', 'name call actor', '...withoutName(layer, partNames), ', ''],
  }),
  ...inFile('src/domain/quotes/quote-readings.ts', 'honest_quotes', {
    'quote-escapes': [
      '2: one level of escapes more in the quote',
      'escaped_quotes unicode_escape',
      'readEscapes(mapWhole(text, 0, text.length)).text',
      'text',
    ],
  }),
  ...inFile('src/domain/quotes/quote-match.ts', 'honest_quotes', {
    'text-escapes': [
      '2: one level of escapes less in the quote',
      'json_line',
      "whole.text.includes('\\\\') ? readEscapes(whole) : whole",
      'whole',
    ],
    'line-prefixes': ['2: prefixes of lines may be left out', 'cat_n- plus-', '[null, ...PREFIX_KINDS]', '[null]'],
    emphasis: [
      '2: emphasis may be left out',
      'emphasis_dropped',
      "if (form.emphasis && actor === 'agent_action') continue",
      'if (form.emphasis) continue',
    ],
  }),
  ...['quote-gap', 'quote-words'].map(
    (name): Mutant => ({
      name,
      rule: name === 'quote-gap' ? '2: no gap, and nothing after it left out' : '2: no word missing, changed or added',
      cases: name === 'quote-gap' ? ['honest_quotes/gap'] : ['honest_quotes/missing_word', 'honest_quotes/changed_'],
      patches: [
        ...ANY_LANDMARKS,
        ...one(
          'src/domain/quotes/quote-match.ts',
          'const needle = needleOf(reading, formed.form)',
          'const needle = needleOf(reading, formed.form).slice(0, 8)',
        ),
      ],
    }),
  ),
]
