import type { Scope } from '../../src/access/keys.ts'
import { createKey, type KeyPlan } from '../../src/access/keys.ts'
import { startApp, type TestApp } from '../start-app.ts'

export interface GuardedApp extends TestApp {
  /** Creates a key with these scopes; answers its token. */
  give(scopes?: readonly Scope[], more?: Partial<KeyPlan>): Promise<string>
  /** Signs in with the key; answers the value of the `Cookie` header for the next requests of the browser. */
  signIn(token: string): Promise<string>
}

/** Starts the application; access control is on unless the options turn it off. */
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
