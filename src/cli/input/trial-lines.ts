import { Command } from 'commander'
import type { SkippedItem, TrialItem } from '../../archives/trials/trial-item.ts'
import { ServiceError } from '../../client/errors.ts'
import { count } from '../../domain/count.ts'
import { given } from '../../domain/given.ts'
import type { BatchItem, BatchOptions } from '../../schemas/batch.ts'
import { CliError } from '../client/cli-error.ts'
import type { ReadItem } from '../client/client.ts'
import type { Session } from '../client/session.ts'
import type { ProgressView } from '../output/progress.ts'
import { clip, oneLine, unreadText } from '../results/terminal-text.ts'
import { collect } from './command-options.ts'

/** Warnings that are printed one by one. */
const MOST_WARNINGS = 20
/** Files that are named for each reason. */
const MOST_NAMED = 10

export type Trial = Extract<TrialItem, { kind: 'trial' }>

interface Counts {
  trials: number
  skipped: number
  /** Loose files that are no trajectories. No trial is lost with them. */
  files: number
  /** Skipped trials without a ground truth. */
  without_truth: number
  /** Trials with unread records. */
  unread: number
  warnings: number
}

/** The trials of a reading. Skipped trials are printed by name and counted. */
export interface TrialStream {
  readonly counts: Counts
  trials(): AsyncGenerator<Trial>
  items(): AsyncGenerator<ReadItem>
  /** Returns the place of a sent item, by its index from 0; null for an unknown index. */
  placeAt(index: number): string | null
  /** Returns the error that broke the reading, or null. `fetch` hides it. */
  fault(): unknown
}

/**
 * Opens a stream of trials, and reads the first trial. Throws where there is no trial to grade. `truths` is the file of ground truths, for
 * hints; `open` receives the printer of warnings about no single trial.
 */
export async function openTrialStream(
  open: (warn: (text: string) => void) => AsyncIterable<TrialItem>,
  view: ProgressView,
  truths?: string,
): Promise<TrialStream> {
  const counts: Counts = { trials: 0, skipped: 0, files: 0, without_truth: 0, unread: 0, warnings: 0 }
  const places: string[] = []
  let fault: unknown = null
  const warn = (text: string) => {
    counts.warnings++
    view.note(`warning  ${text}`)
  }
  const source = sift(open(warn), counts, view)
  const first = await source.next()
  if (first.done === true) throw nothingToGrade(counts, truths)
  async function* trials(): AsyncGenerator<Trial> {
    try {
      if (first.done !== true) yield first.value
      yield* source
      if (counts.without_truth > 0) view.note(truthHint(counts, truths))
    } catch (error) {
      fault = error
      throw error
    }
  }
  async function* items(): AsyncGenerator<ReadItem> {
    for await (const trial of trials()) {
      places.push(placeOf(trial))
      yield { item: itemOf(trial), trajectory: trial.trajectory }
    }
  }
  return { counts, trials, items, placeAt: (index) => places[index] ?? null, fault: () => fault }
}

function nothingToGrade(counts: Counts, truths: string | undefined): CliError {
  if (counts.skipped === 0)
    return new CliError(
      `nothing to grade: no trial was found there${counts.files === 0 ? '' : ` (${filesText(counts)})`}`,
      ['`veridict batch --help` says what PATH can be.'],
    )
  return new CliError(`nothing to grade: ${count(counts.skipped, 'trial')} skipped, none can be graded`, [
    'Each skipped one is named above with its reason; `veridict batch --help` says what PATH can be.',
    ...(counts.without_truth > 0 ? [truthHint(counts, truths)] : []),
  ])
}

/** Renders the hint about trials without a ground truth, once for all of them. */
const truthHint = ({ without_truth }: Counts, truths: string | undefined): string =>
  truths === undefined
    ? `${count(without_truth, 'trial')} without a ground truth: give -g FILE with a row a task, or put a ground_truth.json into the trial’s folder or one above`
    : `${count(without_truth, 'trial')} without a ground truth: what ${oneLine(truths)} lacks for each is said above`

export const itemOf = ({ name, request }: Trial): BatchItem => ({ item_id: name, ...request })

async function* sift(items: AsyncIterable<TrialItem>, counts: Counts, view: ProgressView): AsyncGenerator<Trial> {
  const files = new Map<string, SkippedFiles>()
  try {
    for await (const item of items) {
      if (item.kind === 'skipped') {
        skip(item, counts, files, view)
        continue
      }
      counts.trials++
      const unread = unreadText(item.trajectory?.unread ?? null)
      if (unread !== '' && ++counts.unread <= MOST_WARNINGS) view.note(`unread   ${placeOf(item)}  ${unread}`)
      for (const warning of item.warnings) {
        counts.warnings++
        if (counts.warnings <= MOST_WARNINGS) view.note(`warning  ${placeOf(item)}  ${clip(warning, 300)}`)
      }
      view.doing(`reading: ${countsText(counts)}`)
      yield item
    }
  } finally {
    // Also after a broken or cancelled reading.
    for (const alike of files.values()) view.note(filesSkippedText(alike))
  }
}

/** Files skipped for the same reason: the count and the first files. */
interface SkippedFiles {
  readonly named: SkippedItem[]
  count: number
}

/** Prints a skipped trial at once. Skipped files are printed at the end, grouped by reason. */
function skip(item: SkippedItem, counts: Counts, files: Map<string, SkippedFiles>, view: ProgressView): void {
  if (isTrial(item)) {
    counts.skipped++
    if (item.reason === 'no_ground_truth') counts.without_truth++
    view.note(skippedText(item))
    return
  }
  counts.files += item.files ?? 1
  const alike = files.get(item.detail) ?? { named: [], count: 0 }
  files.set(item.detail, alike)
  alike.count++
  if (alike.named.length < MOST_NAMED) alike.named.push(item)
}

/** Renders the files skipped for one reason, on one line. */
function filesSkippedText({ named, count: all }: SkippedFiles): string {
  const [first, ...others] = named as [SkippedItem, ...SkippedItem[]]
  if (others.length === 0) return skippedText(first)
  const names = named.map(placeOf)
  const more = all > names.length ? `, and ${all - names.length} more` : ''
  return `skipped  ${all} files  ${first.reason}: ${clip(first.detail, 300)}: ${names.join(', ')}${more}`
}

const filesText = ({ files }: Counts): string =>
  count(files, 'file that is no trajectory', 'files that are no trajectories')

/** Tells whether a skipped item is a lost trial. A file of unknown format may hold anything. */
export const isTrial = (item: SkippedItem): boolean => item.reason !== 'unsupported'

export const skippedText = (item: SkippedItem): string =>
  `skipped  ${placeOf(item)}  ${item.reason}: ${clip(item.detail, 300)}`

/** Renders the name of a trial, with its source where the name alone does not tell it. */
const placeOf = ({ name, source }: TrialItem): string =>
  source.endsWith(name) || name === source ? oneLine(name) : `${oneLine(name)} (${oneLine(source)})`

export function countsText(counts: Counts): string {
  const { trials, skipped, files, unread, warnings } = counts
  const more = [
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(files > 0 ? [filesText(counts)] : []),
    ...(unread > 0 ? [`${unread} with unread records`] : []),
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
  ]
  return [count(trials, 'trial'), ...more].join(', ')
}

export interface TrialsOptions {
  readonly groundTruth?: string
  readonly signals?: readonly string[]
  readonly variant?: string
}

/** Builds a command over trials: paths, ground truths, signals, variant. */
export const pathsCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .argument(
      '<path...>',
      'folders, trajectory files, .tar, .tar.gz, .tar.zst and .zip of them, or NDJSON of grade requests',
    )
    .option('-g, --ground-truth <file>', 'NDJSON, JSON or CSV with a row a task; else each trial’s own')
    .option('--signals <spec>', 'where a trial says appeared, executed or resolved; may be repeated', collect)
    .option('--variant <name>', 'a name for what sets these trials apart, kept in their metadata')

/** Reads the trials of a command until Ctrl-C. `warn` receives warnings about no single trial. */
export const openTrials = (
  { shell, signal, connection }: Session,
  paths: readonly string[],
  { groundTruth, signals, variant, rubric }: TrialsOptions & { readonly rubric?: string },
  warn: (text: string) => void,
): AsyncIterable<TrialItem> =>
  shell.readTrials(paths, {
    signals: signals ?? [],
    abort: signal,
    onMissing: warn,
    ...(connection.limits !== null && { limits: connection.limits }),
    ...given({ ground_truth: groundTruth, variant, rubric }),
  })

/** A trial without content. */
const BLANK = {
  item: {
    trajectory: { steps: [{ actor: 'user', text: '–' }] },
    ground_truth: { instruction: '–', cue: { text: '–' } },
  },
  trajectory: null,
} as const

/**
 * Throws the service's refusal of a typed judge or rubric before the paths are read, which may take minutes. A dry run of a blank trial
 * asks the service, and keeps nothing; a refusal of the blank trial itself does not count.
 */
export async function checkGrading({ client, signal }: Session, options: BatchOptions): Promise<void> {
  const { judge, rubric } = options
  if (judge === undefined && rubric === undefined) return
  async function* blank() {
    yield BLANK
  }
  await client.estimateBatch(options, blank(), signal).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error
    const places = error.errors.map((issue) => ({ ...issue, path: issue.path.replace(/^\/items\/0/, '') }))
    // Trials can name their own judge.
    const isTyped = places.some(({ path }) => path === '/rubric' || (judge !== undefined && OF_JUDGE.includes(path)))
    if (isTyped) throw new ServiceError(error.status, { code: error.code, detail: error.message, errors: places })
  })
}

/** Places of a refused judge. */
const OF_JUDGE = ['/judge', '/mode', '/max_cost_usd']

/** Awaits an upload. Throws the fault of the reading, if the reading broke the upload. */
export async function unlessBroken<T>(stream: TrialStream, sent: Promise<T>): Promise<T> {
  return await sent.catch((error: unknown) => {
    throw stream.fault() ?? (error instanceof ServiceError ? placed(error, stream) : error)
  })
}

/** Replaces the line numbers of a refusal by the names of the trials. */
function placed(error: ServiceError, stream: TrialStream): ServiceError {
  let detail = error.message
  const errors = error.errors.map(({ path, message }) => {
    const [, list, digits = '', ...rest] = path.split('/')
    const place = list === 'items' && digits !== '' ? stream.placeAt(Number(digits)) : null
    if (place === null) return { path, message }
    const sent = `line ${Number(digits) + 1}`
    if (detail.startsWith(`${sent} `)) detail = `${place}${detail.slice(sent.length)}`
    return { path: `${place} ${rest.map((name) => `/${name}`).join('')}`.trim(), message }
  })
  return new ServiceError(error.status, { code: error.code, detail, errors })
}
