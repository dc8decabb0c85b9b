import type { KeyView } from '../../access/keys.ts'
import { count } from '../../domain/count.ts'
import { clip, columns, dollars, oneLine } from '../results/terminal-text.ts'

/** Renders a key in a few lines. */
export function renderKey(key: KeyView): string {
  return [
    `${key.id} (${oneLine(key.name)}): project ${key.project}, may ${key.scopes.join(', ')}`,
    `ends ${key.expires_at ?? 'never by itself'}; ${limitsOf(key) || 'no limits'}`,
  ].join('\n')
}

const COLUMNS: readonly (readonly [title: string, width: number, of: (key: KeyView) => string])[] = [
  ['id', 20, ({ id }) => id],
  ['name', 20, ({ name }) => clip(name, 20)],
  ['project', 16, ({ project }) => clip(project, 16)],
  ['state', 8, ({ state }) => state],
  ['scopes', 18, ({ scopes }) => scopes.join(',')],
  ['last used', 16, ({ last_used_at }) => minute(last_used_at)],
  ['ends', 16, ({ expires_at }) => minute(expires_at)],
  ['limits', 0, limitsOf],
]

const WIDTHS = COLUMNS.map(([, width]) => width)

export const renderKeyTable = (keys: readonly KeyView[]): string =>
  [COLUMNS.map(([title]) => title), ...keys.map((key) => COLUMNS.map(([, , of]) => of(key)))]
    .map((cells) => `${columns(cells, WIDTHS)}\n`)
    .join('')

/** Renders a time: `2026-11-21 10:59`, UTC. */
const minute = (at: string | null): string => (at === null ? 'never' : at.slice(0, 16).replace('T', ' '))

function limitsOf({ max_requests_per_minute, max_cost_usd_per_day }: KeyView): string {
  return [
    ...(max_requests_per_minute === null ? [] : [`${count(max_requests_per_minute, 'request')} a minute`]),
    ...(max_cost_usd_per_day === null ? [] : [`${dollars(max_cost_usd_per_day)} a day`]),
  ].join(', ')
}
