import { isIPv4 } from 'node:net'
import type { Environment } from './environment.ts'

export type AccessSettings = Readonly<ReturnType<typeof resolveAccess>>

/** Tells whether every client on the network can do everything. */
export const isOpenToAll = ({ required, loopback }: AccessSettings): boolean => !required && !loopback

export function resolveAccess(
  { access: mode = 'auto', behind_tls, allowed_hosts = [] }: Partial<Environment>,
  host: string,
) {
  const loopback = isLoopback(host)
  return {
    mode,
    /** A request needs a key, by `mode` and the address of the service. */
    required: mode === 'on' || (mode === 'auto' && !loopback),
    /** The service listens on a loopback address. */
    loopback,
    /** A proxy in front speaks TLS: cookies are `Secure`. */
    behind_tls: behind_tls === 'true',
    /** Accepted `Host` values beside the usual ones: a name, with or without a port. */
    allowed_hosts: allowed_hosts.map(readHost),
  }
}

const HOST = /^(?:[a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/

/** Reads an allowed host. Throws for a misspelt host, which no request could match. */
function readHost(given: string): string {
  const host = given.toLowerCase()
  if (HOST.test(host)) return host
  throw new Error(`VERIDICT_ALLOWED_HOSTS: "${given}" is not a host such as veridict.example or veridict.example:8443`)
}

/** Recognizes 127.0.0.0/8, ::1 and localhost. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  return bare === 'localhost' || bare === '::1' || (isIPv4(bare) && bare.startsWith('127.'))
}
