import { lengthOf, readEscape, unitOf } from '../text/decode.ts'
import { hiddenUnits, isMark, plainLetter, undisguised } from '../text/disguises.ts'
import { endOfAnsi } from '../text/fold.ts'
import { endOfLineMarks, isPlainLine, type LineBefore } from '../text/line-marks.ts'
import { isWord } from '../text/search.ts'

/**
 * The form in which sights are searched for: no white space, no control sequences, no case, no disguise. What may be left out or read
 * otherwise (the marks of a line, an escape) stays in, as a *block*: a match takes a block as it stands, or its reading.
 */

/** Set in `from` where something was dropped before the unit: no word goes on there. */
const GAP = 1 << 31
const OFFSET = 0x7fffffff

/** Reads one text after the other into the same memory: about eight bytes a character of the longest. */
export class Skeleton {
  codes: Uint16Array = new Uint16Array(1024)
  length = 0
  /** Three numbers a block: first unit, one past the last, and the unit that it stands for (0: none). In order, apart from each other. */
  blocks: Int32Array = new Int32Array(96)
  blockCount = 0
  private from = new Int32Array(1024)
  private gap = GAP
  /** The text's own units: a typed array is read several times faster than a string. */
  private units = new Uint16Array(1024)
  private bytes = Buffer.from(this.units.buffer)

  /** Where the unit stands in the source. */
  offset(unit: number): number {
    return (this.from[unit] ?? 0) & OFFSET
  }

  /** One past the unit in the source, and past the marks that are one with it. */
  end(unit: number): number {
    let end = this.offset(unit) + 1
    while (FOLDED[this.units[end] ?? 0] === HIDDEN && isMark(this.units[end] ?? 0)) end++
    return end
  }

  /** Whether no word goes on from the unit before. */
  isApart(unit: number): boolean {
    return unit >= this.length || (this.from[unit] ?? 0) < 0
  }

  read(text: string): this {
    this.reset(text)
    const { codes, from, units } = this
    const size = text.length
    const before: LineBefore = { number: -1, file: '' }
    let at = this.readLineMarks(text, 0, endOfLineMarks(text, 0, before))
    let { length, gap } = this
    for (; at < size; at++) {
      const code = FOLDED[units[at] as number] as number
      if (code >= SPACE) {
        // Without a branch: which of the two it is, no processor foresees.
        const isUnit = (SPACE - code) >>> 31
        codes[length] = code
        from[length] = at | gap
        length += isUnit
        gap = (isUnit - 1) & GAP
        continue
      }
      if (code === NEWLINE && !isLineEndMark(codes[length - 1] as number)) {
        gap = GAP
        if (isPlainLine(units, at + 1)) {
          before.number = -1
          before.file = ''
          continue
        }
        this.length = length
        at = this.readLineMarks(text, at + 1, endOfLineMarks(text, at + 1, before)) - 1
      } else {
        this.length = length
        this.gap = gap
        at = this.readSpecial(text, at, code, before) - 1
      }
      length = this.length
      gap = this.gap
    }
    this.length = length
    return this
  }

  /** What is neither a letter nor a blank; where it ends. A unit that is met for the first time is read again. */
  private readSpecial(text: string, at: number, code: number, before: LineBefore): number {
    if (code < HIDDEN) {
      foldOf(text.charCodeAt(at))
      return at
    }
    if (code === OPENER) return this.readOpener(text, at, before)
    if (code !== NEWLINE) return this.readHidden(text, at, code)
    this.markLineEnd()
    return this.readLineMarks(text, at + 1, endOfLineMarks(text, at + 1, before))
  }

  private reset(text: string): void {
    const size = text.length
    if (this.units.length <= size) {
      this.codes = new Uint16Array(size + 1)
      this.from = new Int32Array(size + 1)
      this.units = new Uint16Array(size + 1)
      this.bytes = Buffer.from(this.units.buffer)
    }
    this.bytes.write(text, 'utf16le')
    this.units[size] = 0
    this.length = 0
    this.blockCount = 0
    this.gap = GAP
  }

  private readHidden(text: string, at: number, code: number): number {
    if (code === HIDDEN) return this.readDisguise(text, at)
    if (text.charCodeAt(at) === BACKSPACE) return this.readBackspace(at)
    const end = endOfAnsi(text, at, text.length)
    if (end > at) return end
    this.put(LONE_ESCAPE, at)
    return at + 1
  }

  /** What is struck over shows no more: `c\bc` and `_\bc` of a manual page are one letter. */
  private readBackspace(at: number): number {
    const last = this.length - 1
    if (last >= this.blocked && this.offset(last) === at - 1) {
      this.gap |= (this.from[last] ?? 0) & GAP
      this.length = last
    }
    return at + 1
  }

  /** Where the last block ends. */
  private get blocked(): number {
    return this.blockCount === 0 ? 0 : (this.blocks[this.blockCount * 3 - 2] ?? 0)
  }

  /** An accent and its like are one with the letter before them. */
  private readMark(text: string, at: number): number {
    const last = this.length - 1
    const unit = last < this.blocked ? 0 : foldOf(composed(text.slice(this.offset(last), at + 1)))
    if (unit > SPACE) this.codes[last] = unit
    else this.put(text.charCodeAt(at), at)
    return at + 1
  }

  /** The same for one that is written as an escape, from `start` on. */
  private addMark(text: string, start: number, mark: number): void {
    const block = this.blockCount * 3 - 3
    const before = this.blocked === start ? this.escapedBefore(text, start, block) : 0
    const isNext = start > this.blocked && !this.isApart(start)
    const letter = before > SPACE ? String.fromCharCode(before) : isNext ? (text[this.offset(start - 1)] ?? '') : ''
    const unit = foldOf(composed(letter + String.fromCharCode(mark)))
    if (unit <= SPACE) this.addBlock(start, mark)
    else if (before <= SPACE) this.addBlock(start - 1, unit)
    else {
      this.blocks[block + 1] = this.length
      this.blocks[block + 2] = unit
    }
  }

  /** What the last block stands for: one escape for its own letter, which may look like another, several for what they make. */
  private escapedBefore(text: string, start: number, block: number): number {
    const from = this.offset(this.blocks[block] ?? 0)
    const read = readEscape(text, from)
    return from + lengthOf(read) === this.offset(start) ? unitOf(read) : (this.blocks[block + 2] ?? 0)
  }

  private readDisguise(text: string, at: number): number {
    if (isMark(text.charCodeAt(at))) return this.readMark(text, at)
    const letter = plainLetter(text, at)
    if (letter === 0) return at + Math.max(1, hiddenUnits(text, at))
    this.put(foldOf(letter), at)
    return at + 2
  }

  /** What a frame or `cat -A` puts behind a line may be left out. */
  private markLineEnd(): void {
    const last = this.length - 1
    if (last >= this.blocked && isLineEndMark(this.codes[last] ?? 0)) this.addBlock(last, 0)
  }

  /** What stands from `at` to `end` are the marks of a line. */
  private readLineMarks(text: string, at: number, end: number): number {
    this.gap = GAP
    if (end === at) return at
    const start = this.length
    for (let next = at; next < end; next++) {
      const code = foldOf(text.charCodeAt(next))
      if (code > SPACE) this.put(code, next)
      else if (code === OPENER) this.put(text.charCodeAt(next), next)
      else if (code === CONTROL) next = this.readHidden(text, next, code) - 1
      else if (code === SPACE) this.gap = GAP
    }
    this.addMarks(start)
    this.gap = GAP
    return end
  }

  /** One block a mark: the last of them may be the first word of a text that was wrapped there. */
  private addMarks(start: number): void {
    const end = this.length
    let from = start
    let isNumber = false
    for (let unit = start; unit < end; unit++) {
      const code = this.codes[unit] ?? 0
      const isOther = !isNumber && unit > from && code !== this.codes[unit - 1] && !isWord(code)
      if (unit > from && (this.isApart(unit) || isOther)) {
        this.addBlock(from, 0, unit)
        from = unit
        isNumber = false
      }
      isNumber ||= isWord(code)
    }
    this.addBlock(from, 0, end)
  }

  /** An escape becomes a block. A backslash before anything else that is no word may be left out; what follows it is no escape. */
  private readOpener(text: string, at: number, before: LineBefore): number {
    if (text.charCodeAt(at) === PLUS) return this.readPlus(text, at)
    const start = this.length
    const read = readEscape(text, at)
    if (read === 0) {
      this.put(text.charCodeAt(at), at)
      if (text.charCodeAt(at) !== 0x5c || at + 1 === text.length || !isPunctuation(text.charCodeAt(at + 1)))
        return at + 1
      this.addBlock(start, 0)
      this.put(text.charCodeAt(at + 1), at + 1)
      return at + 2
    }
    const end = at + lengthOf(read)
    for (let next = at; next < end; next++) {
      const code = foldOf(text.charCodeAt(next))
      if (code > SPACE) this.put(code, next)
      else if (code === OPENER) this.put(text.charCodeAt(next), next)
    }
    const unit = foldOf(unitOf(read))
    if (isMark(unitOf(read))) this.addMark(text, start, unitOf(read))
    else this.addBlock(start, unit === OPENER ? unitOf(read) : unit > SPACE ? unit : 0)
    if (unit === NEWLINE) return this.readLineMarks(text, end, endOfLineMarks(text, end, before))
    if (unit <= SPACE || isPunctuation(unit)) this.gap = GAP
    return end
  }

  /** What may be left out: the `+` that an address or a form has for a blank, and the marks of a word diff, `{+added+}`. */
  private readPlus(text: string, at: number): number {
    const opens = text[at - 1] === '{'
    const closes = text[at + 1] === '}'
    const start = opens ? this.length - 1 : this.length
    this.put(PLUS, at)
    if (closes) this.put(0x7d, at + 1)
    if (opens || closes || (isJoined(text.charCodeAt(at - 1)) && isJoined(text.charCodeAt(at + 1)))) {
      this.addBlock(start, 0)
      this.gap = GAP
    }
    return closes ? at + 2 : at + 1
  }

  private put(code: number, at: number): void {
    this.codes[this.length] = code
    this.from[this.length++] = at | this.gap
    this.gap = 0
  }

  /** Whether all units of the range stand in blocks: a match may go on behind it. */
  isBlock(from: number, to: number): boolean {
    let low = 0
    let high = this.blockCount
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.blocks[middle * 3] ?? 0) <= from) low = middle + 1
      else high = middle
    }
    let reached = from
    for (let block = low - 1; block >= 0 && block < this.blockCount && reached < to; block++) {
      if ((this.blocks[block * 3] ?? 0) > reached || (this.blocks[block * 3 + 1] ?? 0) <= reached) break
      reached = this.blocks[block * 3 + 1] ?? 0
    }
    return reached >= to
  }

  private addBlock(start: number, unit: number, end = this.length): void {
    if (end === start) return
    if ((this.blockCount + 1) * 3 > this.blocks.length) {
      const grown = new Int32Array(this.blocks.length * 2)
      grown.set(this.blocks)
      this.blocks = grown
    }
    const at = this.blockCount * 3
    this.blocks[at] = start
    this.blocks[at + 1] = end
    this.blocks[at + 2] = unit
    this.blockCount++
  }
}

const isLineEndMark = (code: number): boolean => code === 0x24 || code === 0x7c || (code >= 0x2500 && code <= 0x259f)

/** What can stand beside a `+` that is a blank. */
const isJoined = (code: number): boolean => code > 0x20 && code !== PLUS

/** How a unit is treated; any larger value of the table is the unit's own folded form. */
const UNKNOWN = 0
const HIDDEN = 1
const CONTROL = 2
const OPENER = 3
const NEWLINE = 4
const SPACE = 5
/** Added to what would be taken for one of these. */
const MOVED = 0xe000
/** An escape character that begins nothing. */
const LONE_ESCAPE = MOVED + 1
/** The first unit of tags and of the variation selectors of the last plane, which show nothing. */
const HIGH_OF_TAGS = 0xdb40
/** The first unit of mathematical letters, which look like plain ones. */
const HIGH_OF_STYLED = 0xd835

/** By UTF-16 unit: how it is treated, else its folded form. `UNKNOWN` until `foldOf` was asked for it: texts use few of all units. */
const FOLDED = new Uint16Array(0x10000)

function foldOf(code: number): number {
  const known = FOLDED[code] ?? UNKNOWN
  if (known !== UNKNOWN) return known
  const folded = foldUnit(code)
  FOLDED[code] = folded
  return folded
}

const ESCAPE = 0x1b
const BACKSPACE = 0x08
const PLUS = 0x2b
/** What an escape begins with, `\\`, `&`, `%`, `^`; a tag, `<`; and `+`. */
const OPENERS = [0x5c, 0x26, 0x25, 0x5e, 0x3c, PLUS]

function foldUnit(code: number): number {
  if (code === ESCAPE || code === BACKSPACE) return CONTROL
  if (code === 0x0a || code === 0x0d) return NEWLINE
  if (OPENERS.includes(code)) return OPENER
  if ((code >= 0x2010 && code <= 0x2015) || code === 0x2212) return 0x2d
  if (code >= 0x2018 && code <= 0x201f) return code <= 0x201b ? 0x27 : 0x22
  const char = String.fromCharCode(code)
  if (isMark(code)) return HIDDEN
  if (code === HIGH_OF_TAGS || code === HIGH_OF_STYLED || hiddenUnits(char, 0) > 0) return HIDDEN
  // Between the letters of a text of two bytes each; and behind each of several that are ended by it.
  if (code === 0) return SPACE
  if (char.trim() === '') return SPACE
  const lower = String.fromCharCode(undisguised(code)).toLowerCase()
  const folded = lower.length === 1 ? lower.charCodeAt(0) : code
  return folded <= SPACE ? MOVED + folded : folded
}

/** Visible ASCII that is no word’s unit. */
const isPunctuation = (code: number): boolean => code > 0x20 && code < 0x7f && !isWord(code)

/** The one unit that a letter and its marks make; 0: none. */
function composed(text: string): number {
  const one = text.length > 8 ? '' : text.normalize('NFC')
  return one.length === 1 ? one.charCodeAt(0) : 0
}
