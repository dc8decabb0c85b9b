import { Command, InvalidArgumentError, Option } from 'commander'
import {
  type AccessStore,
  createKey,
  findPlanFault,
  type KeyPlan,
  type KeyView,
  listKeys,
  revokeKey,
  SCOPES,
  type Scope,
  USUAL_SCOPES,
} from '../../access/keys.ts'
import { storeOf } from '../../boot/open-store.ts'
import { defined } from '../../domain/result.ts'
import { count } from '../../domain/words.ts'
import { assertDatabase, configurationOf } from '../database.ts'
import { CliError, EXIT } from '../errors.ts'
import { jsonCommand, parseCount, parseDollars } from '../input/command-options.ts'
import { tableOf } from '../output/table.ts'
import { clip, dollars, line, oneLine } from '../output/text.ts'
import { type Console, inConsole } from '../session.ts'
import type { Shell } from '../shell.ts'

/** The keys of the configured database. A service may run beside this process. */
interface StoredKeys extends Console {
  readonly store: AccessStore
  /** The name of the database, without secrets. */
  readonly database: string
}

/** Builds `veridict keys …`, which works on the database, with or without a service. */
export function keysCommand(shell: Shell): Command {
  const withKeys = (
    options: { readonly json?: boolean },
    work: (stored: StoredKeys) => Promise<unknown>,
    { makes } = { makes: false },
  ) =>
    inConsole(shell, options, async (console) => {
      const { config, secrets } = configurationOf(shell.env)
      if (!makes) assertDatabase(config)
      const store = storeOf(config, secrets)
      const stores = await store.open()
      try {
        console.data = await work({ ...console, store: stores.access, database: store.shown })
      } finally {
        await stores.close()
      }
      return EXIT.graded
    })
  return new Command('keys')
    .description('make, list and revoke keys of the service')
    .addHelpText('after', KEYS_HELP)
    .addCommand(
      jsonCommand('create', 'make a key, and print the key this once')
        .argument('<name>', 'the user or program of the key')
        .addOption(
          new Option('--scopes <list>', `the rights of the key: any of ${SCOPES.join(',')}`)
            .argParser(parseScopes)
            .default(USUAL_SCOPES, USUAL_SCOPES.join(',')),
        )
        .option('--expires <time>', 'the life of the key: 12h, 90d, 52w (default: no end)', parseDuration)
        .option('--max-requests-per-minute <n>', 'each process answers more requests with 429', parseCount)
        .option(
          '--max-cost-usd-per-day <usd>',
          'hard cap on judge calls for the key in a day (UTC); budget_exceeded above',
          parseDollars,
        )
        .addOption(new Option('-o, --output <format>', 'the token alone, or the key as JSON').choices(['text', 'json']))
        .addHelpText('after', CREATE_HELP)
        .action((name: string, options: CreateOptions) =>
          withKeys(options, (stored) => create(stored, name, options), { makes: true }),
        ),
    )
    .addCommand(
      jsonCommand('list', 'list all keys, without their secrets')
        .addOption(new Option('-o, --output <format>', 'a table, or a JSON object a row').choices(['table', 'json']))
        .addHelpText('after', LIST_HELP)
        .action((options: ListOptions) => withKeys(options, (stored) => list(stored, options.output === 'json'))),
    )
    .addCommand(
      jsonCommand('revoke', 'end a key and its sessions at once')
        .argument('<id>', 'key_…, as `keys list` shows it')
        .addHelpText('after', REVOKE_HELP)
        .action((id: string, options: ListOptions) => withKeys(options, (stored) => revoke(stored, id))),
    )
}

async function create({ store, database, target, shell }: StoredKeys, name: string, options: CreateOptions) {
  const now = new Date()
  const {
    scopes,
    expires,
    maxRequestsPerMinute: max_requests_per_minute,
    maxCostUsdPerDay: max_cost_usd_per_day,
  } = options
  const plan: KeyPlan = {
    ...{ name, scopes },
    ...(expires !== undefined && { expires_at: new Date(now.getTime() + expires) }),
    ...defined({ max_requests_per_minute, max_cost_usd_per_day }),
  }
  const fault = findPlanFault(plan, now)
  if (fault !== null) throw new CliError(`no key was made: ${fault}`)
  const { key, token } = await createKey(store, plan, now)
  await target.write(options.output === 'json' ? line({ ...key, token }) : `${token}\n`)
  if (!options.json) shell.err.write(`${renderKey(key)}\nin ${oneLine(database)}\n${ONCE}\n`)
  return { ...key, token }
}

const ONCE =
  'The key above is shown this once: the database keeps only its digest. Give the key as VERIDICT_API_KEY, or as Authorization: Bearer.'

async function list({ store, database, target, shell }: StoredKeys, json: boolean) {
  const keys = await listKeys(store, new Date())
  if (!json && keys.length > 0) await target.write(TABLE.head())
  for (const key of keys) await target.write(json ? line(key) : TABLE.row(key))
  if (keys.length === 0) shell.err.write(`no keys in ${oneLine(database)}; veridict keys create NAME makes a key\n`)
  return keys
}

async function revoke({ store, database, shell, json }: StoredKeys, id: string) {
  const key = await revokeKey(store, id, new Date())
  if (key === null) {
    const hint = id.startsWith('vk_')
      ? ['Give the id, not the key itself: key_ and the part between the two first "_".']
      : []
    throw new CliError(`there is no such key in ${oneLine(database)}`, [...hint, 'The keys: veridict keys list'])
  }
  const text = `${key.id} (${oneLine(key.name)}) is revoked since ${key.revoked_at}; batches that it began go on\n`
  if (!json) shell.err.write(text)
  return key
}

interface ListOptions {
  readonly json?: boolean
  readonly output?: string
}

interface CreateOptions {
  readonly json?: boolean
  readonly scopes: readonly Scope[]
  readonly expires?: number
  readonly maxRequestsPerMinute?: number
  readonly maxCostUsdPerDay?: number
  readonly output?: 'text' | 'json'
}

function parseScopes(text: string): readonly Scope[] {
  return text.split(',').map((typed) => {
    const scope = SCOPES.find((name) => name === typed.trim())
    if (scope === undefined) throw new InvalidArgumentError(`The scopes are ${SCOPES.join(', ')}.`)
    return scope
  })
}

const UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const
const MOST_MS = 100 * 366 * UNIT_MS.d

/** Parses a duration to milliseconds. */
export function parseDuration(text: string): number {
  const [, n, unit] = /^([1-9]\d{0,5})([hdw])$/.exec(text) ?? []
  const ms = Number(n) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? Number.NaN)
  if (!(ms <= MOST_MS)) throw new InvalidArgumentError('A duration is a number with h, d or w, like 12h, 90d or 52w.')
  return ms
}

const renderKey = (key: KeyView): string =>
  `${key.id} (${oneLine(key.name)}): may ${key.scopes.join(', ')}\nends ${key.expires_at ?? 'never by itself'}; ${limitsOf(key) || 'no limits'}`

const TABLE = tableOf<KeyView>([
  ['id', 20, ({ id }) => id],
  ['name', 20, ({ name }) => clip(name, 20)],
  ['state', 8, ({ state }) => state],
  ['scopes', 18, ({ scopes }) => scopes.join(',')],
  ['last used', 16, ({ last_used_at }) => minute(last_used_at)],
  ['ends', 16, ({ expires_at }) => minute(expires_at)],
  ['limits', 0, limitsOf],
])

/** Renders a time: `2026-11-21 10:59`, UTC. */
const minute = (at: string | null): string => (at === null ? 'never' : at.slice(0, 16).replace('T', ' '))

function limitsOf({ max_requests_per_minute, max_cost_usd_per_day }: KeyView): string {
  return [
    ...(max_requests_per_minute === null ? [] : [`${count(max_requests_per_minute, 'request')} a minute`]),
    ...(max_cost_usd_per_day === null ? [] : [`${dollars(max_cost_usd_per_day)} a day`]),
  ].join(', ')
}

const WHERE = `Where: the database VERIDICT_DATABASE (or VERIDICT_DATABASE_URL), with or without a running service. A change holds from the next request on.`

const KEYS_HELP = `
A key names the client. A service on loopback needs no key (VERIDICT_ACCESS=on changes that); every request to any other
address needs a key.

${WHERE}

Examples:
  veridict keys create ci --scopes grade,read --expires 90d --max-cost-usd-per-day 20
  veridict keys list
  veridict keys revoke key_0123456789abcdef`

const CREATE_HELP = `
Scopes: read (grades, batches, reports), grade (grade, upload, begin and steer batches), review (write human labels),
admin (read, grade and review), operator (/metrics alone, which admin does not include).
The key alone goes to stdout, other text to stderr. The key cannot be shown again: revoke a lost key, and create another.

${WHERE}

Exit codes: 0 made; 1 bad usage, or the database cannot be used.

Examples:
  export VERIDICT_API_KEY=$(veridict keys create laptop)
  veridict keys create ci --scopes grade,read --expires 90d --max-cost-usd-per-day 20 -o json`

const LIST_HELP = `
Revoked and expired keys stay in the list. \`last used\` is exact to a minute.

${WHERE}

Exit codes: 0 listed; 1 the database cannot be used.

Example:
  veridict keys list -o json | jq -r 'select(.state == "good") | .id'`

const REVOKE_HELP = `
Requests with the key are answered 401 from now on, and browsers that signed in with the key are signed out. Its grades
stay, and its batches go on: \`veridict cancel BATCH\` ends a batch.

${WHERE}

Exit codes: 0 revoked, or it was before; 1 no such key.

Example:
  veridict keys revoke key_0123456789abcdef`
