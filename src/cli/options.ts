import { InvalidArgumentError, Option } from 'commander'
import { decimal } from '../domain/words.ts'
import type { BatchOptions } from '../schemas/batch.ts'
import { PROVIDER_NAMES } from '../schemas/providers.ts'
import type { ReportQuery } from '../schemas/queries.ts'
import { BATCH_MODES, CACHE_MODES, MOST_SAMPLES } from '../schemas/vocabulary.ts'

export const OUTPUT_FORMATS = ['table', 'ndjson', 'csv'] as const
const ITEM_FORMATS = [...OUTPUT_FORMATS, 'markdown'] as const
/** Formats of `results`: scores for Inspect and bundles belong to this command alone. */
export const RESULTS_FORMATS = [...ITEM_FORMATS, 'inspect', 'bundle'] as const
export type OutputFormat = (typeof RESULTS_FORMATS)[number] | 'json'

/** The use of a database by a command. `look` takes a database of this version, and else does without. */
export type DatabaseUse = 'make' | 'read' | 'look' | 'none'

/** The options of commands, by their names in the contract where it has them; a command declares some of them. */
export interface Options
  extends Omit<BatchOptions, 'key' | 'dry_run'>,
    Pick<ReportQuery, 'batch' | 'agent' | 'model' | 'task' | 'variant'> {
  readonly server?: string
  readonly output?: OutputFormat
  readonly out?: string
  readonly force?: boolean
  readonly json?: boolean
  readonly strict?: boolean
  readonly dry_run?: boolean
  readonly detach?: boolean
  readonly ground_truth?: string
  readonly signals?: readonly string[]
}

export const chosen = <O extends object, K extends keyof O>(options: O, ...names: readonly K[]): Pick<O, K> =>
  Object.fromEntries(names.flatMap((name) => (name in options ? [[name, options[name]]] : []))) as Pick<O, K>

export const settingsOf = (options: Options) =>
  chosen(options, 'judge', 'rubric', 'samples', 'cache', 'allow_self', 'mode', 'max_cost_usd', 'name')

const numberBy =
  (fits: (n: number) => boolean, fault: string) =>
  (text: string): number => {
    const n = decimal(text)
    if (!fits(n)) throw new InvalidArgumentError(fault)
    return n
  }

export const wholeNumber = (most: number) =>
  numberBy((n) => Number.isInteger(n) && n >= 1 && n <= most, `It is a whole number from 1 to ${most}.`)

export const parseCount = wholeNumber(Number.MAX_SAFE_INTEGER)
export const parseSamples = wholeNumber(MOST_SAMPLES)
/** A cap above a million is a mistake: no batch reaches it. */
export const parseDollars = numberBy((n) => n >= 0 && n <= 1e6, 'It is a number of dollars up to 1000000, like 0.50.')
export const parseShare = numberBy((n) => n > 0 && n < 1, 'It is a share between 0 and 1, like 0.05.')
type Parse = (text: string, before: never) => unknown
export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

/** Makes an option, whose value has the name of the contract: `max_cost_usd`. */
export function option(flags: string, text: string, parse?: Parse, initial?: unknown) {
  const made = new Option(flags, text).default(initial)
  made.attributeName = () => made.name().replaceAll('-', '_')
  return parse === undefined ? made : made.argParser(parse as (text: string) => unknown)
}

export const choice = (flags: string, text: string, words: readonly string[], initial?: string): Option =>
  option(flags, text, undefined, initial).choices(words)

export const JSON_OPTION = option('--json', 'print one JSON object: {"ok", "data" or "error"}').conflicts('output')
export const SERVER = option('--server <url>', 'a running service; else VERIDICT_SERVER, else this process')
export const OUT: readonly Option[] = [
  option('--out <file>', 'write a new file, which appears once it is whole, readable by you alone'),
  option('--force', 'let --out replace an existing file'),
]
export const output = (words: readonly string[], text = 'the format of the results'): readonly Option[] => [
  choice('-o, --output <format>', text, words, 'table'),
  ...OUT,
]
export const ITEMS = output(ITEM_FORMATS)
export const LIST = choice('-o, --output <format>', 'a table, or a JSON object a row', ['table', 'ndjson'])
export const STRICT = option('--strict', 'exit with 3 where a trial was skipped, or has records that could not be read')
export const STRICT_UNREAD = option('--strict', 'exit with 3 where a trial has records that could not be read')
export const DETACH = option('--detach', 'return once the batch runs; with --server only')
export const JUDGING: readonly Option[] = [
  option('-j, --judge <name>', `lexical, ${PROVIDER_NAMES.join(', ')}, or a configured name (\`veridict judges\`)`),
  option('-r, --rubric <id>', 'id@version, or an id for its newest version'),
  option('-s, --samples <n>', 'independent answers of the judge for each item', parseSamples),
  choice('-c, --cache <mode>', 'answer from stored grades, ask again, or never ask', CACHE_MODES),
  option('--allow-self', 'let the model of the agent grade its own trials'),
]
const CAP = option('--max-cost-usd <usd>', 'hard cap; items over the cap end as budget_exceeded', parseDollars)
/** Options of canaries, which are asked afresh, at once. */
export const JUDGING_CANARIES: readonly Option[] = [...JUDGING.filter((one) => one.long !== '--cache'), CAP]
export const GRADING: readonly Option[] = [
  ...JUDGING,
  choice('-m, --mode <mode>', 'direct, or the provider’s batch endpoint: half price, within a day', BATCH_MODES),
  CAP,
  option('--name <text>', 'a name for people'),
  option('--dry-run', 'print the items, tokens and cost; ask no judge'),
]
export const filters = (...names: readonly string[]): readonly Option[] =>
  names.map((name) => option(`--${name} <name>`, `only this ${name}`))
export const BATCH = { '<batch>': 'its id or name, as `veridict status` lists them' }
export const TRIAL_PATHS = { '<path...>': 'folders, trajectory files, archives of them, or NDJSON of grade requests' }
export const TRIALS: readonly Option[] = [
  option('-g, --ground-truth <file>', 'NDJSON, JSON or CSV with a row a task; else the own file of each trial'),
  option('--signals <spec>', 'the place of appeared, executed or resolved in a trial; may be repeated', collect),
  option('--variant <name>', 'the variant of these trials, kept in their metadata'),
]
