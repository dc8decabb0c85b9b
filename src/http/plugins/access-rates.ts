import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { RequestError } from '../../schemas/problem.ts'

const MINUTE_MS = 60_000
/** Bounds the remembered keys and addresses: forgetting one of so many gives a caller nothing. */
const MOST_REMEMBERED = 20_000
const FAILED_SIGN_INS = 10

/** Counts in windows of a minute, in this process. */
function createWindows() {
  const windows = new LRUCache<string, { count: number; readonly since: number }>({ max: MOST_REMEMBERED })
  return (name: string, add: number): { readonly count: number; readonly seconds: number } => {
    const now = Date.now()
    const before = windows.get(name)
    const window = before === undefined || before.since + MINUTE_MS <= now ? { count: 0, since: now } : before
    window.count += add
    if (add > 0) windows.set(name, window)
    return { count: window.count, seconds: Math.max(1, Math.ceil((window.since + MINUTE_MS - now) / 1000)) }
  }
}

/** Counts a request for its key, and says in headers how many are left. Throws 429 above the limit of the key. */
export function createKeyRate() {
  const count = createWindows()
  return ({ caller: { key_id, max_requests_per_minute: most } }: FastifyRequest, reply: FastifyReply): void => {
    if (key_id === null || most === null) return
    const { count: asked, seconds } = count(key_id, 1)
    reply.headers({
      'ratelimit-limit': String(most),
      'ratelimit-remaining': String(Math.max(0, most - asked)),
      'ratelimit-reset': String(seconds),
    })
    if (asked > most) throw tooMany(`this key may ask ${most} ${most === 1 ? 'time' : 'times'} a minute`, seconds)
  }
}

/** Counts the failed sign-ins of an address; with `add` 0, only looks. Throws 429 for an address that failed too often. */
export function createSignInRate() {
  const count = createWindows()
  return ({ ip }: FastifyRequest, add: 0 | 1): void => {
    const { count: failed, seconds } = count(networkOf(ip), add)
    if (failed + 1 - add > FAILED_SIGN_INS) throw tooMany('too many sign-ins failed from this address', seconds)
  }
}

/** The address itself, or the first 64 bits of an address of version 6, whose owner has all addresses below them. */
function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip
  if (ip.includes('.')) return ip.slice(ip.lastIndexOf(':') + 1)
  const [head = '', tail] = ip.split('::')
  const groups = head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - rest.length).fill('0')
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':')
}

const tooMany = (detail: string, seconds: number): RequestError =>
  new RequestError('too_many_requests', detail, { headers: { 'retry-after': String(seconds) } })
