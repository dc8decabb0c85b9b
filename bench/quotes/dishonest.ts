import type { Span, Writing } from './writings.ts'

interface Piece {
  readonly at: number
  readonly text: string
}

const piecesOf = (text: string, pattern: RegExp): Piece[] =>
  [...text.matchAll(pattern)].map((one) => ({ at: one.index ?? 0, text: one[0] }))

/** A word with others on both sides: without one at the end, what is left would be verbatim. */
function innerWord(text: string, random: Random): Piece | null {
  const words = piecesOf(text, /[A-Za-z]{2,}/g).filter(
    (one) => /\w/.test(text.slice(0, one.at)) && /\w/.test(text.slice(one.at + one.text.length)),
  )
  return words[random(words.length)] ?? null
}

const put = (text: string, at: number, length: number, by: string): string =>
  text.slice(0, at) + by + text.slice(at + length)

function changeUnit(text: string, pattern: RegExp, other: (unit: string) => string, random: Random): string | null {
  const units = piecesOf(text, pattern)
  const one = units[random(units.length)]
  return one === undefined ? null : put(text, one.at, one.text.length, other(one.text))
}

const nextLetter = (one: string): string =>
  one === 'z' ? 'a' : one === 'Z' ? 'A' : String.fromCharCode(one.charCodeAt(0) + 1)
const otherCase = (one: string): string => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())

type Write = Writing['write']
type Random = Parameters<Write>[1]
/** Changes a text at an inner word; null where the text has none. */
const atWord =
  (change: (text: string, word: Piece, random: Random) => string): Write =>
  ({ text }, random) => {
    const word = innerWord(text, random)
    return word === null ? null : change(text, word, random)
  }

const changes: readonly (readonly [string, Write])[] = [
  ['a word dropped', atWord((text, { at, text: { length } }) => put(text, at, length, '').replaceAll(/ {2,}/g, ' '))],
  ['a word added', atWord((text, { at }) => put(text, at, 0, 'never '))],
  ['a letter changed', ({ text }, random) => changeUnit(text, /[A-Za-z]/g, nextLetter, random)],
  ['a letter dropped', ({ text }, random) => changeUnit(text, /(?<=\w)[A-Za-z](?=\w)/g, () => '', random)],
  ['a digit changed', ({ text }, random) => changeUnit(text, /\d/g, (one) => `${(Number(one) + 1) % 10}`, random)],
  ['a sign changed', ({ text }, random) => changeUnit(text, /[-+](?=\d)/g, (one) => (one === '-' ? '+' : '-'), random)],
  ['case changed', ({ text }, random) => changeUnit(text, /[A-Za-z]/g, otherCase, random)],
  [
    'a gap in the middle',
    atWord((text, word, random) => put(text, word.at, word.text.length, ['…', '...', '[...]'][random(3)] ?? '…')),
  ],
  [
    'lines joined that are no neighbours',
    ({ part, text, end }) => {
      const lines = part.text.slice(end).split('\n')
      const later = lines.filter((line) => line.trim().length > 12)[3]
      return later === undefined || !text.includes('\n') ? null : `${text}\n${later}`
    },
  ],
  [
    'a line left out',
    ({ text }) => {
      const lines = text.split('\n')
      if (lines.length < 3 || lines[1]?.trim() === '') return null
      return [lines[0], ...lines.slice(2)].join('\n')
    },
  ],
  [
    'a negation dropped',
    ({ text }, random) => changeUnit(text, /(?<=\S\s*)(?:\bnot |\bno |\bnever |n't|! )(?=\S)/g, () => '', random),
  ],
  ['a minus dropped', ({ text }, random) => changeUnit(text, /(?<=\s)-+(?=\w)|(?<=\n)- /g, () => '', random)],
]

/** Wrappings that peel off, and leave the change. */
const frames: readonly ((quote: string, span: Span) => string)[] = [
  (quote) => `${quote}.`,
  (quote) => `<quote>${quote}</quote>`,
  (quote) => `line 4: ${quote}`,
  (quote) => `+${quote}`,
  (quote, { part }) => `[${part.actor}] ${quote}`,
  (quote, { part }) => `${part.name.split('.')[0]}(${quote})`,
  (quote, { part }) => `"${part.name.split('.').at(-1)}": ${JSON.stringify(quote)}`,
]

/** Writes a text bare and in each wrapping. */
export const framings = (text: string, span: Span): string[] => [text, ...frames.map((frame) => frame(text, span))]

/** What no quote may be: the text with a word, a letter, a sign or a line of it missing, added or changed. */
export const DISHONEST: readonly Writing[] = changes.flatMap(([kind, write]) => [
  { kind, honest: false, write },
  {
    kind: `${kind}, framed`,
    honest: false,
    write: (span, random) => {
      const quote = write(span, random)
      return quote === null ? null : (frames[random(frames.length)]?.(quote, span) ?? null)
    },
  },
])
