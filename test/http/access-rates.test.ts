import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import type { Problem } from '../../src/schemas/problem.ts'
import { bearer, GUARDED, useApp } from '../start-app.ts'

const app = useApp({ env: GUARDED })

const limited = (most: number) => app.give(['read'], { max_requests_per_minute: most })
const ask = (headers: Record<string, string>, url = '/v1/judges') => app.get(url, headers)
const statuses = (responses: readonly LightMyRequestResponse[]) => responses.map(({ statusCode }) => statusCode)

/** One after the other. */
async function repeat(times: number, run: () => Promise<LightMyRequestResponse>): Promise<LightMyRequestResponse[]> {
  const responses: LightMyRequestResponse[] = []
  for (let time = 0; time < times; time++) responses.push(await run())
  return responses
}

test('a key is told how much it has left, and refused beyond, with the time to wait', async () => {
  const key = bearer(await limited(3))
  const responses = await repeat(4, () => ask(key))
  expect(statuses(responses)).toEqual([200, 200, 200, 429])
  expect(responses.map(({ headers }) => [headers['ratelimit-limit'], headers['ratelimit-remaining']])).toEqual([
    ['3', '2'],
    ['3', '1'],
    ['3', '0'],
    ['3', '0'],
  ])
  const [first, , , last] = responses
  expect(first?.headers['retry-after']).toBeUndefined()
  const wait = Number(last?.headers['retry-after'])
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
  expect(last?.headers['ratelimit-reset']).toBe(String(wait))
  expect(last?.json<Problem>()).toMatchObject({ status: 429, code: 'too_many_requests' })
})

test('what is refused for another reason counts too; what is refused for want of a key counts for none', async () => {
  const key = bearer(await limited(2))
  expect(statuses([await ask({}), await ask(bearer('vk_wrong'))])).toEqual([401, 401])
  expect(statuses([await ask(key, '/metrics'), await ask(key, '/v1/grades/grd_x'), await ask(key)])).toEqual([
    403, 404, 429,
  ])
})

test('sign-ins count for the key', async () => {
  const key = await limited(2)
  const responses = await repeat(3, () => app.post('/v1/session', { key }))
  expect(statuses(responses)).toEqual([201, 201, 429])
  expect(statuses([await ask(bearer(key))])).toEqual([429])
})

test('keys are counted apart, a session with its key; without a limit nothing is counted', async () => {
  const [one, other, free] = [await limited(2), await limited(1), await app.give(['read'])]
  const cookie = await app.signIn(one)
  expect(statuses([await ask(bearer(one)), await ask({ cookie }), await ask(bearer(other))])).toEqual([200, 429, 200])
  const unlimited = await repeat(20, () => ask(bearer(free)))
  expect(new Set(statuses(unlimited))).toEqual(new Set([200]))
  expect(unlimited[0]?.headers['ratelimit-limit']).toBeUndefined()
})

test('many at once are counted one by one', async () => {
  const key = bearer(await limited(5))
  const responses = await Promise.all(Array.from({ length: 20 }, () => ask(key)))
  expect(statuses(responses).filter((status) => status === 200)).toHaveLength(5)
})

test('probes are answered whatever was asked', async () => {
  const key = bearer(await limited(1))
  await ask(key)
  expect(statuses([await ask(key), await ask(key, '/healthz'), await ask(key, '/readyz')])).toEqual([429, 200, 200])
})

test('sign-ins that fail are counted by address, and hold no good key up', async () => {
  const signIn = (key: string, remoteAddress = '192.0.2.1') =>
    app.send({ method: 'POST', url: '/v1/session', payload: { key }, remoteAddress })
  const good = await app.give(['read'])
  expect(statuses(await repeat(15, () => signIn(good)))).toEqual(Array(15).fill(201))
  expect(statuses(await repeat(11, () => signIn('vk_wrong')))).toEqual([...Array(10).fill(401), 429])
  const late = await signIn('vk_wrong')
  expect([late.statusCode, late.json<Problem>().code]).toEqual([429, 'too_many_requests'])
  expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
  expect((await signIn('vk_wrong', '192.0.2.2')).statusCode).toBe(401)
  expect((await signIn(good)).statusCode).toBe(201)
})

test('many bad keys at once are told no more than ten times that they are bad', async () => {
  const responses = await Promise.all(Array.from({ length: 40 }, () => app.post('/v1/session', { key: 'vk_wrong' })))
  expect(statuses(responses).filter((status) => status === 401)).toHaveLength(10)
  expect(new Set(statuses(responses))).toEqual(new Set([401, 429]))
})

test('an address of version 6 is its network: whoever has one has them all', async () => {
  const signIn = (end: number) =>
    app.send({ method: 'POST', url: '/v1/session', payload: { key: 'vk_x' }, remoteAddress: `2001:db8::${end}` })
  const responses: LightMyRequestResponse[] = []
  for (let end = 1; end <= 11; end++) responses.push(await signIn(end))
  expect(responses.at(-1)?.statusCode).toBe(429)
})
