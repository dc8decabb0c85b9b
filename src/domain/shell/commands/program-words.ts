import { wordSet } from '../../text/words.ts'
import { INTERPRETERS, isOption } from './command-table.ts'

/** Where the code, the script file and the arguments of a shell or an interpreter stand. */
interface Program {
  /** Places of words of code. */
  readonly code: readonly number[]
  /** Place of the file that is run; null: it reads its standard input or has code. */
  readonly file: number | null
}

const VALUED = wordSet(`-W -X -r --require -I -O -o --rcfile --init-file -h -U -p -d -P -D --loader --import -u --host
  --user --port --dbname -v -F`)

export function programIn(name: string, words: readonly string[]): Program {
  if (name === 'sqlite3' || name === 'redis-cli')
    return { code: placesFrom(words, name === 'sqlite3' ? 2 : 1), file: null }
  const { language, code: options } = INTERPRETERS[name] ?? { language: '', code: '' }
  const sql = language === 'sql'
  const code: number[] = []
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? ''
    if (takesCode(options.split(' '), word)) code.push(++at)
    else if (takesValue(name, word)) at++
    else if (sql ? FILE_OPTIONS.includes(word) : isFile(word)) return { code, file: fileAt(sql ? at + 1 : at, code) }
  }
  return { code, file: null }
}

/** What takes a value elsewhere takes none here. */
const FLAGS_OF: Readonly<Record<string, readonly string[]>> = {
  perl: ['-p', '-W', '-X'],
  php: ['-r'],
  python: ['-u', '-O', '-d', '-I', '-v', '-P'],
}

const takesValue = (name: string, word: string): boolean => VALUED.has(word) && !FLAGS_OF[name]?.includes(word)
/** With code there is no file: what follows are arguments. */
const fileAt = (at: number, code: readonly number[]): number | null => (code.length > 0 ? null : at)
const FILE_OPTIONS = ['-f', '--file']
const isFile = (word: string): boolean => !isOption(word) && word !== '-'

const placesFrom = (words: readonly string[], from: number): number[] => words.map((_, place) => place).slice(from)

/** `-c` and `-e`, also at the end of a cluster. */
const takesCode = (options: readonly string[], word: string): boolean =>
  options.includes(word) ||
  (options.includes('-e') && /^-[a-zA-Z]{1,4}[eE]$/u.test(word)) ||
  (options.includes('-c') && /^-[a-zA-Z]{0,4}c$/u.test(word))

/** The same for shells: `-c` may stand in a cluster, as in `-lc`. */
export function shellProgram(
  words: readonly string[],
): Program & { readonly checksOnly: boolean; readonly stops: boolean } {
  const end = words.findIndex((word, at) => at > 0 && endsOptions(word, words[at - 1] ?? ''))
  const options = words.slice(1, end === -1 ? undefined : end + 1)
  const last = end === -1 ? '' : (words[end] ?? '')
  const checksOnly = options.some((word) => CHECKING.has(word) || (isLetters(word) && word.includes('n')))
  const stops = options.some((word) => (isLetters(word) && word.includes('e')) || word === 'errexit')
  if (isLetters(last)) return { code: last.includes('c') ? [end + 1] : [], file: null, checksOnly, stops }
  return { code: [], file: end === -1 ? null : end, checksOnly, stops }
}

/** `-c`, `-s`, or the file. */
function endsOptions(word: string, before: string): boolean {
  if (/^[-+][a-zA-Z]*[oO]$/u.test(before) || before === '--rcfile' || before === '--init-file') return false
  return isLetters(word) ? word.includes('c') || word.includes('s') : !word.startsWith('-') && !word.startsWith('+')
}

const CHECKING = new Set(['--help', '--version', 'noexec', '-D', '--dump-strings', '--dump-po-strings', '--no-execute'])
const isLetters = (word: string): boolean => /^-[a-zA-Z]+$/u.test(word)

/** A program that runs files of a language. */
interface Interpreter {
  readonly program: string
  readonly language: string
  /** The option with which it gets code as a word; empty: it is a word of its own. */
  readonly option: string
}

const BY_ENDING: Readonly<Record<string, string>> = {
  ...{ py: 'python', pyw: 'python', js: 'node', mjs: 'node', cjs: 'node', ts: 'node', mts: 'node', cts: 'node' },
  ...{ rb: 'ruby', pl: 'perl', pm: 'perl', php: 'php', lua: 'lua', sql: 'psql', r: 'Rscript', scpt: 'osascript' },
}
const LONGEST_FIRST_LINE = 200

/** What runs a file: what its first line names, else what its ending does; null: a shell. */
export function interpreterOf(path: string, text: string): Interpreter | null {
  const isMarked = text.startsWith('#!')
  const first = isMarked ? (text.slice(0, LONGEST_FIRST_LINE).split('\n', 1)[0] ?? '') : ''
  const program = isMarked
    ? Object.keys(INTERPRETERS).find((name) => first.includes(name))
    : BY_ENDING[path.slice(path.lastIndexOf('.') + 1).toLowerCase()]
  const known = program === undefined ? undefined : INTERPRETERS[program]
  if (program === undefined || known === undefined) return null
  return { program, language: known.language, option: known.code.split(' ')[0] ?? '' }
}
