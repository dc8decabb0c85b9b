import { styleText } from 'node:util'
import { InvalidArgumentError } from 'commander'
import * as k from '../../access/keys.ts'
import type { Finding } from '../../db/files/file.ts'
import { count } from '../../domain/words.ts'
import { DATABASE, type DatabaseOptions, existingDatabase, withStores } from '../database.ts'
import { chosen, type Options, option, parseCount, parseDollars } from '../options.ts'
import { clip, dollars, inert, oneLine, pad, present, tableOf, writeRows } from '../output/text.ts'
import { consoleCommand, groupCommand } from '../session.ts'
import { asTyped, CliError, type ExitCode } from '../shell.ts'

export const backup = consoleCommand<DatabaseOptions, [file: string]>('backup', {
  args: { '<file>': 'the new file' },
  options: [DATABASE],
  async work(console, options, file) {
    const { backUpDatabase } = await import('../../db/files/file.ts')
    const bytes = await backUpDatabase(existingDatabase(console.shell, options), file, console.signal)
    return { data: { file, bytes }, text: `${inert(file)}: ${count(bytes, 'byte')}\n` }
  },
})

/** Exit codes of `doctor` and styles, by severity. */
const SEVERITIES = { ok: [0, 'green'], warning: [2, 'yellow'], error: [3, 'red'] } as const

export const doctor = consoleCommand<DatabaseOptions>('doctor', {
  options: [DATABASE],
  async work(console, options) {
    const { shell, write } = console
    const database = existingDatabase(shell, options)
    const { examineFile } = await import('../../db/files/file.ts')
    await write(`${inert(database)}\n`)
    const findings: Finding[] = []
    for (const finding of examineFile(database)) {
      const { severity, check, found, advice } = finding
      findings.push(finding)
      // Names come from the database, so they are made inert.
      const next = advice === null ? '' : `${' '.repeat(11)}${inert(asTyped(shell, advice))}\n`
      const mark = pad(styleText(SEVERITIES[severity][1], severity), 8)
      await write(`  ${mark} ${pad(check, 17)} ${inert(found)}\n${next}`)
    }
    const code = Math.max(...findings.map(({ severity }) => SEVERITIES[severity][0])) as ExitCode
    return { data: { database, findings }, code }
  },
})

type CreateOptions = Options & Omit<k.KeyPlan, 'name' | 'expires_at'> & { readonly expires?: number }

const parseScopes = (text: string): readonly k.Scope[] =>
  text.split(',').map((typed) => {
    const scope = k.SCOPES.find((name) => name === typed.trim())
    if (scope === undefined) throw new InvalidArgumentError(`The scopes are ${k.SCOPES.join(', ')}.`)
    return scope
  })

const UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const
const MOST_MS = 100 * 366 * UNIT_MS.d

export function parseDuration(text: string): number {
  const [, n, unit] = /^([1-9]\d{0,5})([hdw])$/.exec(text) ?? []
  const ms = Number(n) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? Number.NaN)
  if (!(ms <= MOST_MS)) throw new InvalidArgumentError('A duration is a number with h, d or w, like 12h, 90d or 52w.')
  return ms
}

const ONCE =
  'The key above is shown this once: the database keeps only its digest. Give the key as VERIDICT_API_KEY, or as Authorization: Bearer.'

const create = consoleCommand<CreateOptions, [name: string]>('keys create', {
  args: { '<name>': 'the user or program of the key' },
  options: [
    option('--scopes <list>', `the rights of the key: any of ${k.SCOPES.join(',')}`, parseScopes, k.USUAL_SCOPES),
    option('--expires <time>', 'the life of the key: 12h, 90d, 52w (default: no end)', parseDuration),
    option('--max-requests-per-minute <n>', 'each process answers more requests with 429', parseCount),
    option('--max-cost-usd-per-day <usd>', 'hard cap on its judge calls in a day (UTC)', parseDollars),
  ],
  work: ({ shell }, { expires, ...options }, name) =>
    withStores(shell, 'make', async ({ access }, database) => {
      const now = new Date()
      const rights = chosen(options, 'scopes', 'max_requests_per_minute', 'max_cost_usd_per_day')
      const end = expires !== undefined && { expires_at: new Date(now.getTime() + expires) }
      const { key, token } = await k.createKey(access, { name, ...rights, ...end }, now)
      const ends = key.expires_at ?? 'never by itself'
      const facts = `${key.id} in ${database}: may ${key.scopes.join(', ')}; ends ${ends}; ${limitsOf(key) || 'no limits'}`
      return { data: { ...key, token }, text: `${token}\n`, notes: [facts, ONCE] }
    }),
})

const list = consoleCommand<Options>('keys list', {
  work: (console) =>
    withStores(console.shell, 'read', async ({ access }, database) => {
      const data = await k.listKeys(access, new Date())
      if (data.length === 0) return { data, notes: [`no keys in ${database}; veridict keys create NAME makes a key`] }
      await writeRows(console, data, { table: KEY_TABLE })
      return { data }
    }),
})

const limitsOf = ({ max_requests_per_minute: requests, max_cost_usd_per_day: usd }: k.KeyView): string =>
  present([
    requests === null ? '' : `${count(requests, 'request')} a minute`,
    usd === null ? '' : `${dollars(usd)} a day`,
  ]).join(', ')

const KEY_TABLE = tableOf<k.KeyView>([
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

const revoke = consoleCommand<Options, [id: string]>('keys revoke', {
  args: { '<id>': 'key_…, as `keys list` shows it' },
  work: ({ shell }, _options, id) =>
    withStores(shell, 'read', async ({ access }, database) => {
      const key = await k.revokeKey(access, id, new Date())
      if (key === null)
        throw new CliError(`there is no such key in ${database}`, [
          'The keys: veridict keys list. An id is key_ and the part of the key between the first two "_", not the key itself.',
        ])
      const note = `${key.id} (${oneLine(key.name)}) is revoked since ${key.revoked_at}; batches that it began go on`
      return { data: key, notes: [note] }
    }),
})

export const keys = groupCommand('keys', [create, list, revoke])
