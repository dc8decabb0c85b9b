import { count } from '../../domain/count.ts'
import type { JudgeView, UnconfiguredJudge } from '../../schemas/judge-info.ts'
import { clip, pad, wrap } from '../results/terminal-text.ts'

/** What a service says of a judge. Earlier versions said neither whom it asks nor who decided that. */
type JudgeRow = Omit<JudgeView, 'base_url' | 'sources'> & Partial<Pick<JudgeView, 'base_url' | 'sources'>>

/** Earlier versions said nothing of judges that lack their key. */
export interface JudgeRows {
  readonly items: readonly JudgeRow[]
  readonly not_configured?: readonly UnconfiguredJudge[]
}

/** The name of a judge, and below it what it is; of a model also what it is asked as, each with who decided it. */
export function judgeText(judge: JudgeRow, columns: number, now: Date): string {
  const about = `${judge.description}${judge.images ? ', sees pictures' : ''}`
  const settings = judge.kind === 'model' ? settingsOf(judge) : []
  return entryText(judge, [['about', about], ...settings, ...retirementOf(judge, now)], columns)
}

/** The same of a judge that cannot be asked. */
export const unconfiguredText = (judge: UnconfiguredJudge, columns: number): string =>
  entryText(judge, [['about', `not configured: ${judge.reason}`]], columns)

type Entry = readonly [name: string, value: string]

function entryText(judge: { name: string; default: boolean }, entries: readonly Entry[], columns: number): string {
  const lines = entries.map(([name, value]) => `  ${pad(name, 8)}  ${wrap(clip(value, 1000), columns, 12)}\n`)
  return `${clip(judge.name, 200)}${judge.default ? ' (default)' : ''}\n${lines.join('')}`
}

function settingsOf({ base_url, model, price, window_tokens, sources }: JudgeRow): Entry[] {
  if (base_url === undefined || sources === undefined) return [['model', model ?? '–']]
  const settings = [
    ['base URL', base_url, sources.base_url],
    ['model', model, sources.model],
    ['price', priceText(price), sources.price],
    ['window', window_tokens === null ? 'no limit' : `${window_tokens} tokens`, sources.window_tokens],
  ] as const
  return settings.map(([name, value, source]) => [name, `${value} (${SAID[source] ?? source})`])
}

/** Variables stand for themselves. */
const SAID: Readonly<Record<string, string>> = { provider_table: 'provider table' }

function priceText(price: JudgeView['price']): string {
  if (price === null) return 'unknown: not asked under a cap of dollars'
  const { input_per_mtok, output_per_mtok, cache_read_per_mtok, cache_write_per_mtok, as_of } = price
  const cache = `cache read $${cache_read_per_mtok}, write $${cache_write_per_mtok}`
  const day = as_of === null ? '' : `, as of ${as_of}`
  return `in $${input_per_mtok}, out $${output_per_mtok}, ${cache}, per million tokens${day}`
}

const DAY_MS = 24 * 60 * 60 * 1000
const VALIDATE = 'see in time whether another judges alike: veridict validate … --against FILE'

/** When the provider retires the model, and what to do before. */
function retirementOf({ lifecycle }: JudgeRow, now: Date): Entry[] {
  if (lifecycle === undefined) return []
  const { stage, retires_at, reason } = lifecycle
  if (stage === 'retired') return [['retired', `the provider no longer answers as this model; ${VALIDATE}`]]
  const days = retires_at === null ? null : Math.floor((Date.parse(retires_at) - now.getTime()) / DAY_MS)
  if (retires_at !== null && days !== null) {
    const when = days < 0 ? 'which is past' : days === 0 ? 'within a day' : `in ${count(days, 'day')}`
    return [['retires', `${retires_at.slice(0, 10)}, ${when}; ${VALIDATE}`]]
  }
  if (stage === 'deprecated') return [['retires', `deprecated, with no date yet; ${VALIDATE}`]]
  return [['retires', reason ?? (stage === null ? 'the provider names no date' : 'no retirement is planned')]]
}
