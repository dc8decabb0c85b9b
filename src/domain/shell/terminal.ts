import { parseTexts } from '../text/json.ts'
import { baseName, wordSet } from '../words.ts'
import { INTERPRETERS, isOption, programOf, SHELLS, subcommandOf } from './command-kinds.ts'
import data from './commands.json' with { type: 'json' }
import { fileOf, hasCodeWord, SQL, shellScript } from './programs.ts'

/** Characters of keys that are given by name. */
const KEYS: Readonly<Record<string, string>> = { Enter: '\n', KPEnter: '\n', 'C-m': '\n', Space: ' ', Tab: '\t' }
/** Names of keys that move, take back or call back lines, or end a program. */
const KEY_NAME =
  /^(?:[CM]-.|\^.|Esc(?:ape)?|BSpace|Up|Down|Left|Right|Home|End|Page(?:Up|Down)|Pg(?:Up|Dn)|[NP]Page|BTab|DC|IC|F\d+)$/u
const OTHER_KEY = '\u0000'
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are keys
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/u

/** Reads the keys that were typed into a terminal: a text, or a JSON list of texts and names of keys. */
export function readKeystrokes(text: string): { readonly script: string; readonly isEntered: boolean } {
  const keys = text.startsWith('[') ? parseTexts(text) : null
  const script = (keys === null ? text : keys.map(characterOf).join('')).replaceAll(/\r\n?/gu, '\n')
  /** `isEntered`: the keys are whole lines of text, none of which a key corrects or cancels. */
  return { script, isEntered: script.endsWith('\n') && !CONTROL.test(script) }
}

function characterOf(key: string): string {
  const name = key.trim()
  if (Object.hasOwn(KEYS, name)) return KEYS[name] ?? ''
  return KEY_NAME.test(name) ? OTHER_KEY : key
}

/** Programs that take the keys that follow. */
const INTERACTIVE = wordSet(data.interactive)
/** Subcommands of git that open a pager or an editor, and options by which they do not. */
const PAGED = wordSet('log diff show blame reflog commit')
const NOT_EDITED = /^-[a-zA-Z]*[mFC]|^--(?:message|file|no-edit|fixup|reuse)/u

const opens = (words: readonly string[]): boolean => {
  const sub = subcommandOf(words) ?? ''
  if (sub === 'commit') return !words.some((word) => NOT_EDITED.test(word))
  return sub === 'rebase'
    ? words.some((word) => /^(?:-i|--interactive)$/u.test(word))
    : PAGED.has(sub) && !words.includes('--no-pager')
}

/** Tells whether a command without an input leaves a terminal to a program that takes the next keys. */
export const takesKeys = (name: string, words: readonly string[]): boolean =>
  INTERACTIVE.has(name) ||
  (name === 'crontab' && words.includes('-e')) ||
  (name === 'git' && opens(words)) ||
  takesLines(name, words, true)

const OPENING = wordSet('vim vi nano emacs su newgrp login screen tmux gdb ftp sftp telnet')
/** Words with which such a program does one thing and ends. */
const LEAVING_WORD = /^(?:ls|-ls|-d|-c|kill-\w+|kill|send-\w+|-l|--?batch|-es|-dmS|has-session)$/u
const SHOWS_ITSELF = /^--?(?:version|help|[Vvh])$/u

/** Tells whether a program without an input takes the lines behind it as its own: an editor, or a shell or an interpreter without a script. */
export function takesLines(name: string, words: readonly string[], writesFile: boolean): boolean {
  const own = words.slice(1)
  if (own.some((word) => SHOWS_ITSELF.test(word) && !(word === '-h' && SQL.has(name)))) return false
  if (name === 'cat') return own.every((word) => word === '-') && writesFile
  if (OPENING.has(name)) return !own.some((word) => LEAVING_WORD.test(word))
  if (name === 'ssh') return own.filter((word) => !isOption(word)).length < 2
  const isShellWord = (word: string): boolean => SHELLS.has(baseName(word)) || INTERPRETERS.has(programOf(word))
  if (name === 'docker' || name === 'podman' || name === 'kubectl')
    return own.some((word) => /^-(?:it|ti|i)$/u.test(word)) && isShellWord(own.at(-1) ?? '')
  if (SQL.has(name)) return !hasCodeWord(name, words) && !own.some((word) => /^-\w*[fl]/u.test(word))
  if (SHELLS.has(name)) return shellScript(words) === null && fileOf(words) === null
  return INTERPRETERS.has(name) && !hasCodeWord(name, words) && fileOf(words) === null
}
