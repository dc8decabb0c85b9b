import { hereDocumentOf, leaves, leavesBy, type Taker, takerOf } from './typed-into.ts'

/** Text that another program than the shell may have taken. */
interface Taken {
  readonly text: string
  /** Where it stands in the source, where that is exact. */
  readonly start: number
}

/** What keys typed into a terminal give: lines that were entered, and what was erased again or never entered. */
interface Typed {
  readonly script: string
  /** Whether each character of the script stands at its own place in the source. */
  readonly exact: boolean
  readonly erased: readonly string[]
  readonly taken: readonly Taken[]
  /** More was erased than is kept: it may have been anything. */
  readonly exceeded: boolean
}

/** Units that are kept of what was erased, for each that was typed. */
const MOST_ERASED = 8

const KEY_NAMES =
  /^(?:C-[a-z\\]|M-[a-z]|\^[A-Z]|Escape|Esc|Up|Down|Left|Right|Home|End|PageUp|PageDown|PgUp|PgDn|NPage|PPage|Tab|BTab|BSpace|DC|IC|F\d{1,2}|Space|Enter|KPEnter)$/u
const ESCAPE = 0x1b
const ERASING = [0x03, 0x15, 0x04, ESCAPE]
/** Characters of keys that are given by name. */
const CONTROLS: Readonly<Record<string, number>> = {
  Escape: ESCAPE,
  Esc: ESCAPE,
  ...Object.fromEntries(
    ['C', 'D', 'U', 'X', 'Z'].flatMap((letter) => {
      const code = letter.charCodeAt(0) - 0x40
      return [`C-${letter.toLowerCase()}`, `^${letter}`].map((name) => [name, code])
    }),
  ),
}

export function readKeystrokes(text: string): Typed {
  const keys = text.startsWith('[') ? keysOf(text) : null
  const typist = new Typist(MOST_ERASED * text.length)
  for (const one of keys ?? [text]) typist.type(one)
  return typist.finish(keys === null)
}

function keysOf(text: string): string[] | null {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : null
  } catch {
    return null
  }
}

class Typist {
  private readonly lines: string[] = []
  private readonly erased: string[] = []
  private readonly taken: Taken[] = []
  private line = ''
  private length = 0
  private exact = true
  private taker: Taker | null = null
  /** In an editor with modes a command is one only behind Escape. */
  private escaped = false
  private hereDocument: string | null = null
  /** The line is the beginning of one that is kept as erased. */
  private isKept = false
  private left: number

  constructor(most: number) {
    this.left = most
  }

  type(keys: string): void {
    const name = keys.trim()
    const control = Object.hasOwn(CONTROLS, name) ? CONTROLS[name] : undefined
    if (name === 'Enter' || name === 'KPEnter') this.enter()
    else if (control !== undefined) this.press(control)
    else if (name === 'Space') this.add(' ')
    else if (name === 'BSpace' || name === 'C-h') this.shorten(this.line.slice(0, -1))
    else if (name === 'C-w') this.shorten(withoutWord(this.line))
    else if (KEY_NAMES.test(name)) this.exact = false
    else if (name === 'q' && this.taker === 'pager' && this.line === '') this.taker = null
    else this.typeText(keys)
  }

  private typeText(text: string): void {
    let start = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if ((code >= 0x20 && code !== 0x7f) || code === 0x09) continue
      this.add(text.slice(start, at))
      start = at + 1
      const isLineFeedOfReturn = code === 0x0a && text.charCodeAt(at - 1) === 0x0d
      if (isLineFeedOfReturn) this.exact = false
      else this.press(code)
    }
    this.add(text.slice(start))
  }

  private add(text: string): void {
    if (text === '') return
    this.line += text
    this.isKept = false
  }

  private press(code: number): void {
    if (code === 0x0a || code === 0x0d) this.enter()
    else if (code === 0x7f || code === 0x08) this.shorten(this.line.slice(0, -1))
    else if (code === 0x17) this.shorten(withoutWord(this.line))
    else if (ERASING.includes(code)) this.drop()
    else this.exact = false
    if (code === ESCAPE) this.escaped = true
    if (this.taker !== null && leavesBy(this.taker, code)) {
      this.drop()
      this.taker = null
    }
  }

  private enter(): void {
    const { line, taker } = this
    this.line = ''
    this.isKept = false
    const search = /^[/?]\S*/u.exec(line)?.[0] ?? ''
    const isSearch =
      search !== '' &&
      (taker === 'pager' || (taker === null && !search.slice(1).includes('/') && !search.includes('.')))
    const isEditor = line.startsWith(':') && line.length > 1 && line[1] !== ' '
    if (isSearch) {
      this.erased.push(line)
      this.push('')
      this.exact = false
    } else if (taker !== null || isEditor) this.give(line)
    else this.push(line)
    if (taker !== null) this.leave(taker, line)
    else if (!isSearch && !isEditor) this.follow(line)
  }

  /** To the program that takes the keys. */
  private give(line: string): void {
    this.taken.push({ text: line, start: this.length })
    this.push(' '.repeat(line.length))
  }

  private push(line: string): void {
    this.lines.push(line)
    this.length += line.length + 1
  }

  private leave(taker: Taker, line: string): void {
    if (leaves(taker, line) && (taker !== 'vi' || this.escaped)) this.taker = null
    else this.escaped &&= line.startsWith(':')
  }

  /** Lines of a here-document start nothing. */
  private follow(line: string): void {
    if (this.hereDocument !== null) {
      if (line.trim() === this.hereDocument) this.hereDocument = null
      return
    }
    this.hereDocument = hereDocumentOf(line)
    this.taker = takerOf(line)
    this.escaped = this.taker === 'vi'
  }

  private shorten(line: string): void {
    if (!this.isKept) this.keep()
    this.line = line
    this.exact = false
    this.isKept = true
  }

  private keep(): void {
    this.left -= this.line.length
    if (this.left < 0) return
    if (this.taker === null) this.erased.push(this.line)
    else this.taken.push({ text: this.line, start: 0 })
  }

  private drop(): void {
    this.shorten('')
  }

  finish(isText: boolean): Typed {
    const script = this.lines.map((line) => `${line}\n`).join('')
    const { exact } = this
    if (this.line !== '') this.drop()
    return { script, exact: exact && isText, erased: this.erased, taken: this.taken, exceeded: this.left < 0 }
  }
}

const withoutWord = (line: string): string => line.trimEnd().slice(0, Math.max(0, line.trimEnd().lastIndexOf(' ') + 1))
