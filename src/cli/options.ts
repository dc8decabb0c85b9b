import { Command, InvalidArgumentError, Option } from 'commander'
import { defined } from '../domain/result.ts'
import { decimal } from '../domain/words.ts'
import type { BatchOptions } from '../schemas/batch.ts'
import { PROVIDER_NAMES } from '../schemas/providers.ts'
import { BATCH_MODES, type BatchMode, CACHE_MODES, type CacheMode, MOST_SAMPLES } from '../schemas/vocabulary.ts'

export const OUTPUT_FORMATS = ['table', 'ndjson', 'csv'] as const
/** Formats of commands that write the items of a batch. */
const ITEM_FORMATS = [...OUTPUT_FORMATS, 'markdown'] as const
/** Formats of `results`: scores for Inspect and bundles belong to this command alone. */
export const RESULTS_FORMATS = [...ITEM_FORMATS, 'inspect', 'bundle'] as const
/** `json` and `text` are formats of single commands. */
export type OutputFormat = (typeof RESULTS_FORMATS)[number] | 'json' | 'text'

/** The options that several commands take; a command declares some of them. */
export interface Options {
  readonly server?: string
  readonly output?: OutputFormat
  readonly out?: string
  readonly force?: boolean
  readonly json?: boolean
  readonly strict?: boolean
  readonly judge?: string
  readonly rubric?: string
  readonly samples?: number
  readonly cache?: CacheMode
  readonly mode?: BatchMode
  readonly maxCostUsd?: number
  readonly name?: string
  readonly dryRun?: boolean
  readonly detach?: boolean
  readonly groundTruth?: string
  readonly signals?: readonly string[]
  readonly variant?: string
  readonly batch?: string
  /** Names of the metadata that select grades. */
  readonly agent?: string
  readonly model?: string
  readonly task?: string
}

const wholeNumber =
  (most: number, words: string) =>
  (text: string): number => {
    const n = decimal(text)
    if (!Number.isInteger(n) || n < 1 || n > most) throw new InvalidArgumentError(`It is a whole number ${words}.`)
    return n
  }

export const parseCount = wholeNumber(Number.MAX_SAFE_INTEGER, 'from 1')
export const parseSamples = wholeNumber(MOST_SAMPLES, `from 1 to ${MOST_SAMPLES}`)

/** A higher cap is a mistake: no batch reaches it. */
const MOST_DOLLARS = 1_000_000

export function parseDollars(text: string): number {
  const n = decimal(text)
  if (!Number.isFinite(n) || n < 0) throw new InvalidArgumentError('It is a number of US dollars, like 5 or 0.50.')
  if (n > MOST_DOLLARS) throw new InvalidArgumentError(`It is at most ${MOST_DOLLARS} US dollars.`)
  return n
}

export function parseShare(text: string): number {
  const share = decimal(text)
  if (!(share > 0 && share < 1)) throw new InvalidArgumentError('It is a share between 0 and 1, like 0.05.')
  return share
}

export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

type Parser = (text: string, before: never) => unknown
export type OptionRow = Option | readonly [flags: string, text: string, parse?: Parser | undefined, initial?: unknown]

export const choice = (flags: string, text: string, words: readonly string[], initial?: string): Option =>
  new Option(flags, text).choices(words).default(initial)

const JSON_OPTION = new Option('--json', 'print one JSON object: {"ok", "data"} or {"ok", "error"}').conflicts('output')
export const SERVER: OptionRow = ['--server <url>', 'a running service; else VERIDICT_SERVER, else this process']
const OUT: OptionRow = ['--out <file>', 'write a file, which appears once it is whole, readable by you alone']
/** Options of a file that people edit or keep: an existing file is refused. */
export const NEW_FILE: readonly OptionRow[] = [OUT, ['--force', 'let --out replace an existing file', undefined, false]]
export const output = (words: readonly string[], text = 'the format of the results'): readonly OptionRow[] => [
  choice('-o, --output <format>', text, words, 'table'),
  OUT,
]
/** Options of a command that writes the items of a batch. */
export const ITEMS: readonly OptionRow[] = [...output(ITEM_FORMATS), SERVER]
export const LIST: readonly OptionRow[] = [
  choice('-o, --output <format>', 'a table, or a JSON object a row', ['table', 'ndjson']),
  SERVER,
]
export const STRICT: OptionRow = [
  '--strict',
  'exit with 3 where a trial was skipped, or has records that could not be read; other files and warnings do not count',
]
export const STRICT_UNREAD: OptionRow = ['--strict', 'exit with 3 where a trial has records that could not be read']
export const DETACH: OptionRow = ['--detach', 'return once the batch runs; with --server only']
export const JUDGING: readonly OptionRow[] = [
  ['-j, --judge <name>', `lexical, ${PROVIDER_NAMES.join(', ')}, or a configured name (\`veridict judges\`)`],
  ['-r, --rubric <id>', 'id@version, or an id for its newest version'],
  ['-s, --samples <n>', 'independent answers of the judge for each item', parseSamples],
  choice('-c, --cache <mode>', 'answer from stored grades, ask again, or never ask', CACHE_MODES),
]
export const GRADING: readonly OptionRow[] = [
  ...JUDGING,
  choice('-m, --mode <mode>', 'direct, or the provider’s batch endpoint: half price, within a day', BATCH_MODES),
  ['--max-cost-usd <usd>', 'hard cap; items over it end as budget_exceeded, nothing else is lost', parseDollars],
  ['--name <text>', 'a name for people'],
  ['--dry-run', 'print the items, tokens and cost; ask no judge'],
]
export const TRIAL_PATHS = { '<path...>': 'folders, trajectory files, archives of them, or NDJSON of grade requests' }
export const TRIALS: readonly OptionRow[] = [
  ['-g, --ground-truth <file>', 'NDJSON, JSON or CSV with a row a task; else the own file of each trial'],
  ['--signals <spec>', 'the place of appeared, executed or resolved in a trial; may be repeated', collect],
  ['--variant <name>', 'the variant of these trials, kept in their metadata'],
]

export interface Definition {
  readonly name: string
  readonly about: string
  /** Descriptions by argument: `<batch>`, `[batch]`, `<path...>`. */
  readonly args?: Readonly<Record<string, string>>
  readonly options?: readonly OptionRow[]
  /** Paragraphs behind the options: the work, the exit codes, examples. */
  readonly help: readonly string[]
}

/** Builds a command, which can write its data as one JSON object. */
export function buildCommand({ name, about, args = {}, options = [], help }: Definition): Command {
  const command = new Command(name).description(about).addOption(JSON_OPTION)
  for (const [flags, text] of Object.entries(args)) command.argument(flags, text)
  for (const row of options) command.addOption(row instanceof Option ? row : optionOf(row))
  return command.addHelpText('after', `\n${help.join('\n\n')}`)
}

type Group = Pick<Definition, 'name' | 'about' | 'help'>

export function buildGroup({ name, about, help }: Group, commands: readonly Command[]): Command {
  const group = new Command(name).description(about).addHelpText('after', `\n${help.join('\n\n')}`)
  for (const command of commands) group.addCommand(command)
  return group
}

function optionOf([flags, text, parse, initial]: Exclude<OptionRow, Option>): Option {
  const option = new Option(flags, text).default(initial)
  return parse === undefined ? option : option.argParser(parse as (text: string) => unknown)
}

export function batchOptions({ judge, rubric, samples, cache, mode, maxCostUsd, name }: Options): BatchOptions {
  return defined({ judge, rubric, samples, cache, mode, max_cost_usd: maxCostUsd, name })
}
