import type { Scope } from '../../src/access/access.ts'
import { createKey, type KeyPlan } from '../../src/access/keys.ts'
import { startApp, type TestApp } from '../start-app.ts'

export interface GuardedApp extends TestApp {
  /** A key for these scopes; its token. */
  give(scopes?: readonly Scope[], more?: Partial<KeyPlan>): Promise<string>
  /** Signs in with the key; the value of the `Cookie` header that the browser sends from then on. */
  signIn(token: string): Promise<string>
}

/** The application with access on, where nothing else is said. */
export async function startGuarded(options: Parameters<typeof startApp>[0] = {}): Promise<GuardedApp> {
  const app = await startApp({ ...options, env: { VERIDICT_ACCESS: 'on', ...options.env } })
  return {
    ...app,
    async give(scopes = ['grade', 'read', 'review'], more = {}) {
      const plan = { name: 'a test', scopes, ...more }
      return (await createKey(app.context.stores.access, plan, new Date())).token
    },
    async signIn(token) {
      const response = await app.post('/v1/session', { key: token })
      return String(response.headers['set-cookie']).split(';')[0] ?? ''
    },
  }
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
