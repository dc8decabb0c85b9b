import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'

const NAME = 'veridict_session'

export type SessionCookie = ReturnType<typeof sessionCookie>

/** Where the secret of a session stands in a browser: no script can read it, no other site can make it be sent. Needs the plugin for cookies. */
export function sessionCookie(http: FastifyInstance, { access }: Pick<Config, 'access'>) {
  // Of the browser; `X-Forwarded-Proto` is not believed: any client can send it.
  const secure = access.behind_tls
  // With the prefix no other name below the same domain can plant a cookie here; browsers take it only over TLS.
  const name = secure ? `__Host-${NAME}` : NAME
  const set = (reply: FastifyReply, secret: string, expires: Date) => {
    const options = { path: '/', httpOnly: true, sameSite: 'strict', secure, expires } as const
    reply.header('set-cookie', http.serializeCookie(name, secret, options))
  }
  return {
    /** Null where there is none. */
    read(request: FastifyRequest): string | null {
      const { cookie } = request.headers
      const secret = cookie?.includes(NAME) ? http.parseCookie(cookie)[name] : undefined
      return secret === undefined || secret === '' ? null : secret
    },
    write: (reply: FastifyReply, secret: string, expires_at: string) => set(reply, secret, new Date(expires_at)),
    clear: (reply: FastifyReply) => set(reply, '', new Date(0)),
  }
}
