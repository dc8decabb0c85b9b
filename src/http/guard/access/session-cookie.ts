import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'
import { isTls } from './security-headers.ts'

/** Where the secret of a session stands in a browser: no script can read it, no other site can make it be sent. */
export interface SessionCookie {
  /** Null where there is none. */
  read(request: FastifyRequest): string | null
  write(reply: FastifyReply, secret: string, expires_at: string): void
  clear(reply: FastifyReply): void
}

const NAME = 'veridict_session'

/** Needs the plugin for cookies. */
export function sessionCookie(http: FastifyInstance, settings: Pick<Config, 'host' | 'access'>): SessionCookie {
  // With the prefix no other name below the same domain can plant a cookie here; browsers take it only over TLS.
  const nameOf = (request: FastifyRequest) => (isTls(request, settings) ? `__Host-${NAME}` : NAME)
  const set = (reply: FastifyReply, secret: string, expires: Date) => {
    const secure = isTls(reply.request, settings)
    const options = { path: '/', httpOnly: true, sameSite: 'strict', secure, expires } as const
    reply.header('set-cookie', http.serializeCookie(nameOf(reply.request), secret, options))
  }
  return {
    read(request) {
      const { cookie } = request.headers
      const secret = cookie?.includes(NAME) ? http.parseCookie(cookie)[nameOf(request)] : undefined
      return secret === undefined || secret === '' ? null : secret
    },
    write: (reply, secret, expires_at) => set(reply, secret, new Date(expires_at)),
    clear: (reply) => set(reply, '', new Date(0)),
  }
}
