import { type Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_PROJECT, isProjectName, SCOPES, type Scope } from '../../access/access.ts'
import { type KeyPlan, USUAL_SCOPES } from '../../access/keys.ts'
import { given } from '../../domain/given.ts'
import { parseCount, parseDollars } from './command-options.ts'

export interface CreateOptions {
  readonly project: string
  readonly scopes: readonly Scope[]
  readonly expires?: number
  readonly maxRequestsPerMinute?: number
  readonly maxCostUsdPerDay?: number
  readonly output?: 'text' | 'json'
}

export const withCreateOptions = (command: Command): Command =>
  command
    .option('--project <name>', 'what the key opens; made where there is none', parseProject, DEFAULT_PROJECT)
    .addOption(
      new Option('--scopes <list>', 'what it may do: any of grade,read,review,admin,operator')
        .argParser(parseScopes)
        .default(USUAL_SCOPES, USUAL_SCOPES.join(',')),
    )
    .option('--expires <time>', 'ends by itself after so long: 12h, 90d, 52w; never unless given', parseDuration)
    .option('--max-requests-per-minute <n>', 'answered with 429 above, by each process for itself', parseCount)
    .option(
      '--max-cost-usd-per-day <usd>',
      'hard cap on judge calls made for it in a day (UTC); budget_exceeded above',
      parseDollars,
    )
    .addOption(new Option('-o, --output <format>', 'the token alone, or the key as JSON').choices(['text', 'json']))

export const planOf = (name: string, options: CreateOptions, now: Date): KeyPlan => ({
  ...{ name, project: options.project, scopes: options.scopes },
  ...(options.expires !== undefined && { expires_at: new Date(now.getTime() + options.expires) }),
  ...given({
    max_requests_per_minute: options.maxRequestsPerMinute,
    max_cost_usd_per_day: options.maxCostUsdPerDay,
  }),
})

export function parseProject(text: string): string {
  if (!isProjectName(text))
    throw new InvalidArgumentError('It is 1 to 40 characters of a-z, 0-9 and "-", and does not begin with "-".')
  return text
}

function parseScopes(text: string): readonly Scope[] {
  return text.split(',').map((given) => {
    const scope = SCOPES.find((one) => one === given.trim())
    if (scope === undefined) throw new InvalidArgumentError(`There are: ${SCOPES.join(', ')}.`)
    return scope
  })
}

const UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const
const MOST_MS = 100 * 366 * UNIT_MS.d

/** Parses a duration to milliseconds. */
export function parseDuration(text: string): number {
  const [, n, unit] = /^([1-9]\d{0,5})([hdw])$/.exec(text) ?? []
  const ms = Number(n) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? Number.NaN)
  if (!(ms <= MOST_MS)) throw new InvalidArgumentError('It is a number with h, d or w, like 12h, 90d or 52w.')
  return ms
}
