import type { JudgeView, UnconfiguredJudge } from '../../schemas/judge-info.ts'
import { clip, pad, wrap } from '../results/terminal-text.ts'

/** A judge as a service lists it. Earlier versions of the service leave out the base URL. */
type JudgeRow = Omit<JudgeView, 'base_url'> & Partial<Pick<JudgeView, 'base_url'>>

/** The judges of a service. Earlier versions of the service leave out the judges that lack their key. */
export interface JudgeRows {
  readonly items: readonly JudgeRow[]
  readonly not_configured?: readonly UnconfiguredJudge[]
}

/** Writes the name of a judge and its description; for a model also address, model, price and window. */
export function judgeText(judge: JudgeRow, columns: number): string {
  const about = `${judge.description}${judge.images ? ', sees pictures' : ''}`
  const settings = judge.kind === 'model' ? settingsOf(judge) : []
  return entryText(judge, [['about', about], ...settings], columns)
}

/** Writes the name of a judge that lacks its key, and the reason. */
export const unconfiguredText = (judge: UnconfiguredJudge, columns: number): string =>
  entryText(judge, [['about', `not configured: ${judge.reason}`]], columns)

type Entry = readonly [name: string, value: string]

function entryText(judge: { name: string; default: boolean }, entries: readonly Entry[], columns: number): string {
  const lines = entries.map(([name, value]) => `  ${pad(name, 8)}  ${wrap(clip(value, 1000), columns, 12)}\n`)
  return `${clip(judge.name, 200)}${judge.default ? ' (default)' : ''}\n${lines.join('')}`
}

function settingsOf({ base_url, model, price, window_tokens }: JudgeRow): Entry[] {
  if (base_url === undefined) return [['model', model ?? '–']]
  return [
    ['base URL', base_url ?? '–'],
    ['model', model ?? '–'],
    ['price', priceText(price)],
    ['window', window_tokens === null ? 'no limit' : `${window_tokens} tokens`],
  ]
}

function priceText(price: JudgeView['price']): string {
  if (price === null) return 'unknown: not asked under a cap of dollars'
  const { input_per_mtok, output_per_mtok, cache_read_per_mtok, cache_write_per_mtok, as_of } = price
  const cache = `cache read $${cache_read_per_mtok}, write $${cache_write_per_mtok}`
  const day = as_of === null ? '' : `, as of ${as_of}`
  return `in $${input_per_mtok}, out $${output_per_mtok}, ${cache}, per million tokens${day}`
}
