import type { Problem } from './api-types.ts'
import { leaveForSignIn } from './session/sign-in-place.ts'

/** What the service refused, or why it could not be asked. `message` is for people; text of the service, shown as text. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
  }
}

type QueryValue = string | number | boolean | null | undefined

/** `/v1/grades` and `{ label: 'aligned', task: '' }` → `/v1/grades?label=aligned`: what is empty is left out. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') params.set(name, String(value))
  const text = params.toString()
  return text === '' ? path : `${path}?${text}`
}

/** Asks for JSON. Throws an `ApiError`, or what `fetch` throws for an aborted request. */
export const getJson = <T>(path: string, signal?: AbortSignal): Promise<T> =>
  ask<T>(path, { headers: { accept: 'application/json' }, ...(signal && { signal }) })

/** No form, and no page of another origin, can send it: with a session, what changes something needs it. */
const MARK = { 'x-veridict-page': '1' }

/** Sends JSON, or nothing where `body` is absent. Throws an `ApiError`. */
export const postJson = <T>(path: string, body?: unknown): Promise<T> =>
  ask<T>(path, {
    method: 'POST',
    headers: { accept: 'application/json', ...MARK, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

/** Throws an `ApiError`. */
export const deleteJson = <T>(path: string): Promise<T> =>
  ask<T>(path, { method: 'DELETE', headers: { accept: 'application/json', ...MARK } })

/** One line at a time of an NDJSON answer. Leaving the loop ends the request. */
export async function* readLines<T>(path: string, signal: AbortSignal): AsyncGenerator<T> {
  const response = await send(path, { headers: { accept: 'application/x-ndjson' }, signal })
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') yield JSON.parse(line) as T
    }
    if (rest !== '') yield JSON.parse(rest) as T
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  return (await (await send(path, init)).json()) as T
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, init)
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw new ApiError(0, 'unreachable', 'the service cannot be reached')
  }
  if (response.ok) return response
  const error = await toError(response)
  if (error.status === 401) leaveForSignIn(error.message)
  throw error
}

async function toError(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => null)) as Partial<Problem> | null
  const places = (problem?.errors ?? []).map(({ path, message }) => `${path} ${message}`)
  const detail = [problem?.detail ?? `the service answered ${response.status}`, ...places].join('; ')
  return new ApiError(response.status, problem?.code ?? 'unknown', detail)
}
