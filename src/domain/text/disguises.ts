/**
 * Ways of writing that hide a string from a search but not from a reader: characters that show nothing, and letters that look like others. A search
 * sees through all of them, a quote only through those that change no letter.
 */

/** Letters that look like Latin ones in most fonts (a selection of Unicode’s confusables): Cyrillic, Greek, Armenian. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'а',
  c: 'сϲ',
  d: 'ԁ',
  e: 'е',
  h: 'һ',
  i: 'і',
  j: 'јϳ',
  l: 'ӏ',
  n: 'ո',
  o: 'оοօ',
  p: 'рρ',
  q: 'ԛ',
  s: 'ѕ',
  u: 'ս',
  v: 'ѵν',
  w: 'ԝ',
  x: 'х',
  y: 'у',
  A: 'АΑ',
  B: 'ВΒ',
  C: 'СϹ',
  E: 'ЕΕ',
  H: 'НΗ',
  I: 'ІΙӀ',
  J: 'ЈͿ',
  K: 'КΚ',
  M: 'МΜ',
  N: 'Ν',
  O: 'ОΟՕ',
  P: 'РΡ',
  S: 'Ѕ',
  T: 'ТΤ',
  X: 'ХΧ',
  Y: 'ҮΥ',
  Z: 'Ζ',
}

const LATIN = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([latin, others]) =>
    [...others].map((other) => [other.charCodeAt(0), latin.charCodeAt(0)] as const),
  ),
)

/** Unicode’s “default ignorable” characters of the first plane; tags and variation selectors of the others begin with U+DB40. */
const HIDDEN =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\udb40'

/** One character class: nothing to backtrack. */
const SHOWS_NOTHING = new RegExp(`[${HIDDEN}]`)

/** How many units at `at` show nothing; 0: the character shows. */
export function hiddenUnits(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < 0xad || !SHOWS_NOTHING.test(text.charAt(at))) return 0
  if (code !== 0xdb40) return 1
  const next = text.charCodeAt(at + 1)
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 0
}

/**
 * Characters that only steer the display: the soft hyphen, zero-width characters, direction marks and isolates, variation selectors. A quote may leave
 * them out. Overrides of the direction (U+202D, U+202E) change the order of the letters, tags can be read by a model: both must be quoted.
 */
const STEERING = '\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202c\\u2060\\u2066-\\u2069\\ufe00-\\ufe0f\\ufeff'
const STEERS = new RegExp(`[${STEERING}]`)

export const isInvisible = (code: number): boolean => code >= 0xad && STEERS.test(String.fromCharCode(code))

/**
 * Marks that a letter before them may be one with: accents, the voice marks of kana, the parts of a Hangul syllable. One character class: nothing to
 * backtrack.
 */
const MARKS = /[\u0300-\u034e\u0350-\u036f\u0653-\u0655\u1161-\u1175\u11a8-\u11c2\u3099\u309a]/

export const isMark = (code: number): boolean => code >= 0x300 && MARKS.test(String.fromCharCode(code))

/** Composes a letter and a mark (Unicode’s normal form C); 0: they make no single unit. */
export function composed(letter: number, mark: number): number {
  const both = String.fromCharCode(letter, mark).normalize('NFC')
  return both.length === 1 ? both.charCodeAt(0) : 0
}

/** The unit that a look-alike or a full-width letter passes for; any other unit is itself. */
export function undisguised(code: number): number {
  if (code < 0x370) return code
  if (code >= 0xff01 && code <= 0xff5e) return code - 0xfee0
  return LATIN.get(code) ?? code
}

const MATHEMATICAL = 0x1d400
const plainLetters: (number | undefined)[] = []

/** The ASCII letter or digit that a mathematical one at `at` (two units) passes for; 0: none stands there. */
export function plainLetter(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0
  if (code < MATHEMATICAL || code > 0x1d7ff) return 0
  const known = plainLetters[code - MATHEMATICAL]
  if (known !== undefined) return known
  const plain = String.fromCodePoint(code).normalize('NFKC')
  const letter = plain.length === 1 && plain < '\u0080' ? plain.charCodeAt(0) : 0
  plainLetters[code - MATHEMATICAL] = letter
  return letter
}
