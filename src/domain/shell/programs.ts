import type { CommandNode } from 'unbash'
import { parseTexts } from '../text/json.ts'
import { baseName, wordSet } from '../words.ts'
import data from './commands.json' with { type: 'json' }
import {
  INTERPRETERS,
  isOption,
  kindOf,
  programOf,
  redirectionsOf,
  SHELLS,
  type SimpleCommand,
  subcommandOf,
  TELLING,
  wordsOf,
  wordTable,
} from './script.ts'

/** A program that runs the command behind it, with the options that leave that command as it is. Any other option makes the program a command of its own. */
interface Wrapper {
  readonly flags: RegExp
  /** Options with a separate value. */
  readonly valued: RegExp
  /** Words of its own before the command. */
  readonly positional: number
}

const NO_OPTION = '(?!)'
const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries<{ flags?: string; valued?: string; positional?: number }>(data.wrappers).map(
    ([name, { flags = NO_OPTION, valued = NO_OPTION, positional = 0 }]) => [
      name,
      { flags: new RegExp(flags, 'u'), valued: new RegExp(valued, 'u'), positional },
    ],
  ),
)
/** Programs with the subcommand that makes them wrappers. */
const RUNNERS = new Set(['poetry run', 'pipenv run', 'uv run', 'pdm run', 'bundle exec', 'npm exec', 'python -m'])
const MOST_WRAPPERS = 20

/** Finds the command behind its wrappers, with the name of its program: `make` in `sudo -u a X=1 timeout 5 make`. */
export function commandIn(words: readonly string[]): { readonly name: string; readonly words: readonly string[] } {
  let at = 0
  for (let count = 0; count < MOST_WRAPPERS; count++) {
    const next = skipWrapper(words, at)
    if (next === at || next >= words.length) break
    at = next
  }
  return { name: programOf(words[at] ?? ''), words: words.slice(at) }
}

function skipWrapper(words: readonly string[], from: number): number {
  const word = words[from] ?? ''
  if (/^[A-Za-z_]\w*=/u.test(word)) return from + 1
  const name = programOf(word)
  if (RUNNERS.has(`${name} ${words[from + 1] ?? ''}`)) return from + 2
  const wrapper = WRAPPERS.get(name)
  if (wrapper === undefined) return from
  let at = from + 1
  for (; isOption(words[at] ?? ''); at++) {
    const option = words[at] ?? ''
    if (option === '--') return at + 1 + wrapper.positional
    if (wrapper.valued.test(option)) at++
    else if (!wrapper.flags.test(option)) return from
  }
  return at + wrapper.positional
}

/** Finds the script among the words of a shell: `bash -lc …`; empty: other options may turn the script; null: the shell reads a file or its input. */
export function shellScript([, option = '', script = '', ...others]: readonly string[]): string | null {
  if (/^-[il]*c$/u.test(option)) return script
  return [option, script, ...others].some((word) => /^-[a-z]*c$/u.test(word)) ? '' : null
}

/** Finds the file that a shell or an interpreter runs: the first word that is no option. */
export const fileOf = (words: readonly string[]): string | null =>
  words.slice(1).find((word) => !isOption(word) && word !== '-') ?? null

/** Tells whether words of an interpreter are code: `python -c …`, `psql -c …`, `sqlite3 FILE …`. */
function hasCodeWord(name: string, words: readonly string[]): boolean {
  if (name === 'sqlite3' || name === 'redis-cli') return words.length > 2
  const options = INTERPRETERS.get(name)
  return words.some((word) => options?.has(word) || /^-[a-zA-Z]{1,4}[eEc]$/u.test(word))
}

const EDITING = wordSet('sed perl vim vi ed ex gdb')
/** A script of `sed` that prints or drops lines. */
const SELECTING = /^(?:\d+(?:,\d+)?|\/[^/]*\/|\\(\W).*\1)[pd]$/u

/** Tells whether words of a command may be code of another language, or keys of an editor. */
export function mayBeCode(name: string, words: readonly string[], texts: readonly string[]): boolean {
  // The commands of a shell's only script are listed themselves.
  if (SHELLS.has(name)) return shellScript(words) === null ? texts.length > 0 : words.length > 3 || !shellScript(words)
  if (INTERPRETERS.has(name) && (texts.length > 0 || hasCodeWord(name, words))) return true
  return EDITING.has(name) && !words.some((word) => SELECTING.test(word))
}

/** Programs that take statements, with a database as their first word. */
export const SQL: ReadonlySet<string> = new Set(['psql', 'sqlite3', 'mysql', 'mariadb', 'duckdb', 'redis-cli'])

/** Programs that run a command for what they read. */
export const FED: ReadonlySet<string> = new Set(['xargs', 'parallel'])

export const isKept = (path: string): boolean => path !== '/dev/null'

/** Tells whether a part of a pipe may act on what it reads, or keeps it. */
export function actsOnInput(node: CommandNode): boolean {
  if (node.type !== 'Command') return true
  const words = wordsOf(node)
  const { name, words: own } = commandIn(words.map(({ text }) => text))
  const isKnown = words.every(({ exact }) => exact !== null)
  return !isKnown || kindOf(name, own) === 'does' || redirectionsOf(node.redirects).outputs.some(isKept)
}

/** Tells whether a part of a pipe answers the questions of the next part with no: `echo n | …`. */
export const answersNo = (node: CommandNode): boolean => {
  const [name = '', ...words] = node.type === 'Command' ? wordsOf(node).map(({ text }) => text) : []
  return (TELLING.has(name) || name === 'yes') && /^(?:no?(?:\\n)?)$/iu.test(words.at(-1) ?? '')
}

/** Finds the files that `tee` copies its input to. */
export function copiesOf(node: CommandNode): readonly string[] {
  const { name, words } = commandIn(node.type === 'Command' ? wordsOf(node).map(({ text }) => text) : [])
  return name === 'tee' ? words.slice(1).filter((word) => !word.startsWith('-')) : []
}

/** Commands that answer by their exit code. */
const TESTING = wordSet('[ test [[ grep egrep rg false diff cmp pgrep')
/** Tells whether commands behind a command and `&&` may not run: whether they ran is then the answer of a test. */
export const tests = ({ name, words }: SimpleCommand): boolean =>
  TESTING.has(name) ||
  SHELLS.has(name) ||
  INTERPRETERS.has(name) ||
  words.some((word) => /^--(?:quiet|exit-code)$/u.test(word))
/** Commands that fail where they find nothing. */
const PROBING = wordSet('ls stat find which type command')
/** Tells whether a command fails where it finds nothing: behind it and `&&` only the success of the whole script tells that a command ran. */
export const probes = ({ name, words, kind }: SimpleCommand): boolean =>
  (PROBING.has(name) && words.length > 1) || (name === 'git' && kind === 'looks')

/** Programs that put a file in the place of their last word, or under its own name into a folder; `sed -i` changes a file in its place. */
const PLACING = wordSet('ln cp mv install tee rsync')

/** Builtins that change or leave the shell, or run their words: nothing is certain behind them. A profile's function may do so unseen. */
export const CHANGING = wordSet(data.changing)
/** Settings that make a name another program. */
export const SHELL_SETTING = /^(?:PATH|IFS|ENV|BASH_ENV|LD_\w+)\+?=/u

/** Tells whether a command opens a Python environment by its usual name. */
export const isActivation = (name: string, words: readonly string[]): boolean =>
  (name === 'source' || name === '.') &&
  words.length === 2 &&
  /(?:^|\/)\.?(?:venv|env|virtualenv)\d*\/bin\/activate$/u.test(words[1] ?? '')

/** Tells whether a command may change the shell: `export` and `printf -v` do so by some settings, an environment of Python by the first folder of PATH alone. */
export function changesShell(name: string, words: readonly string[]): boolean {
  if (name === 'export')
    return words.slice(1).some((word) => SHELL_SETTING.test(word) || !/^[A-Za-z_]\w*(?:=|$)/u.test(word))
  return (CHANGING.has(name) && !isActivation(name, words)) || (name === 'printf' && /^-v/u.test(words[1] ?? ''))
}

/** Programs whose subcommands set them up for their later calls. */
const SETTABLE = wordSet('git npm yarn pnpm pip kubectl aws gcloud az docker helm terraform gh firebase heroku fly')
const CONFIGURING = /^(?:config|configure|set|use|select|set-\w[\w-]*|use-\w[\w-]*)$/u
/** Pairs of subcommands that set up a program as well. */
const CONFIGURING_PAIR = /^(?:remote|workspace|context) (?:add|new|remove|rm|rename)$/u
/** Words by which such a subcommand only shows a setting. */
const SHOWS_SETTING = /^(?:get|list|ls|view|show|current-\w+|get-\S+|--get\S*|-l|--list)$/u
/** Settings of git that leave the effect of its commands as it is. */
const HARMLESS_SETTING = /^(?:user|safe|color|loglevel|pull|core\.(?:autocrlf|editor|pager)|advice|init|commit|fund)\b/u

/** Tells whether a command sets its program up for later calls. */
function configures(name: string, words: readonly string[]): boolean {
  if (!SETTABLE.has(name)) return false
  const own = words.filter((word) => !isOption(word))
  if (CONFIGURING_PAIR.test(own.slice(0, 2).join(' '))) return true
  const at = own.slice(0, 2).findIndex((word) => CONFIGURING.test(word))
  if (at === -1 || words.some((word) => SHOWS_SETTING.test(word))) return false
  return !own.slice(at + 1, at + 3).some((word) => HARMLESS_SETTING.test(word))
}

/** Ends of the names of files in which programs find what to do, and where. */
export const RULE_FILES = wordTable(data.rule_files)

/** Tells whether a command sets up a program, puts a file in its place or gives its name to something else. */
export function setsUp(program: string, { name, words, outputs, changesShell }: SimpleCommand): boolean {
  const own = words.slice(name === '=' ? 0 : 1)
  const isSettings = name === program || (name === 'kubectl' && program === 'helm')
  if (isSettings && configures(name, own)) return true
  if (changesShell && own.some((word) => (name === '=' || word.includes('=')) && hasName(word, program))) return true
  const isPlacing = PLACING.has(name) || (name === 'sed' && words.some((word) => /^(?:-i|--in-place)/u.test(word)))
  return [...outputs, ...(isPlacing ? own : [])].some((path) => baseName(path) === program)
}

/** Tells whether a command may reach the system by a file: a device, a setting, or a folder that a service watches. */
export const reachesSystem = ({ words, outputs }: Pick<SimpleCommand, 'words' | 'outputs'>): boolean =>
  [...words.slice(1), ...outputs].some((path) => isKept(path) && SYSTEM_FILE.test(path))

export const SYSTEM_FILE = /^\/(?:proc|sys|dev|etc|boot|var\/spool)\//u

/** Tells whether the name of a setting, alias or function is that of a program, or its options: `MAKEFLAGS=-n`, `npm_config_dry_run=true`. */
function hasName(setting: string, program: string): boolean {
  const [name = ''] = setting.toLowerCase().split('=')
  if (/\s/u.test(name) || !name.startsWith(program)) return false
  return /^(?:|flags|_?opts|_?options|_?args|_?path|_config_\w+|_dir|_work_tree|_ssh\w*|_profile|_endpoint\w*)$/u.test(
    name.slice(program.length),
  )
}

/** Tells whether a folder holds a copy or a trial, as its name says. */
export const isScratch = (folder: string): boolean =>
  /(?:^|\/)(?:tmp|temp|mock|fake|copy|backup|sandbox|scratch|playground|dry-?run)s?(?:[/\d_-]|$)/u.test(folder)

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

/** A kind of file: prose is read by people, code is run or built later, others are settings and data. */
type FileKind = 'prose' | 'code' | 'other'

const PROSE_ENDINGS = wordSet(data.prose_endings)
const CODE_ENDINGS = wordSet(data.code_endings)
const PROSE_NAMES = wordSet(data.prose_names)

/** Code that other programs run unasked. */
const RUN_UNASKED = /(?:^|\/)(?:\.git\/hooks\/|\.husky\/|(?:conftest|setup|noxfile)\.py$)/iu

export function fileKind(path: string, text: string): FileKind {
  const name = baseName(path.toLowerCase())
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 ? name.slice(dot + 1) : ''
  if (RUN_UNASKED.test(path)) return 'other'
  if (PROSE_ENDINGS.has(ending)) return 'prose'
  if (CODE_ENDINGS.has(ending) || text.startsWith('#!')) return 'code'
  return PROSE_NAMES.has(dot > 0 ? name.slice(0, dot) : name) ? 'prose' : 'other'
}

/** Tells whether a file is a text for people; programs take the lines of other files, and of requirements. */
export const isForPeople = (path: string): boolean => fileKind(path, '') === 'prose' && !/req\w*\.txt$/u.test(path)
