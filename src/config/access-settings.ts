import type { Static } from 'typebox'
import { Closed, Type } from '../schemas/type.ts'
import { ACCESS_MODES, type AccessMode } from './environment.ts'

export const AccessFileSchema = Closed({
  mode: Type.Optional(Type.Enum(ACCESS_MODES, { type: 'string' })),
  behind_tls: Type.Optional(Type.Boolean()),
  allowed_hosts: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 1000 })),
})

/** What the file says of access. */
export type AccessFile = Static<typeof AccessFileSchema>

export interface AccessSettings {
  readonly mode: AccessMode
  /** Whether a request needs a key: what `mode` means for the address that is listened on. */
  readonly required: boolean
  /** Only this machine can connect, by the address that is listened on. */
  readonly loopback: boolean
  /** A proxy in front speaks TLS: cookies are `Secure`. */
  readonly behind_tls: boolean
  /** `Host` values that are answered beside the usual ones: a name, with or without a port. */
  readonly allowed_hosts: readonly string[]
}

/** Every client on the network can do everything: worth a warning. */
export const isOpenToAll = ({ required, loopback }: AccessSettings): boolean => !required && !loopback

export function resolveAccess(given: AccessFile, host: string): AccessSettings {
  const { mode = 'auto', behind_tls = false, allowed_hosts = [] } = given
  const loopback = isLoopback(host)
  return {
    mode,
    required: mode === 'on' || (mode === 'auto' && !loopback),
    loopback,
    behind_tls,
    allowed_hosts: allowed_hosts.map(readHost),
  }
}

const HOST = /^(?:[a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/

/** A host that is misspelt would be a door that stays shut: told at the start. */
function readHost(given: string): string {
  const host = given.toLowerCase()
  if (!HOST.test(host))
    throw new Error(`access.allowed_hosts: "${given}" is not a host such as veridict.example or veridict.example:8443`)
  return host
}

/** 127.0.0.0/8, ::1 and the name that stands for them. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (bare === 'localhost' || bare === '::1') return true
  const parts = bare.split('.')
  return parts.length === 4 && parts[0] === '127' && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)
}
