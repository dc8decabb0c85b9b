import { Command, InvalidArgumentError, Option } from 'commander'
import { defined } from '../../domain/result.ts'
import { decimal } from '../../domain/words.ts'
import type { BatchOptions } from '../../schemas/batch.ts'
import { PROVIDER_NAMES } from '../../schemas/providers.ts'
import { BATCH_MODES, type BatchMode, CACHE_MODES, type CacheMode, MOST_SAMPLES } from '../../schemas/vocabulary.ts'
import { ITEM_FORMATS, OUTPUT_FORMATS, type OutputFormat } from '../output/results-format.ts'

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

export const parseDollars = (text: string): number => {
  const n = decimal(text)
  if (!Number.isFinite(n) || n < 0) throw new InvalidArgumentError('It is a number of US dollars, like 5 or 0.50.')
  if (n > MOST_DOLLARS) throw new InvalidArgumentError(`It is at most ${MOST_DOLLARS} US dollars.`)
  return n
}

export const parseShare = (text: string): number => {
  const share = decimal(text)
  if (!(share > 0 && share < 1)) throw new InvalidArgumentError('It is a share between 0 and 1, like 0.05.')
  return share
}

/** Makes a command that can write its data as one JSON object. */
export const jsonCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .addOption(
      new Option('--json', 'print one JSON object: {"ok": true, "data": …}, or {"ok": false, "error": …}').conflicts(
        'output',
      ),
    )

/** Collects the values of an option that may be repeated. */
export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

/** Ends a command without a required option. Commander's `requiredOption` would report it before an unknown option. */
export function requireOption(command: Command, name: string, hint = ''): void {
  const option = command.options.find(({ long }) => long === name)
  if (option !== undefined && command.getOptionValue(option.attributeName()) === undefined)
    command.error(`error: required option '${option.flags}' not specified${hint}`)
}

export const withServer = (command: Command): Command =>
  command.option('--server <url>', 'a running service; without it, and without VERIDICT_SERVER, in this process')

export const withOut = (command: Command): Command =>
  command.option(
    '--out <file>',
    'write a file instead of to stdout; it appears once it is whole, readable by you alone',
  )

/** Adds `--out` of a command whose file people edit or keep: an existing file is refused. */
export const withNewFile = (command: Command): Command =>
  withOut(command).option('--force', 'let --out replace an existing file', false)

export const withOutput = (command: Command, formats: readonly OutputFormat[] = OUTPUT_FORMATS): Command =>
  withOut(
    command.addOption(
      new Option('-o, --output <format>', 'the format of the results').choices(formats).default('table'),
    ),
  )

/** Adds `-o` of a command that lists rows: a table, or a JSON object for each row. */
export const withList = (command: Command): Command =>
  command.addOption(new Option('-o, --output <format>', 'a table, or a JSON object a row').choices(['table', 'ndjson']))

/** Adds `--strict`, for records that could not be read; `skips`: also for skipped trials. */
export const withStrict = (command: Command, { skips } = { skips: false }): Command =>
  command.option(
    '--strict',
    skips
      ? 'exit with 3 where a trial was skipped, or has records that could not be read; other files and warnings do not count'
      : 'exit with 3 where a trajectory has records that could not be read',
  )

/** Adds the options of a judge and its rubric. */
export const withJudge = (command: Command): Command =>
  command
    .option(
      '-j, --judge <name>',
      `lexical, ${PROVIDER_NAMES.join(', ')}, or a name of the configuration file (\`veridict judges\`)`,
    )
    .option('-r, --rubric <id>', 'id@version, or an id for its newest version')
    .option('-s, --samples <n>', 'independent answers of the judge for each item', parseSamples)
    .addOption(
      new Option('-c, --cache <mode>', 'answer from stored grades, ask again, or never ask').choices([...CACHE_MODES]),
    )

/** Adds the options of grading. */
export const withGrading = (command: Command): Command =>
  withJudge(command)
    .addOption(
      new Option(
        '-m, --mode <mode>',
        'direct, or through the provider’s batch endpoint: half price, within a day',
      ).choices([...BATCH_MODES]),
    )
    .option(
      '--max-cost-usd <usd>',
      'hard cap; items over it end as budget_exceeded, nothing else is lost',
      parseDollars,
    )
    .option('--name <text>', 'a name for people')
    .option('--dry-run', 'print the items, tokens and cost; ask no judge')

/** Adds the options of a command that writes the items of a batch. */
export const withItems = (command: Command, formats: readonly OutputFormat[] = ITEM_FORMATS): Command =>
  withServer(withOutput(command, formats))

export const withDetach = (command: Command): Command =>
  command.option('--detach', 'return once the batch runs; with --server only')

/** Builds a command over trials: paths, ground truths, signals, variant. */
export const pathsCommand = (name: string, description: string): Command =>
  jsonCommand(name, description)
    .argument(
      '<path...>',
      'folders, trajectory files, .tar, .tar.gz, .tar.zst and .zip of them, or NDJSON of grade requests',
    )
    .option('-g, --ground-truth <file>', 'NDJSON, JSON or CSV with a row a task; else the own file of each trial')
    .option('--signals <spec>', 'the place of appeared, executed or resolved in a trial; may be repeated', collect)
    .option('--variant <name>', 'the variant of these trials, kept in their metadata')

/** Maps the options to the request. */
export function batchOptions(options: Options): BatchOptions {
  const { judge, rubric, samples, cache, mode, maxCostUsd, name } = options
  return defined({ judge, rubric, samples, cache, mode, max_cost_usd: maxCostUsd, name })
}
