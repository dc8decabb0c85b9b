import { INTERPRETERS } from './command-table.ts'

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
