import type { LightMyRequestResponse } from 'fastify'
import { createKey, type KeyPlan, SCOPES } from '../../src/access/keys.ts'
import type { TestApp } from '../start-app.ts'

/** Sends requests with the key of one holder. */
export interface KeyHolder {
  readonly token: string
  readonly headers: Readonly<Record<string, string>>
  get(url: string): Promise<LightMyRequestResponse>
  post(url: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>
}

/** Makes a key, in the running application’s main database; with every scope unless the plan says otherwise. */
export async function holdKey(app: TestApp, plan: Partial<KeyPlan> = {}): Promise<KeyHolder> {
  const { access } = app.context.stores
  const { token } = await createKey(access, { name: 'somebody', scopes: SCOPES, ...plan }, new Date())
  return holdToken(app, token)
}

export function holdToken(app: TestApp, token: string): KeyHolder {
  const headers = { authorization: `Bearer ${token}` }
  return {
    token,
    headers,
    get: (url) => app.http.inject({ method: 'GET', url, headers }),
    post: (url, body, more = {}) =>
      app.http.inject({
        method: 'POST',
        url,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }), ...more },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      }),
  }
}

/** Answers the application with the requests of the key holder, for helpers that take an application. */
export const asHolder = (app: TestApp, { get, post }: KeyHolder): TestApp => ({ ...app, get, post })
