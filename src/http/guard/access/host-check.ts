import type { FastifyInstance } from 'fastify'
import type { Config } from '../../../config/config.ts'
import { HttpProblem } from '../../problem.ts'

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Against DNS rebinding: a page of an adversary can give its own name the address of loopback, and would then be of one origin with
 * the service. What gives it away is that name, in `Host`.
 */
export function checkHost(http: FastifyInstance, isGoodHost: HostCheck): void {
  http.addHook('onRequest', (request, _reply, done) => done(isGoodHost(request.headers.host) ? undefined : wrongHost()))
}

/** Whether the service may be asked by what stands in `Host`. */
type HostCheck = (host: string | undefined) => boolean

const wrongHost = (): HttpProblem =>
  new HttpProblem(
    421,
    'wrong_host',
    'the service is not asked by this name; the setting access.allowed_hosts (VERIDICT_ALLOWED_HOSTS) allows more names',
  )

/** Every name is good where neither loopback is listened on nor names are given. */
export function createHostCheck({ host, access }: Pick<Config, 'host' | 'access'>): HostCheck {
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
