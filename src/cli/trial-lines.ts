import type { TrialItem } from '../archives/trial-item.ts'
import type { BatchItem } from '../schemas/batch.ts'
import { CliError } from './cli-error.ts'
import { encodeLine } from './ndjson.ts'
import type { ProgressView } from './progress-view.ts'
import { clip, count, oneLine } from './terminal-text.ts'

/** How many warnings are told one by one. */
const MOST_WARNINGS = 20

export type Trial = Extract<TrialItem, { kind: 'trial' }>

/** The trials of a reading; what is skipped is told by name as it comes, and counted. */
export interface TrialStream {
  readonly counts: { trials: number; skipped: number; warnings: number }
  trials(): AsyncGenerator<Trial>
  /** Lines of `BatchItem`. */
  lines(): AsyncGenerator<Uint8Array>
  /** What broke the reading, if anything did: fetch hides it. */
  fault(): unknown
}

/** Reads up to the first trial, so that nothing is begun where there is nothing to grade. */
export async function openTrialStream(items: AsyncIterable<TrialItem>, view: ProgressView): Promise<TrialStream> {
  const counts = { trials: 0, skipped: 0, warnings: 0 }
  let fault: unknown = null
  const source = sift(items, counts, view)
  const first = await source.next()
  if (first.done === true)
    throw new CliError(`nothing to grade: ${count(counts.skipped, 'trial')} skipped, none readable`, [
      'Each skipped one is named above with its reason; `veridict batch --help` says what PATH can be.',
    ])
  async function* trials(): AsyncGenerator<Trial> {
    try {
      if (first.done !== true) yield first.value
      yield* source
    } catch (error) {
      fault = error
      throw error
    }
  }
  async function* lines(): AsyncGenerator<Uint8Array> {
    for await (const trial of trials()) yield encodeLine(itemOf(trial))
  }
  return { counts, trials, lines, fault: () => fault }
}

export const itemOf = ({ name, request }: Trial): BatchItem => ({ item_id: name, ...request })

async function* sift(
  items: AsyncIterable<TrialItem>,
  counts: TrialStream['counts'],
  view: ProgressView,
): AsyncGenerator<Trial> {
  for await (const item of items) {
    if (item.kind === 'skipped') {
      counts.skipped++
      view.note(skippedText(item))
      continue
    }
    counts.trials++
    for (const warning of item.warnings) {
      counts.warnings++
      if (counts.warnings <= MOST_WARNINGS) view.note(`warning  ${placeOf(item)}  ${clip(warning, 300)}`)
    }
    view.doing(`reading: ${countsText(counts)}`)
    yield item
  }
}

export const skippedText = (item: Extract<TrialItem, { kind: 'skipped' }>): string =>
  `skipped  ${placeOf(item)}  ${item.reason}: ${clip(item.detail, 300)}`

/** The name, and where it stands when the name alone does not say it. */
const placeOf = ({ name, source }: TrialItem): string =>
  source.endsWith(name) || name === source ? oneLine(name) : `${oneLine(name)} (${oneLine(source)})`

export function countsText({ trials, skipped, warnings }: TrialStream['counts']): string {
  const more = [...(skipped > 0 ? [`${skipped} skipped`] : []), ...(warnings > 0 ? [count(warnings, 'warning')] : [])]
  return [count(trials, 'trial'), ...more].join(', ')
}
