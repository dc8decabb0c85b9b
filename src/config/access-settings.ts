import type { AccessMode, Environment } from './environment.ts'

export interface AccessSettings {
  readonly mode: AccessMode
  /** A request needs a key, by `mode` and the address of the service. */
  readonly required: boolean
  /** The service listens on a loopback address. */
  readonly loopback: boolean
  /** A proxy in front speaks TLS: cookies are `Secure`. */
  readonly behind_tls: boolean
  /** Accepted `Host` values beside the usual ones: a name, with or without a port. */
  readonly allowed_hosts: readonly string[]
}

/** Tells whether every client on the network can do everything. */
export const isOpenToAll = ({ required, loopback }: AccessSettings): boolean => !required && !loopback

export function resolveAccess(
  {
    access: mode = 'auto',
    behind_tls,
    allowed_hosts = [],
  }: Pick<Environment, 'access' | 'behind_tls' | 'allowed_hosts'>,
  host: string,
): AccessSettings {
  const loopback = isLoopback(host)
  return {
    mode,
    required: mode === 'on' || (mode === 'auto' && !loopback),
    loopback,
    behind_tls: behind_tls === 'true',
    allowed_hosts: allowed_hosts.map(readHost),
  }
}

const HOST = /^(?:[a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/

/** Reads an allowed host. Throws for a misspelt host, which no request could match. */
function readHost(given: string): string {
  const host = given.toLowerCase()
  if (!HOST.test(host))
    throw new Error(
      `VERIDICT_ALLOWED_HOSTS: "${given}" is not a host such as veridict.example or veridict.example:8443`,
    )
  return host
}

/** Recognizes 127.0.0.0/8, ::1 and localhost. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (bare === 'localhost' || bare === '::1') return true
  const parts = bare.split('.')
  return parts.length === 4 && parts[0] === '127' && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)
}
