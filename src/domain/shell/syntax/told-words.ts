import { subcommandOf } from '../commands/command-kinds.ts'
import { listOf, MESSAGE_OPTIONS } from '../commands/command-table.ts'

/** Places of words that are only told to people, in a command that does something: messages of commits and issues. */
export function toldWords(name: string, words: readonly string[]): ReadonlySet<number> {
  const told = new Set<number>()
  const sub = subcommandOf(words)
  if (name === 'gh' && sub === 'api') return told
  const options = [...listOf(MESSAGE_OPTIONS, name), ...listOf(MESSAGE_OPTIONS, `${name} ${sub ?? ''}`)]
  if (options.length === 0) return told
  for (const [at, word] of words.entries()) {
    if (options.includes(word) || (options.includes('-m') && MESSAGE_CLUSTER.test(word))) told.add(at + 1)
    else if (
      options.some((option) => (option.startsWith('--') ? word.startsWith(`${option}=`) : isGlued(word, option)))
    )
      told.add(at)
  }
  return told
}

/** `-qm 'message'` */
const MESSAGE_CLUSTER = /^-[a-zA-Z]{1,5}m$/u

const isGlued = (word: string, option: string): boolean =>
  option.length === 2 && word.startsWith(option) && word.length > 2

const PROSE_WORDS = 4

/** Whether it is a sentence to people: several words of a language. */
export function readsAsProse(text: string): boolean {
  let words = 0
  for (const word of text.split(/\s/u))
    if (/^["'([{]{0,3}\p{L}[\p{L}'’]*["')\]},.;:!?]{0,5}$/u.test(word) && ++words === PROSE_WORDS) return true
  return false
}
