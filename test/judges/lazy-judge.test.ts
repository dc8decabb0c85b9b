import { expect, test } from 'vitest'
import { lazyJudge } from '../../src/judges/lazy-judge.ts'
import type { Judge } from '../../src/ports/ports.ts'
import type { BatchLimits } from '../../src/schemas/providers.ts'
import { scriptedJudge } from '../grading/harness.ts'
import { never, QUESTION } from './judge-under-test.ts'

const LIMITS: BatchLimits = { most_requests: 7, most_bytes: 8, price_factor: 0.5 }

/** A judge that answers with the name and the arguments of what was called, and counts how often it was loaded. */
function makeLazy(batches: BatchLimits | null) {
  const says =
    (name: string) =>
    async (...given: readonly unknown[]) =>
      [name, ...given] as never
  const whole: Judge = {
    info: scriptedJudge([]).info,
    ask: says('ask'),
    batch: {
      ...LIMITS,
      encode: (...given) => JSON.stringify(['encode', ...given]),
      submit: says('submit'),
      find: says('find'),
      poll: says('poll'),
      async *results(...given) {
        yield ['results', ...given] as never
        yield 'more' as never
      },
      cancel: says('cancel'),
    },
  }
  const load = { times: 0 }
  const lazy = lazyJudge(whole.info, batches, async () => {
    load.times++
    return whole
  })
  return { lazy, load }
}

test('nothing is loaded before a judge is used, and then once', async () => {
  const { lazy, load } = makeLazy(LIMITS)
  expect([lazy.info.name, lazy.batch?.most_requests, lazy.batch?.most_bytes, lazy.batch?.price_factor]).toEqual([
    'scripted',
    7,
    8,
    0.5,
  ])
  expect(load.times).toBe(0)
  await Promise.all([lazy.ask(QUESTION, never()), lazy.prepare?.(), lazy.batch?.poll('p', never())])
  expect(load.times).toBe(1)
})

test('every call reaches the judge as it was made', async () => {
  const { lazy } = makeLazy(LIMITS)
  const signal = never()
  const { batch } = lazy
  const mark = { id: 'sub_1', recorded_at: new Date(0), custom_ids: ['a'] }
  const results: unknown[] = []
  for await (const one of batch?.results('p', signal) ?? []) results.push(one)
  expect([
    await lazy.ask(QUESTION, signal),
    await batch?.submit({ ...mark, lines: ['x'] }, signal),
    await batch?.find(mark, signal),
    await batch?.poll('p', signal),
    await batch?.cancel('p', signal),
    results,
    JSON.parse((await batch?.encode('a', QUESTION)) ?? ''),
  ]).toEqual([
    ['ask', QUESTION, signal],
    ['submit', { ...mark, lines: ['x'] }, signal],
    ['find', mark, signal],
    ['poll', 'p', signal],
    ['cancel', 'p', signal],
    [['results', 'p', signal], 'more'],
    JSON.parse(JSON.stringify(['encode', 'a', QUESTION])),
  ])
})

test('a provider without a batch endpoint has none, and is not asked for one', () => {
  const { lazy } = makeLazy(null)
  expect(lazy.batch).toBeUndefined()
})

test('what cannot be loaded is a failure of whatever is asked, and is tried again', async () => {
  let isThere = false
  const whole = { ...scriptedJudge([]), batch: makeLazy(LIMITS).lazy.batch } as Judge
  const lazy = lazyJudge(whole.info, LIMITS, async () => {
    if (!isThere) throw new Error('too many open files')
    return whole
  })
  const failure = {
    code: 'internal',
    message: 'the adapter of the judge scripted cannot be loaded: too many open files',
    retryable: false,
    retry_after_s: null,
  }
  const signal = never()
  const mark = { id: 'sub_1', recorded_at: new Date(0), custom_ids: ['a'] }
  expect(await lazy.prepare?.()).toEqual(failure)
  expect(await lazy.ask(QUESTION, signal)).toMatchObject({ ok: false, failure, usage: null })
  const { batch } = lazy
  const results: unknown[] = []
  for await (const one of batch?.results('p', signal) ?? []) results.push(one)
  expect([
    await batch?.submit({ ...mark, lines: ['x'] }, signal),
    await batch?.find(mark, signal),
    await batch?.poll('p', signal),
    await batch?.cancel('p', signal),
    ...results,
  ]).toEqual(Array.from({ length: 5 }, () => ({ ok: false, failure })))
  await expect(batch?.encode('a', QUESTION)).rejects.toThrow('too many open files')
  isThere = true
  expect(await lazy.prepare?.()).toBe(null)
  expect(await batch?.poll('p', signal)).toEqual(['poll', 'p', signal])
})
