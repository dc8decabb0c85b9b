import type { ShellReading } from '../reading.ts'
import { readAnchor } from '../syntax/anchor.ts'
import type { Write } from '../syntax/record.ts'
import type { Taken, Use } from '../syntax/use.ts'

/** One command that only looks, without quotes, expansions, redirections or options that write. */
const PLAIN_LOOK =
  /^(?:(?:cat|ls|head|tail|grep|wc|stat|pwd|nl)(?: [\w./:,=@%+-]{1,200}){0,12}|sed -n \d{1,9}(?:,\d{1,9})?p [\w./-]{1,200})$/u
const LONGEST = 400

export const isPlainLook = (text: string): boolean => text.length <= LONGEST && PLAIN_LOOK.test(text)

/** Most of what agents type: it writes and runs nothing, and only strings that share a word with it are worth a parser. */
export class LookReading implements ShellReading {
  readonly runs: readonly string[] = NONE
  readonly mayRun: ReadonlySet<string> = NO_WORDS
  readonly writes: readonly Write[] = NO_WRITES
  readonly isOne = true
  readonly takesFrom: readonly string[] = NONE
  readonly parsed = true
  private readonly text: string
  private readonly read: () => ShellReading
  private whole: ShellReading | null = null

  constructor(text: string, read: () => ShellReading) {
    this.text = text
    this.read = read
  }

  useOf(anchor: string): Use {
    return this.sharesWord(anchor) ? this.parse().useOf(anchor) : 'absent'
  }

  useAt(start: number, end: number): Taken {
    return this.parse().useAt(start, end)
  }

  looksAt(words: string): boolean {
    return this.sharesWord(words) && this.parse().looksAt(words)
  }

  private parse(): ShellReading {
    this.whole ??= this.read()
    return this.whole
  }

  private sharesWord(anchor: string): boolean {
    const { words, programs } = readAnchor(anchor)
    return words.some((word) => this.text.includes(word)) || programs.some((name) => this.text.startsWith(name))
  }
}

const NONE: readonly string[] = []
const NO_WORDS: ReadonlySet<string> = new Set()
const NO_WRITES: readonly Write[] = []
