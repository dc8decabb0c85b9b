import { wordSet } from '../../text/words.ts'
import { commandIn, isDry, subcommandOf } from '../commands/command-kinds.ts'
import { INTERPRETERS } from '../commands/command-table.ts'
import { programIn } from '../commands/program-words.ts'

/** A program that takes the keys that follow, by how it is left. */
export type Taker = 'vi' | 'editor' | 'pager' | 'prompt' | 'input'

const VI = wordSet('vi vim nvim view vimdiff ex visudo vipw')
const EDITORS = wordSet('nano pico emacs micro joe hx helix mcedit ne jed')
const PAGERS = wordSet('less more most man info top htop tig journalctl')
const PROMPTS = wordSet(
  'ed bc dc gdb lldb ftp sftp lftp telnet nc ncat irb pry ghci R julia iex erl jshell scala clj pdb mongosh mongo',
)
const GIT_PAGED = wordSet('log diff show blame reflog')
const HERE_DOCUMENT = /(?:^|[^<])<<-?[ \t]*["'\\]?([A-Za-z_][\w.-]*)/u

/** The word that ends the here-document which a line opens. */
export const hereDocumentOf = (line: string): string | null => HERE_DOCUMENT.exec(line)?.[1] ?? null

/** What takes the keys after a line was entered; null: the shell. */
export function takerOf(line: string): Taker | null {
  const last = line.slice(Math.max(line.lastIndexOf(';'), line.lastIndexOf('&& ') + 1, 0)).replace(/^[;&]/u, '')
  const isPiped = last.includes('|')
  const stage = last.slice(last.lastIndexOf('|') + 1)
  const { name, words } = commandIn(stage.trim().split(/\s+/u))
  if (stage.includes('<<') || /&\s*$/u.test(stage) || isDry(name, words)) return null
  if (PAGERS.has(name) || (name === 'git' && GIT_PAGED.has(subcommandOf(words) ?? '')))
    return /--no-pager|>/u.test(stage) ? null : 'pager'
  if (isPiped || stage.includes('<')) return null
  if (VI.has(name) || opensEditor(name, words)) return 'vi'
  if (EDITORS.has(name)) return 'editor'
  if (PROMPTS.has(name)) return 'prompt'
  if (Object.hasOwn(INTERPRETERS, name)) {
    const { code, file } = programIn(name, words)
    return code.length === 0 && file === null ? 'prompt' : null
  }
  return readsKeys(name, words) ? 'input' : null
}

/** `git commit` and `crontab -e` open what the user prefers. */
function opensEditor(name: string, words: readonly string[]): boolean {
  if (name === 'crontab') return words.includes('-e')
  if (name !== 'git') return false
  const sub = subcommandOf(words)
  if (sub === 'rebase') return words.includes('-i') || words.includes('--interactive')
  return (
    sub === 'commit' && !words.some((word) => /^-[a-zA-Z]*[mFC]|^--(?:message|file|no-edit|fixup|reuse)/u.test(word))
  )
}

/** Whether a command copies what is typed. */
function readsKeys(name: string, words: readonly string[]): boolean {
  if (['tee', 'sponge', 'read', 'mail', 'wall', 'xargs', 'passwd'].includes(name)) return true
  if (name !== 'cat') return false
  const files = words.slice(1).filter((word, at) => !/^[\d&]?>/u.test(word) && !/^[\d&]?>{1,2}$/u.test(words[at] ?? ''))
  return files.every((word) => word === '-' || word.startsWith('-'))
}

const LEAVING_VI = /^:(?:w?qa?|wqa|x|xa|cq)!?$|ZZ$|ZQ$/u
const LEAVING_PROMPT = /^(?:exit|quit|q|Q|bye|\\q|\.quit|\.exit)(?:\(\))?;?$/u

/** Whether an entered line leaves the program. */
export function leaves(taker: Taker, line: string): boolean {
  const text = line.trim()
  if (taker === 'vi') return LEAVING_VI.test(text)
  if (taker === 'prompt') return LEAVING_PROMPT.test(text)
  return taker === 'pager' && text.startsWith('q')
}

/** Whether a control character leaves the program: ^D ends input, ^C what copies it, ^X an editor, ^Z anything for a while. */
export function leavesBy(taker: Taker, code: number): boolean {
  if (code === 0x1a) return true
  if (code === 0x04) return taker === 'input' || taker === 'prompt'
  if (code === 0x03) return taker === 'input'
  return code === 0x18 && taker === 'editor'
}
