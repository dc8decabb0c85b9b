import { InvalidArgumentError, Option } from 'commander'
import {
  type AccessStore,
  createKey,
  type KeyPlan,
  type KeyView,
  listKeys,
  revokeKey,
  SCOPES,
  type Scope,
  USUAL_SCOPES,
} from '../../access/keys.ts'
import { storeOf } from '../../boot/open-store.ts'
import { count } from '../../domain/words.ts'
import { assertDatabase, configurationOf } from '../database.ts'
import { CliError, EXIT } from '../errors.ts'
import { choice, type Options, parseCount, parseDollars } from '../options.ts'
import { clip, dollars, line, NDJSON, oneLine, present, type Rows, tableOf } from '../output/text.ts'
import { type Console, consoleCommand, type Definition, groupCommand } from '../session.ts'

/** The keys of the configured database. A service may run beside this process. */
interface StoredKeys extends Console {
  readonly store: AccessStore
  /** The name of the database, without secrets. */
  readonly database: string
}

/** Makes a command on the keys of the database, with or without a service. `makes`: the command makes a missing database. */
const keyCommand = <O extends Options, A extends readonly unknown[] = []>(
  definition: Definition & { readonly makes?: true },
  work: (stored: StoredKeys, options: O, ...args: A) => Promise<unknown>,
) =>
  consoleCommand<O, A>(definition, async (console, options, ...args) => {
    const { config, secrets } = configurationOf(console.shell.env)
    if (definition.makes !== true) assertDatabase(config)
    const store = storeOf(config, secrets)
    const stores = await store.open()
    try {
      console.data = await work({ ...console, store: stores.access, database: oneLine(store.shown) }, options, ...args)
    } finally {
      await stores.close()
    }
    return EXIT.graded
  })

const WHERE =
  'Where: the database VERIDICT_DATABASE (or VERIDICT_DATABASE_URL), with or without a running service. A change holds from the next request on.'

const KEYS_HELP = [
  'A key names the client. A service on loopback needs no key (VERIDICT_ACCESS=on changes that), at any other address every request does.',
  WHERE,
]

type CreateOptions = Options & Omit<KeyPlan, 'name' | 'expires_at'> & { readonly expires?: number }

const parseScopes = (text: string): readonly Scope[] =>
  text.split(',').map((typed) => {
    const scope = SCOPES.find((name) => name === typed.trim())
    if (scope === undefined) throw new InvalidArgumentError(`The scopes are ${SCOPES.join(', ')}.`)
    return scope
  })

const UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const
const MOST_MS = 100 * 366 * UNIT_MS.d

/** Parses a duration to milliseconds. */
export function parseDuration(text: string): number {
  const [, n, unit] = /^([1-9]\d{0,5})([hdw])$/.exec(text) ?? []
  const ms = Number(n) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? Number.NaN)
  if (!(ms <= MOST_MS)) throw new InvalidArgumentError('A duration is a number with h, d or w, like 12h, 90d or 52w.')
  return ms
}

const ONCE =
  'The key above is shown this once: the database keeps only its digest. Give the key as VERIDICT_API_KEY, or as Authorization: Bearer.'

const create = keyCommand<CreateOptions, [name: string]>(
  {
    name: 'create',
    about: 'make a key, and print the key this once',
    makes: true,
    args: { '<name>': 'the user or program of the key' },
    options: [
      new Option('--scopes <list>', `the rights of the key: any of ${SCOPES.join(',')}`)
        .argParser(parseScopes)
        .default(USUAL_SCOPES, USUAL_SCOPES.join(',')),
      ['--expires <time>', 'the life of the key: 12h, 90d, 52w (default: no end)', parseDuration],
      ['--max-requests-per-minute <n>', 'each process answers more requests with 429', parseCount],
      [
        '--max-cost-usd-per-day <usd>',
        'hard cap on judge calls for the key in a day (UTC); budget_exceeded above',
        parseDollars,
      ],
      choice('-o, --output <format>', 'the token alone, or the key as JSON', ['text', 'json']),
    ],
    help: [
      `Scopes: read (grades, batches, reports), grade (grade, upload, begin and steer batches), review (write human labels),
admin (read, grade and review), operator (/metrics alone, which admin does not include).
The key alone goes to stdout, other text to stderr. The key cannot be shown again: revoke a lost key, and create another.`,
      WHERE,
      'Exit codes: 0 made; 1 bad usage, or the database cannot be used.',
      `Examples:
  export VERIDICT_API_KEY=$(veridict keys create laptop)
  veridict keys create ci --scopes grade,read --expires 90d --max-cost-usd-per-day 20 -o json`,
    ],
  },
  async ({ store, database, shell, write }, { expires, output, json, ...rights }, name) => {
    const now = new Date()
    const end = expires !== undefined && { expires_at: new Date(now.getTime() + expires) }
    const plan: KeyPlan = { name, ...rights, ...end }
    const { key, token } = await createKey(store, plan, now)
    await write(output === 'json' ? line({ ...key, token }) : `${token}\n`)
    const ends = key.expires_at ?? 'never by itself'
    const facts = `${key.id} in ${database}: may ${key.scopes.join(', ')}; ends ${ends}; ${limitsOf(key) || 'no limits'}`
    if (!json) shell.err.write(`${facts}\n${ONCE}\n`)
    return { ...key, token }
  },
)

const list = keyCommand<Options>(
  {
    name: 'list',
    about: 'list all keys, without their secrets',
    options: [choice('-o, --output <format>', 'a table, or a JSON object a row', ['table', 'json'])],
    help: [
      'Revoked and expired keys stay in the list. `last used` is exact to a minute.',
      'Exit codes: 0 listed; 1 the database cannot be used.',
      `Example:\n  veridict keys list -o json | jq -r 'select(.state == "good") | .id'`,
    ],
  },
  async ({ store, database, shell, format, write }) => {
    const all = await listKeys(store, new Date())
    const rows: Rows<KeyView> = format === 'table' ? TABLE : NDJSON
    if (all.length > 0) await write(rows.head() + all.map(rows.row).join(''))
    else shell.err.write(`no keys in ${database}; veridict keys create NAME makes a key\n`)
    return all
  },
)

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

function limitsOf({ max_requests_per_minute: requests, max_cost_usd_per_day: usd }: KeyView): string {
  return present([
    requests === null ? '' : `${count(requests, 'request')} a minute`,
    usd === null ? '' : `${dollars(usd)} a day`,
  ]).join(', ')
}

const revoke = keyCommand<Options, [id: string]>(
  {
    name: 'revoke',
    about: 'end a key and its sessions at once',
    args: { '<id>': 'key_…, as `keys list` shows it' },
    help: [
      'Requests with the key are answered 401 from now on. Its grades stay, and its batches go on: `veridict cancel BATCH` ends a batch.',
      'Exit codes: 0 revoked, or it was before; 1 no such key.',
      'Example:\n  veridict keys revoke key_0123456789abcdef',
    ],
  },
  async ({ store, database, shell, json }, _options, id) => {
    const key = await revokeKey(store, id, new Date())
    if (key === null)
      throw new CliError(`there is no such key in ${database}`, [
        'The keys: veridict keys list. An id is key_ and the part of the key between the first two "_", not the key itself.',
      ])
    const text = `${key.id} (${oneLine(key.name)}) is revoked since ${key.revoked_at}; batches that it began go on\n`
    if (!json) shell.err.write(text)
    return key
  },
)

export const keys = groupCommand(
  { name: 'keys', about: 'make, list and revoke keys of the service', help: KEYS_HELP },
  [create, list, revoke],
)
