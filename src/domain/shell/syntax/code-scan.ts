import type { Block } from './code-blocks.ts'

/** A text in quotation marks. */
export interface Literal {
  readonly text: string
  /** What stands before and behind it, to tell a list from several arguments. */
  readonly listed: boolean
  /** Where it stands in its statement. */
  readonly at: number
  /** It is given by name, as input or as a setting. */
  readonly isSetting: boolean
}

const SETTING = /[\w"']\s*[=:]\s*[fbru]{0,2}$/u
const COMMAND_SETTING = /(?:args|cmd|command|commands|argv)["']?\s*[=:]\s*[fbru]{0,2}$/iu

/** A statement with its literals. */
export interface Statement extends Block {
  readonly text: string
  readonly literals: readonly Literal[]
}

/** Reads statements: each ends with its line, or with the bracket that is open at the end of it. Linear. */
export class CodeScan {
  private at = 0
  private text = ''
  private bare = ''
  private filled = ''
  private continues = false
  private literals: Literal[] = []
  private readonly open: string[] = []
  private readonly code: string
  private readonly marks: readonly string[]
  private readonly blocks: boolean

  constructor(code: string, marks: readonly string[], blocks: boolean) {
    this.code = code
    this.marks = marks
    this.blocks = blocks
  }

  *statements(comments: string[]): Generator<Statement> {
    while (this.at < this.code.length) {
      const character = this.code[this.at] ?? ''
      if (this.isComment()) comments.push(this.comment())
      else if (`'"\``.includes(character)) this.literal(character)
      else if ((character === '\n' || character === ';') && this.open.length === 0) {
        this.at++
        yield this.finish(character === ';')
      } else this.plain(character)
    }
    yield this.finish(false)
  }

  private isComment(): boolean {
    const before = this.code[this.at - 1]
    const mark = this.marks.find((one) => this.code.startsWith(one, this.at))
    if (mark !== undefined)
      return before === undefined || ' \t\n;'.includes(before) || mark === '//' ? before !== ':' : false
    return this.blocks && this.code.startsWith('/*', this.at)
  }

  private comment(): string {
    const start = this.at
    const block = this.code.startsWith('/*', start)
    const end = this.code.indexOf(block ? '*/' : '\n', start)
    this.at = end === -1 ? this.code.length : block ? end + 2 : end
    return this.code.slice(start, this.at)
  }

  private literal(quote: string): void {
    const triple = quote.repeat(3)
    const closer = quote !== '`' && this.code.startsWith(triple, this.at) ? triple : quote
    const start = this.at + closer.length
    let end = start
    while (end < this.code.length && !this.code.startsWith(closer, end)) {
      if (closer === quote && quote !== '`' && this.code[end] === '\n') break
      end += this.code[end] === '\\' ? 2 : 1
    }
    end = Math.min(end, this.code.length)
    const text = unescaped(this.code.slice(start, end))
    const before = this.code.slice(Math.max(0, this.at - 40), this.at)
    const isSetting = SETTING.test(before) && !COMMAND_SETTING.test(before)
    this.literals.push({ text, listed: this.open.at(-1) === '[', at: this.text.length, isSetting })
    this.text += quote + text + quote
    this.bare += quote + quote
    if (text.includes('{')) this.filled += ` ${text}`
    this.at = Math.min(end + closer.length, this.code.length)
  }

  private plain(character: string): void {
    if ('([{'.includes(character) && this.open.length < 1000) this.open.push(character)
    else if (')]}'.includes(character)) this.open.pop()
    this.text += character
    this.bare += character
    this.at++
    // A block is no bracket that joins lines.
    if (character === '{' && this.code[this.at] === '\n') this.open.pop()
  }

  private finish(continued: boolean): Statement {
    const { text, bare, filled, continues, literals } = this
    this.continues = continued
    this.text = ''
    this.bare = ''
    this.filled = ''
    this.literals = []
    return { text, bare, filled, continues, literals }
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', "'": "'", '\\': '\\', '`': '`' }

function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  let out = ''
  for (let at = 0; at < text.length; at++) {
    const plain = text[at] === '\\' ? ESCAPES[text[at + 1] ?? ''] : undefined
    out += plain ?? text[at]
    if (plain !== undefined) at++
  }
  return out
}
