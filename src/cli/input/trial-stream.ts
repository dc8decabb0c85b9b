import type { SkippedItem, TrialItem } from '../../archives/trials/reading-job.ts'
import { ServiceError } from '../../client/errors.ts'
import { defined } from '../../domain/result.ts'
import { count } from '../../domain/words.ts'
import type { ReadItem } from '../../library/veridict.ts'
import type { BatchItem } from '../../schemas/batch.ts'
import { CliError } from '../errors.ts'
import type { ProgressView } from '../output/progress.ts'
import { clip, oneLine, unreadText } from '../output/text.ts'
import type { Session } from '../session.ts'
import type { Options } from './command-options.ts'

/** Warnings that are printed. */
const MOST_WARNINGS = 20
/** Files that are named for each reason. */
const MOST_NAMED = 10

export type Trial = Extract<TrialItem, { kind: 'trial' }>

/** Counts of a reading. `files`: loose files that are no trajectories; no trial is lost with them. */
const newCounts = () => ({ trials: 0, skipped: 0, files: 0, without_truth: 0, unread: 0, warnings: 0 })
type Counts = ReturnType<typeof newCounts>

/** The trials of a reading. Skipped trials are printed by name and counted. */
interface TrialStream {
  readonly counts: Counts
  trials(): AsyncGenerator<Trial>
  /**
   * Sends the trials by `upload`. Throws the error that broke the reading, which `fetch` hides; a refusal names the trial instead of the
   * line.
   */
  send<T>(upload: (items: AsyncIterable<ReadItem>) => Promise<T>): Promise<T>
}

/** Opens the trials of a command, and reads the first trial. Throws where there is no trial to grade. */
export const openTrials = (session: Session, paths: readonly string[], options: Options): Promise<TrialStream> => {
  const { shell, signal, local, view } = session
  const { groundTruth, signals = [], variant, rubric } = options
  const read = (warn: (text: string) => void) =>
    shell.readTrials(paths, {
      ...{ signals, abort: signal, onMissing: warn },
      ...(local !== null && { limits: local.limits }),
      ...defined({ ground_truth: groundTruth, variant, rubric }),
    })
  return openTrialStream(read, view, groundTruth)
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
  const counts = newCounts()
  const places: string[] = []
  let fault: unknown = null
  const source = sift(
    open((text) => {
      counts.warnings++
      view.note(`warning  ${text}`)
    }),
    counts,
    view,
  )
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
    const ids = new Map<string, string>()
    for await (const trial of trials()) {
      const { item_id: id, source } = trial
      const before = id === undefined ? undefined : ids.get(id)
      if (id !== undefined && before !== undefined) {
        fault = usedTwice(id, before, source)
        throw fault
      }
      if (id !== undefined) ids.set(id, source)
      places.push(placeOf(trial))
      yield { item: itemOf(trial), trajectory: trial.trajectory }
    }
  }
  const explain = (error: unknown): never => {
    throw fault ?? (error instanceof ServiceError ? placed(error, places) : error)
  }
  return { counts, trials, send: (upload) => upload(items()).catch(explain) }
}

export const itemOf = ({ name, request }: Trial): BatchItem => ({ item_id: name, ...request })

/** Builds the error of an `item_id` that two lines give; a service refuses such a batch, too. */
const usedTwice = (id: string, before: string, again: string): CliError =>
  new CliError(`two items have the item_id ${oneLine(id)}: ${oneLine(before)} and ${oneLine(again)}`, [
    'Give each line an item_id of its own, or none.',
  ])

/** Replaces the line numbers of a refusal by the places of the trials. */
function placed(error: ServiceError, places: readonly string[]): ServiceError {
  let { detail } = error
  const errors = error.errors.map(({ path, message }) => {
    const [, list, digits = '', ...rest] = path.split('/')
    const place = list === 'items' && digits !== '' ? places[Number(digits)] : undefined
    if (place === undefined) return { path, message }
    const sent = `line ${Number(digits) + 1}`
    if (detail.startsWith(`${sent} `)) detail = `${place}${detail.slice(sent.length)}`
    return { path: `${place} ${rest.map((name) => `/${name}`).join('')}`.trim(), message }
  })
  return new ServiceError(error.status, { code: error.code, detail, errors })
}

function nothingToGrade(counts: Counts, truths: string | undefined): CliError {
  const help = '`veridict batch --help` lists the kinds of PATH.'
  if (counts.skipped === 0) {
    const files = counts.files === 0 ? '' : ` (${filesText(counts)})`
    return new CliError(`nothing to grade: no trial was found there${files}`, [help])
  }
  return new CliError(`nothing to grade: ${count(counts.skipped, 'trial')} skipped, none can be graded`, [
    `Each skipped trial is named above with its reason; ${help}`,
    ...(counts.without_truth > 0 ? [truthHint(counts, truths)] : []),
  ])
}

/** Renders the hint about trials without a ground truth, once for all of them. */
const truthHint = ({ without_truth }: Counts, truths: string | undefined): string =>
  `${count(without_truth, 'trial')} without a ground truth: ${
    truths === undefined
      ? 'give -g FILE with a row a task, or put a ground_truth.json into the trial’s folder or a folder above'
      : `what ${oneLine(truths)} lacks for each is said above`
  }`

/** Passes on the trials of a reading; prints and counts the other items. */
async function* sift(items: AsyncIterable<TrialItem>, counts: Counts, view: ProgressView): AsyncGenerator<Trial> {
  /** Skipped files by reason, which are printed at the end; of the names, the first. */
  const files = new Map<string, { readonly named: SkippedItem[]; count: number }>()
  try {
    for await (const item of items) {
      if (item.kind === 'trial') {
        noteTrial(item, counts, view)
        view.doing(`reading: ${countsText(counts)}`)
        yield item
      } else if (isTrial(item)) {
        counts.skipped++
        if (item.reason === 'no_ground_truth') counts.without_truth++
        view.note(skippedText(item))
      } else {
        counts.files += item.files ?? 1
        const alike = files.get(item.detail) ?? { named: [], count: 0 }
        files.set(item.detail, alike)
        alike.count++
        if (alike.named.length < MOST_NAMED) alike.named.push(item)
      }
    }
  } finally {
    // Also after a broken or cancelled reading.
    for (const { named, count } of files.values()) view.note(filesSkippedText(named, count))
  }
}

/** Counts a trial, and prints its unread records and warnings. */
function noteTrial(trial: Trial, counts: Counts, view: ProgressView): void {
  counts.trials++
  const unread = unreadText(trial.trajectory?.unread ?? null)
  if (unread !== '' && ++counts.unread <= MOST_WARNINGS) view.note(`unread   ${placeOf(trial)}  ${unread}`)
  for (const warning of trial.warnings)
    if (++counts.warnings <= MOST_WARNINGS) view.note(`warning  ${placeOf(trial)}  ${clip(warning, 300)}`)
}

/** Renders the files skipped for one reason, on one line. */
function filesSkippedText(named: readonly SkippedItem[], all: number): string {
  const [first, ...others] = named as [SkippedItem, ...SkippedItem[]]
  if (others.length === 0) return skippedText(first)
  const more = all > named.length ? `, and ${all - named.length} more` : ''
  return `skipped  ${all} files  ${first.reason}: ${clip(first.detail, 300)}: ${named.map(placeOf).join(', ')}${more}`
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

export const countsText = (counts: Counts): string =>
  [
    count(counts.trials, 'trial'),
    ...(counts.skipped > 0 ? [`${counts.skipped} skipped`] : []),
    ...(counts.files > 0 ? [filesText(counts)] : []),
    ...(counts.unread > 0 ? [`${counts.unread} with unread records`] : []),
    ...(counts.warnings > 0 ? [count(counts.warnings, 'warning')] : []),
  ].join(', ')
