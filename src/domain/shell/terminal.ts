import { parseTexts } from '../text/json.ts'
import { baseName, wordSet } from '../words.ts'
import { INTERPRETERS, isOption, programOf, SHELLS, subcommandOf } from './command-kinds.ts'
import data from './commands.json' with { type: 'json' }
import { commandIn, fileOf, hasCodeWord, SQL, shellScript } from './programs.ts'

/** Characters of keys that are given by name. */
const KEYS: Readonly<Record<string, string>> = {
  ...{ Enter: '\n', KPEnter: '\n', 'C-m': '\n', Space: ' ', Tab: '\t', BSpace: '\b', 'C-h': '\b', 'C-w': '\u0017' },
  ...{ 'C-u': '\u0015', 'C-c': '\u0003', '^C': '\u0003', 'C-d': '\u0004', '^D': '\u0004', Escape: '\u001b' },
}
/** Names of keys that move or call back lines. */
const KEY_NAME =
  /^(?:[CM]-.|\^.|Esc|Up|Down|Left|Right|Home|End|Page(?:Up|Down)|Pg(?:Up|Dn)|[NP]Page|BTab|DC|IC|F\d+)$/u
const OTHER_KEY = '\u0000'
/** Characters that drop the line before them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are keys
const CANCEL = /[\u0003\u0015]/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are keys
const OTHER_CONTROL = /[\u0000-\u0002\u0004-\u0008\u000b\u000c\u000e-\u0014\u0016-\u001f\u007f]/u

/** Reads the keys that were typed into a terminal: a text, or a JSON list of texts and names of keys. */
export function readKeystrokes(text: string) {
  const keys = text.startsWith('[') ? parseTexts(text) : null
  const typed = keys === null ? text : keys.map(characterOf).join('')
  const pieces = typed
    .replaceAll('\r\n', '\n')
    .split(/[\n\r]/u)
    .map((line) => line.split(CANCEL))
  const lines = pieces.slice(0, -1).map((line) => line.at(-1) ?? '')
  return {
    /** The lines as a terminal shows them, corrections applied. */
    script: lines.map((line) => `${correct(line)}\n`).join(''),
    /** The keys are lines of text that were entered, each to the shell. */
    isPlain: !OTHER_CONTROL.test(typed) && !leavesShell(lines.slice(0, -1)),
    /** Lines that were cancelled, or not entered. */
    erased: [...pieces.flatMap((line) => line.slice(0, -1)), pieces.at(-1)?.at(-1) ?? ''],
  }
}

function characterOf(key: string): string {
  const name = key.trim()
  if (Object.hasOwn(KEYS, name)) return KEYS[name] ?? ''
  return KEY_NAME.test(name) ? OTHER_KEY : key
}

/** Applies the backspaces of a line. */
function correct(line: string): string {
  if (!/[\b\u007f]/u.test(line)) return line
  const kept: string[] = []
  for (const character of line)
    if (character === '\b' || character === '\u007f') kept.pop()
    else kept.push(character)
  return kept.join('')
}

/** Programs that take the keys that follow. */
const INTERACTIVE = wordSet(data.interactive)
const PAGED = wordSet('log diff show blame reflog')

const HERE_DOCUMENT = /(?:^|[^<])<<-?[ \t]*["'\\]?([A-Za-z_][\w.-]*)/u

/** Tells whether one of the lines may leave the terminal to another program; lines of a here-document do not. */
function leavesShell(lines: readonly string[]): boolean {
  let end: string | undefined
  return lines.some((line) => {
    if (end !== undefined) {
      if (line.trim() === end) end = undefined
      return false
    }
    end = HERE_DOCUMENT.exec(line)?.[1]
    return takesKeys(line)
  })
}

/** Tells whether a line may leave the terminal to a program that takes the next keys. */
function takesKeys(line: string): boolean {
  const stage = line.slice(Math.max(line.lastIndexOf(';'), line.lastIndexOf('&'), line.lastIndexOf('|')) + 1).trim()
  const { name, words } = commandIn(stage.split(/\s+/u))
  if (INTERACTIVE.has(name) || /^[/:]/u.test(line)) return true
  if (name === 'git') return opensProgram(words)
  if (name === 'crontab') return words.includes('-e')
  const hasFile =
    fileOf(words.filter((word, at) => !/^\d?>/u.test(word) && !/^\d?>{1,2}$/u.test(words[at - 1] ?? ''))) !== null
  if (name === 'cat') return !hasFile && !line.includes('<') && !line.includes('|')
  if (stage.includes('<') || line.includes('|') || hasCodeWord(name, words)) return false
  return SQL.has(name) || ((SHELLS.has(name) || INTERPRETERS.has(name)) && fileOf(words) === null)
}

/** Tells whether git opens a pager or an editor. */
function opensProgram(words: readonly string[]): boolean {
  const sub = subcommandOf(words) ?? ''
  if (PAGED.has(sub)) return !words.includes('--no-pager')
  if (sub === 'commit')
    return !words.some((word) => /^-[a-zA-Z]*[mFC]|^--(?:message|file|no-edit|fixup|reuse)/u.test(word))
  return sub === 'rebase' && words.some((word) => word === '-i' || word === '--interactive')
}

const OPENING = wordSet('vim vi nano emacs su newgrp login screen tmux gdb ftp sftp telnet')
/** Words with which such a program does one thing and ends. */
const LEAVING_WORD = /^(?:ls|-ls|-d|-c|kill-\w+|kill|send-\w+|-l|--?batch|-es|-dmS|has-session)$/u
const SHOWS_ITSELF = /^--?(?:version|help|[Vvh])$/u

/** Tells whether a program without an input takes the lines behind it as its own: an editor, or a shell or an interpreter without a script. */
export function takesLines(name: string, words: readonly string[], writesFile: boolean): boolean {
  const own = words.slice(1)
  if (own.some((word) => SHOWS_ITSELF.test(word))) return false
  if (name === 'cat') return own.length === 0 && writesFile
  if (OPENING.has(name)) return !own.some((word) => LEAVING_WORD.test(word))
  if (name === 'ssh') return own.filter((word) => !isOption(word)).length < 2
  const isShellWord = (word: string): boolean => SHELLS.has(baseName(word)) || INTERPRETERS.has(programOf(word))
  if (name === 'docker' || name === 'podman' || name === 'kubectl')
    return own.some((word) => /^-(?:it|ti|i)$/u.test(word)) && isShellWord(own.at(-1) ?? '')
  if (SQL.has(name)) return !hasCodeWord(name, words) && !own.some((word) => /^-\w*[fl]/u.test(word))
  if (SHELLS.has(name)) return shellScript(words) === null && fileOf(words) === null
  return INTERPRETERS.has(name) && !hasCodeWord(name, words) && fileOf(words) === null
}
