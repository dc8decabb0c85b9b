/** A range of UTF-16 offsets, end exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Numbers of an edit: its start and end in the text, then those in the base. */
const EDIT = 4

/**
 * A text that passes have made of a source, with the way back. Text and base are equal in length but for the edits, which are in order, four numbers each:
 * the units of an edit stand for all of its range of the base, every other unit for the unit at its own place.
 */
export class NormalText {
  readonly text: string
  readonly edits: ArrayLike<number>
  /** The text before the last pass; null: the source. */
  private readonly base: NormalText | null

  constructor(text: string, edits: ArrayLike<number> = [], base: NormalText | null = null) {
    this.text = text
    this.edits = edits
    this.base = base
  }

  /** Takes `source[start, end)` as it stands. */
  static piece(source: string, start: number, end: number): NormalText {
    return new NormalText(source.slice(start, end), [0, 0, 0, start])
  }

  /** Finds the source range of `text[start, end)`. */
  range(start: number, end: number): Range {
    return { start: this.toSource(start, 0), end: this.toSource(end - 1, 1) }
  }

  /** Finds the first unit that begins at or behind a source offset. */
  unitAt(offset: number): number {
    const inBase = this.base?.unitAt(offset) ?? offset
    const edit = this.lastEdit(2, inBase - 1)
    const behind = Math.max(0, inBase - (this.edits[edit + 3] ?? 0))
    return Math.min((this.edits[edit + 1] ?? 0) + behind, this.text.length)
  }

  /** `side`: 0 is the beginning of the unit, 1 its end. */
  private toSource(at: number, side: 0 | 1): number {
    const edit = this.lastEdit(0, at)
    const end = this.edits[edit + 1] ?? 0
    const inBase = at < end ? (this.edits[edit + 2 + side] ?? 0) : at + side + (this.edits[edit + 3] ?? 0) - end
    return this.base === null ? inBase : this.base.toSource(inBase - side, side)
  }

  /** Finds the last edit of which a number is at most `most`; negative: there is none. */
  private lastEdit(member: number, most: number): number {
    let low = 0
    let high = this.edits.length / EDIT
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.edits[middle * EDIT + member] ?? 0) <= most) low = middle + 1
      else high = middle
    }
    return (low - 1) * EDIT
  }
}

/** Rewrites the matches of a pattern; null: none begins there. Of an equally long writing each unit keeps its place. */
export function rewrite(
  source: NormalText,
  pattern: RegExp,
  write: (match: RegExpExecArray) => string | null,
): NormalText {
  const { text } = source
  const edits: number[] = []
  /** The text that is written, and the unit of the source up to which it is. */
  let [out, at] = ['', 0]
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [there] = match
    const written = write(match)
    if (written === null) pattern.lastIndex = match.index + 1
    if (written === null || written === there) continue
    out += text.slice(at, match.index)
    at = pattern.lastIndex
    if (written.length !== there.length) edits.push(out.length, out.length + written.length, match.index, at)
    out += written
  }
  return at === 0 ? source : new NormalText(out + text.slice(at), Uint32Array.from(edits), source)
}

/** Drops the given ranges, which are in order and apart; the text itself where none is given. */
export function dropRanges(source: NormalText, ranges: readonly Range[]): NormalText {
  if (ranges.length === 0) return source
  const edits: number[] = []
  let [text, at] = ['', 0]
  for (const { start, end } of ranges) {
    text += source.text.slice(at, start)
    edits.push(text.length, text.length, start, end)
    at = end
  }
  return new NormalText(text + source.text.slice(at), Uint32Array.from(edits), source)
}

// Disguises hide a string from a search: a search sees through all, a quote only through those that change no letter.

/** Latin letters, each before those that look like it in most fonts (a selection of Unicode’s confusables): Cyrillic, Greek, Armenian. */
const LOOK_ALIKES =
  'aа cсϲ dԁ eе hһ iі jјϳ lӏ nո oоοօ pрρ qԛ sѕ uս vѵν wԝ xх yу AАΑ BВΒ CСϹ EЕΕ HНΗ IІΙӀ JЈͿ KКΚ MМΜ NΝ OОΟՕ PРΡ SЅ TТΤ XХΧ YҮΥ ZΖ'

const LATIN = new Map(
  LOOK_ALIKES.split(' ').flatMap(([latin = '', ...others]) =>
    others.map((other) => [other.charCodeAt(0), latin.charCodeAt(0)] as const),
  ),
)

/** Look-alikes and full-width letters: one character class. */
const DISGUISED = `${[...LATIN.keys()].map((code) => String.fromCharCode(code)).join('')}\\uff01-\\uff5e`

/** Unicode’s “default ignorable” characters of the first plane; tags and variation selectors of the others. */
export const HIDDEN =
  '[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0]|\\udb40[\\udc00-\\udfff]'

/**
 * Characters that only steer the display: the soft hyphen, zero-width characters, direction marks and isolates, variation selectors. A quote may leave
 * them out. Overrides of the direction (U+202D, U+202E) change the order of the letters, tags can be read by a model: both must be quoted.
 */
export const STEERING = '\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202c\\u2060\\u2066-\\u2069\\ufe00-\\ufe0f\\ufeff'

/** Marks that a letter before them may be one with: accents, the voice marks of kana, the parts of a Hangul syllable. */
export const MARKS = '\\u0300-\\u034e\\u0350-\\u036f\\u0653-\\u0655\\u1161-\\u1175\\u11a8-\\u11c2\\u3099\\u309a'

/** Finds the unit that a look-alike or a full-width letter passes for; any other unit is itself. */
export function undisguised(code: number): number {
  if (code < 0x370) return code
  if (code >= 0xff01 && code <= 0xff5e) return code - 0xfee0
  return LATIN.get(code) ?? code
}

/** Blocks of ligatures and other compatibility forms (`ﬁ`, `①`, `ª`), and mathematical letters. */
export const FORMED =
  '[\\u00aa-\\u00ba\\u0132\\u0133\\u017f\\u01c7-\\u01f3\\u02b0-\\u02e3\\u1d2c-\\u1dbb\\u2070-\\u209c\\u2102-\\u217f\\u2460-\\u24ea\\u2c7c\\u2c7d\\u3250-\\u33ff\\ua7f1-\\ua7f4\\ufb00-\\ufb06\\uff10-\\uff5a]|\\ud835[\\udc00-\\udfff]'

/** Reads a compatibility form as the ASCII letters and digits that it stands for; null: as none. */
export function plainForm(formed: string): string | null {
  const plain = formed.normalize('NFKC')
  return /^[0-9A-Za-z]{1,3}$/.test(plain) ? plain : null
}

/**
 * The passes that make two writings of one text equal. `white_space`, `typographic_quotes` and `unicode` are strict: no letter, digit or symbol is lost
 * or invented (design rule 3.2). `ansi` drops control sequences of terminals whole; operating system commands (window titles, links) stay: their
 * payload could hide words.
 */
export interface Passes {
  readonly ansi?: boolean
  /** A letter and its marks become the one that they make; characters that only steer the display are dropped; U+2011 becomes a hyphen. */
  readonly unicode?: boolean
  readonly typographic_quotes?: boolean
  /** Drops characters that show nothing and reads look-alikes as the letters that they look like: for searches, never for quotes. */
  readonly disguises?: boolean
  /** Runs of white space become one space; white space at the beginning is dropped. */
  readonly white_space?: boolean
  /** Tells white space with a line break, with a tab (as a vertical one, which folds as well), and without either apart. */
  readonly breaks?: boolean
}

/** The tail of a control sequence behind its escape character: CSI, and the two and three byte escapes. */
export const ANSI_TAIL = '(?:\\[[0-?]*[ -/]*[@-~]|[ -/][^]|[=>78])'
const ANSI = new RegExp(`\\u001b${ANSI_TAIL}`, 'g')
const BLANKS = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
/** All white space but for single spaces between words. */
const WHITE_SPACE = new RegExp(`^[${BLANKS}]+|[${BLANKS.replace(' ', '')}][${BLANKS}]*| [${BLANKS}]+`, 'g')
const TYPOGRAPHIC_QUOTES = /[\u2018-\u201f]/g
/** Steering belongs to the character before it. */
const MARKED = new RegExp(`[^]?[${MARKS}${STEERING}]+|\\u2011`, 'g')
const STEERS = new RegExp(`[${STEERING}]`, 'g')
const HIDES = new RegExp(HIDDEN, 'g')
const DISGUISES = new RegExp(`[${DISGUISED}]`, 'g')
/** Text with more to fold than white space. */
export const MAY_HIDE = /[^\t-\r -~]/

/** White space, typographic quotes and disguises folded, ANSI sequences dropped: the form in which texts are compared that are not equal. */
const FOR_SEARCH: Passes = { ansi: true, white_space: true, typographic_quotes: true, disguises: true }

/** Folds a text without its places: by one native replacement, where only white space is to fold. */
export function foldText(text: string, passes = FOR_SEARCH): string {
  if (passes.breaks || !passes.white_space || MAY_HIDE.test(text)) return fold(new NormalText(text), passes).text
  return text.trimStart().replaceAll(WHITE_SPACE, ' ')
}

/** Folds a text and keeps the places. Linear. */
export function fold(source: NormalText, passes: Passes): NormalText {
  let text = passes.ansi ? dropAnsi(source) : source
  if (passes.unicode)
    text = rewrite(text, MARKED, ([there]) => there.replace(STEERS, '').replaceAll('\u2011', '-').normalize('NFC'))
  if (passes.disguises)
    text = rewrite(dropHidden(text), DISGUISES, ([unit]) => String.fromCharCode(undisguised(unit.charCodeAt(0))))
  if (passes.typographic_quotes) text = rewrite(text, TYPOGRAPHIC_QUOTES, ([quote]) => (quote <= '\u201b' ? "'" : '"'))
  if (!passes.white_space) return text
  return rewrite(text, WHITE_SPACE, ({ 0: blanks, index }) =>
    index === 0 ? '' : blankOf(passes.breaks ? blanks : ' '),
  )
}

function blankOf(blanks: string): string {
  if (/[\r\n]/.test(blanks)) return '\n'
  return blanks.includes('\t') ? '\v' : ' '
}

/** Drops the control sequences of terminals; the text itself where none stands in it. */
export const dropAnsi = (source: NormalText): NormalText => rewrite(source, ANSI, () => '')

export const dropHidden = (source: NormalText): NormalText => rewrite(source, HIDES, () => '')
