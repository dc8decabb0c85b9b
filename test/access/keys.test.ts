import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAccess, SESSION_MS } from '../../src/access/access.ts'
import {
  createKey,
  digestSecret,
  findPlanFault,
  isSecretOf,
  type KeyPlan,
  listKeys,
  makeToken,
  parseToken,
  revokeKey,
} from '../../src/access/keys.ts'

import { openSqliteStores } from '../../src/db/stores.ts'
import { tempDatabase } from '../storage/temp-folder.ts'

const START = Date.parse('2026-11-21T10:00:00.000Z')
const MINUTE = 60_000

/** Access over a real file, at a time that the test sets. */
function open(path = tempDatabase()) {
  const stores = openSqliteStores({ path })
  onTestFinished(() => stores.close())
  const time = { now: START }
  const now = () => new Date(time.now)
  const access = createAccess({ store: stores.access, required: true, session_secret: 'x', now })
  const make = (plan: Partial<KeyPlan> = {}) => createKey(stores.access, { name: 'ci', ...plan }, now())
  return { path, stores, store: stores.access, time, access, make, now }
}

/** All bytes of the database and its log. */
const bytesOf = (path: string): Buffer =>
  Buffer.concat(readdirSync(dirname(path)).map((name) => readFileSync(join(dirname(path), name))))

describe('tokens', () => {
  test('are of one form, and no two alike', () => {
    const tokens = Array.from({ length: 100 }, makeToken)
    for (const { id, secret, token } of tokens) {
      expect(token).toMatch(/^vk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/)
      expect(parseToken(token)).toEqual({ id, secret })
    }
    expect(new Set(tokens.map(({ secret }) => secret)).size).toBe(100)
  })

  test('whatever else is no token', () => {
    const { token } = makeToken()
    for (const wrong of ['', 'vk_', token.slice(1), `${token}x`, token.slice(0, -1), `${token}\n`, token.toUpperCase()])
      expect(parseToken(wrong), wrong).toBeNull()
    fc.assert(fc.property(fc.string(), (text) => parseToken(text) === null))
  })

  test('a secret is only its own digest’s, to the last character', () => {
    const { secret } = makeToken()
    const digest = digestSecret(secret)
    expect(isSecretOf(secret, digest)).toBe(true)
    expect(isSecretOf(secret, null)).toBe(false)
    // In base64url several last characters stand for the same bytes: only the one that was given out counts.
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
      expect(isSecretOf(secret.slice(0, -1) + last, digest)).toBe(last === secret.at(-1))
  })
})

describe('keys that are not good', () => {
  test('malformed, of an unknown id, with another’s secret', async () => {
    const { access, make } = open()
    const [mine, other] = [await make(), await make()]
    const swapped = `${mine.token.slice(0, 20)}${other.token.slice(20)}`
    for (const wrong of ['', 'vk_x', makeToken().token, swapped, mine.token.slice(0, -1), ` ${mine.token}`])
      expect(await access.authenticate(wrong), wrong).toBeNull()
    expect(await access.authenticate(mine.token)).not.toBeNull()
  })

  test('an expired one, from the millisecond on', async () => {
    const { access, make, time } = open()
    const { token } = await make({ expires_at: new Date(START + MINUTE) })
    time.now = START + MINUTE - 1
    expect(await access.authenticate(token)).not.toBeNull()
    time.now = START + MINUTE
    expect(await access.authenticate(token)).toBeNull()
  })
})

test('revoking twice keeps the first time; revoking what is not there tells so', async () => {
  const { store, make, time, now } = open()
  const { key } = await make()
  const first = await revokeKey(store, key.id, now())
  time.now += MINUTE
  expect(await revokeKey(store, key.id, now())).toEqual(first)
  expect(await revokeKey(store, 'key_none', now())).toBeNull()
})

describe('sessions', () => {
  test('last twelve hours, and never longer than their key', async () => {
    const { access, make, time } = open()
    const long = await access.openSession((await make()).token)
    const short = await access.openSession((await make({ expires_at: new Date(START + MINUTE) })).token)
    expect(long?.expires_at).toBe(new Date(START + SESSION_MS).toISOString())
    expect(short?.expires_at).toBe(new Date(START + MINUTE).toISOString())
    time.now = START + SESSION_MS - 1
    expect(await access.resumeSession(long?.id ?? '')).toMatchObject({ name: 'ci' })
    expect(await access.resumeSession(short?.id ?? '')).toBeNull()
    time.now = START + SESSION_MS
    expect(await access.resumeSession(long?.id ?? '')).toBeNull()
  })
})

test('of keys and sessions nothing secret is in any byte of the files', async () => {
  const { path, access, make } = open()
  const { key, token } = await make()
  const session = await access.openSession(token)
  await access.authenticate(token)
  const bytes = bytesOf(path)
  expect(bytes.includes(key.id)).toBe(true)
  expect(bytes.includes(session?.id ?? '')).toBe(false)
  for (const secret of [parseToken(token)?.secret ?? '']) {
    expect(secret).toHaveLength(43)
    expect(bytes.includes(secret)).toBe(false)
    expect(bytes.includes(Buffer.from(secret, 'base64url'))).toBe(false)
    expect(bytes.includes(Buffer.from(digestSecret(secret)))).toBe(true)
  }
})

test('the use of a key is noted once a minute', async () => {
  const { access, make, store, time, now } = open()
  const { token } = await make()
  const lastUsed = async () => (await listKeys(store, now()))[0]?.last_used_at
  expect(await lastUsed()).toBeNull()
  for (const [after, noted] of [
    [0, 0],
    [MINUTE - 1, 0],
    [MINUTE, MINUTE],
    [MINUTE + 1, MINUTE],
  ] as const) {
    time.now = START + after
    await access.authenticate(token)
    // Behind the note, which nobody waits for.
    await store.touchKey('key_none', now().toISOString())
    expect(await lastUsed()).toBe(new Date(START + noted).toISOString())
  }
})

test('a store that cannot note it answers all the same', async () => {
  const { store, make, now } = open()
  const { token } = await make()
  const deaf = { ...store, touchKey: () => Promise.reject(new Error('full')) }
  const access = createAccess({ store: deaf, required: true, session_secret: 'x', now })
  expect(await access.authenticate(token)).toMatchObject({ name: 'ci' })
})

const FAULTS: readonly [string, Partial<KeyPlan>][] = [
  ['no name', { name: ' ' }],
  ['a name that acts on a terminal', { name: 'a\u001b[2J' }],
  ['a long name', { name: 'x'.repeat(101) }],
  ['no scope', { scopes: [] }],
  ['an end that has passed', { expires_at: new Date(START) }],
  ['an end that is none', { expires_at: new Date(Number.NaN) }],
]
test.each(FAULTS)('%s is refused, and nothing is stored', async (_name, plan) => {
  const { store, make, now } = open()
  expect(findPlanFault({ name: 'ci', ...plan }, now())).not.toBeNull()
  await expect(make(plan)).rejects.toThrow(RangeError)
  expect(await store.listKeys()).toEqual([])
})
