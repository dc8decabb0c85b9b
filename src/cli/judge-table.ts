import type { JudgeView } from '../schemas/judge-info.ts'
import { clip, oneLine, pad } from './terminal-text.ts'

/** What a service says of a judge. Earlier versions said neither whom it asks nor who decided that. */
export type JudgeRow = Omit<JudgeView, 'base_url' | 'sources'> & Partial<Pick<JudgeView, 'base_url' | 'sources'>>

/** A judge in a line, and below it of a model what it is asked as, each with who decided it. */
export function judgeText(judge: JudgeRow): string {
  const model = judge.model === null ? '–' : oneLine(judge.model)
  const text = [judge.default ? '(default) ' : '', judge.description, judge.images ? ', sees pictures' : ''].join('')
  const row = `${pad(clip(judge.name, 24), 24)}  ${pad(clip(model, 30), 30)}  ${clip(text, 120)}`
  return `${[row, ...(judge.kind === 'model' ? settingLines(judge) : [])].join('\n')}\n`
}

function settingLines({ base_url, model, price, window_tokens, sources }: JudgeRow): string[] {
  if (base_url === undefined || sources === undefined) return []
  const settings = [
    ['base URL', base_url, sources.base_url],
    ['model', model, sources.model],
    ['price', priceText(price), sources.price],
    ['window', window_tokens === null ? 'no limit' : `${window_tokens} tokens`, sources.window_tokens],
  ] as const
  return settings.map(
    ([name, value, source]) => `  ${pad(name, 8)}  ${clip(`${value} (${SAID[source] ?? source})`, 300)}`,
  )
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
