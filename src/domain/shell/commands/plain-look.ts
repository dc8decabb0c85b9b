import type { ShellReading } from '../reading.ts'
import { readAnchor } from '../syntax/anchor.ts'
import { programOf } from './command-table.ts'

/** One command that only looks, without quotes, expansions, redirections or options that write. */
const PLAIN_LOOK =
  /^(?:(?:cat|ls|head|tail|grep|wc|stat|pwd|nl)(?: [\w./:,=@%+-]{1,200}){0,12}|sed -n \d{1,9}(?:,\d{1,9})?p [\w./-]{1,200})$/u
const LONGEST = 400

export const isPlainLook = (text: string): boolean => text.length <= LONGEST && PLAIN_LOOK.test(text)

/** Most of what agents type: it writes and runs nothing, and only strings that share a word with it are worth a parser. */
export function lookReading(text: string, read: () => ShellReading): ShellReading {
  let whole: ShellReading | null = null
  const parsed = (): ShellReading => {
    whole ??= read()
    return whole
  }
  const sharesWord = (anchor: string): boolean =>
    readAnchor(anchor).needles.some((needle) =>
      needle.split(' ').some((word) => text.includes(word) || text.startsWith(programOf(word))),
    )
  return {
    useOf: (anchor) => (sharesWord(anchor) ? parsed().useOf(anchor) : 'absent'),
    useAt: (start, end) => parsed().useAt(start, end),
    looksAt: (words) => sharesWord(words) && parsed().looksAt(words),
    runs: [],
    mayRun: new Set(),
    writes: [],
    isOne: true,
    takesFrom: [],
    parsed: true,
  }
}
