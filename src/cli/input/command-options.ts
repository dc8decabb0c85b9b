import { type Command, InvalidArgumentError, Option } from 'commander'
import { decimal } from '../../domain/decimal.ts'
import { given } from '../../domain/given.ts'
import type { BatchOptions } from '../../schemas/batch.ts'
import { PROVIDER_NAMES } from '../../schemas/providers.ts'
import { BATCH_MODES, type BatchMode, CACHE_MODES, type CacheMode, MOST_SAMPLES } from '../../schemas/vocabulary.ts'
import { OUTPUT_FORMATS, type OutputFormat } from '../results/results-format.ts'

export interface ServerOption {
  readonly server?: string
}

export interface OutputOptions {
  readonly output?: OutputFormat
  readonly out?: string
}

export interface GradingOptions {
  readonly judge?: string
  readonly rubric?: string
  readonly samples?: number
  readonly cache?: CacheMode
  readonly mode?: BatchMode
  readonly maxCostUsd?: number
  readonly name?: string
  readonly dryRun?: boolean
  readonly detach?: boolean
}

export const parseCount = (text: string): number => {
  const n = decimal(text)
  if (!Number.isInteger(n) || n < 1) throw new InvalidArgumentError('It is a whole number from 1.')
  return n
}

export const parseSamples = (text: string): number => {
  const n = decimal(text)
  if (!Number.isInteger(n) || n < 1 || n > MOST_SAMPLES)
    throw new InvalidArgumentError(`It is a whole number from 1 to ${MOST_SAMPLES}.`)
  return n
}

/** A higher cap is a mistake: no batch reaches it. */
const MOST_DOLLARS = 1_000_000

export const parseDollars = (text: string): number => {
  const n = decimal(text)
  if (!Number.isFinite(n) || n < 0) throw new InvalidArgumentError('It is a number of US dollars, like 5 or 0.50.')
  if (n > MOST_DOLLARS) throw new InvalidArgumentError(`It is at most ${MOST_DOLLARS} US dollars.`)
  return n
}

/** Collects the values of an option that may be repeated. */
export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

/** Ends a command without a required option. Commander's `requiredOption` would report it before an unknown option. */
export function requireOption(command: Command, name: string, hint = ''): void {
  const option = command.options.find(({ long }) => long === name)
  if (option !== undefined && command.getOptionValue(option.attributeName()) === undefined)
    command.error(`error: required option '${option.flags}' not specified${hint}`)
}

/** The values of `-j`. */
export const JUDGE_HELP = `lexical, ${PROVIDER_NAMES.join(', ')}, or a name of the configuration file (\`veridict judges\`)`

export const withServer = (command: Command): Command =>
  command.option('--server <url>', 'a running service; without it, and without VERIDICT_SERVER, in this process')

export const withOutput = (command: Command, formats: readonly OutputFormat[] = OUTPUT_FORMATS): Command =>
  command
    .addOption(new Option('-o, --output <format>', 'how results are written').choices(formats).default('table'))
    .option('--out <file>', 'write results there instead of to stdout; the file appears once it is whole')

/** Adds the options of grading; `detaches` adds `--detach`. */
export function withGrading(command: Command, { detaches } = { detaches: true }): Command {
  const grading = command
    .option('-j, --judge <name>', JUDGE_HELP)
    .option('-r, --rubric <id>', 'id@version, or an id for its newest version')
    .option('-s, --samples <n>', 'independent answers of the judge for each item', parseSamples)
    .addOption(
      new Option('-c, --cache <mode>', 'answer from stored grades, ask again, or never ask').choices([...CACHE_MODES]),
    )
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
  return detaches ? grading.option('--detach', 'return once the batch runs; with --server only') : grading
}

/** Maps the options to the request. */
export function batchOptions(options: GradingOptions): BatchOptions {
  const { judge, rubric, samples, cache, mode, maxCostUsd, name } = options
  return given({ judge, rubric, samples, cache, mode, max_cost_usd: maxCostUsd, name })
}
