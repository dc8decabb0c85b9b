import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../../config/config.ts'

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Whether the service may be asked by what stands in `Host`. Against DNS rebinding: a page of an adversary can give its own name the address of loopback, and would then be of one origin with
 * the service. What gives it away is that name, in `Host`. Every name is good where neither loopback is listened on nor names are given.
 */
export function createHostCheck({
  host,
  access,
}: Pick<Config, 'host' | 'access'>): (asked: string | undefined) => boolean {
  if (!access.loopback && access.allowed_hosts.length === 0) return () => true
  const names = new Set([...LOOPBACK_NAMES, asName(host), ...access.allowed_hosts].map((one) => one.toLowerCase()))
  // Clients ask by the same name again and again.
  let lastGood: string | undefined
  return (asked) => {
    if (asked === undefined || asked === lastGood) return asked !== undefined
    const name = asked.toLowerCase()
    const isGood = names.has(name) || names.has(withoutPort(name))
    if (isGood) lastGood = asked
    return isGood
  }
}

/** `localhost:8787` → `localhost`, `[::1]:80` → `[::1]`; what is not of this form stays as it is, and is no good name then. */
const withoutPort = (host: string): string => host.replace(/:\d{1,5}$/, '')

/** An address of version 6 stands in brackets in a URL. */
const asName = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)

/**
 * Pages of other sites may make a browser send requests. They could not read the answers, but a grade would be paid for all the
 * same; where no key is needed nothing else would stop them. Programs send neither header and are not concerned.
 */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  // `none`: a person typed the address.
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const { origin, host } = headers
  return origin !== undefined && hostOf(origin) !== host?.toLowerCase()
}

/** Null for `null`, which frames without an origin send, for extensions, and for what is no origin. */
function hostOf(origin: string): string | null {
  const url = URL.parse(origin)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.host : null
}
