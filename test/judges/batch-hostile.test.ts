import { describe, expect, test } from 'vitest'
import type { BatchResult } from '../../src/judges/judge.ts'
import { collect } from '../collect.ts'
import { serve } from '../local-server.ts'
import {
  APIS,
  type Api,
  ended,
  failureOf,
  judgeFor,
  never,
  resultsFrom,
  startBatches,
  submissionOf,
  submitted,
} from './judge-under-test.ts'

/** Results that an adversary wrote: each odd line is its own failure, and the lines after it are still read. */
async function startWith(api: Api, order: (lines: string[]) => string[]) {
  const { batch } = await startBatches(api, { plan: () => ({ polls: 0 }), order })
  const id = await submitted(batch, submissionOf(batch, 'sub_1', ['a', 'b']))
  await ended(batch, id)
  return { batch, id }
}

const line = (api: Api, custom_id: unknown, body: unknown): string =>
  JSON.stringify(
    api === 'messages'
      ? { custom_id, result: { type: 'succeeded', message: body } }
      : { custom_id, response: { status_code: 200, request_id: null, body }, error: null },
  )
const NO_TEXT = { message: { content: {} } }
const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe.each(APIS)('%s', (api) => {
  test.each([
    ['no JSON', '{"custom_id": "x'],
    ['null', 'null'],
    ['a number', '7'],
    ['an array', '[]'],
    ['no custom id', '{"result":{"type":"expired"}}'],
    ['a custom id that is none', line(api, { toString: 1 }, {})],
    ['a custom id of a megabyte', line(api, 'x'.repeat(1_000_000), {})],
  ])('a line that is %s has no result, and the lines after it have', async (_name, odd) => {
    const { batch, id } = await startWith(api, ([first = '', second = '']) => [first, odd, '', '  \r', second])
    const results = await collect(resultsFrom(batch, id))
    expect(results).toMatchObject([{ custom_id: 'a' }, { custom_id: 'b' }])
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'ok'],
    ['an empty object', {}],
    ['lists that are none', { output: 1, choices: 'x', content: { map: 1 }, stop_reason: 'end_turn' }],
    ['parts that are null', { output: [null], choices: [null], content: [null], stop_reason: 'end_turn' }],
    ['a text that is none', { output: 7, choices: [NO_TEXT], content: 7, stop_reason: 'end_turn' }],
  ])('an answer that is %s is a failure of its request', async (_name, body) => {
    const { batch, id } = await startWith(api, ([, second = '']) => [line(api, 'a', body), second])
    const [first, second] = await collect(resultsFrom(batch, id))
    expect(first).toMatchObject({ custom_id: 'a', reply: { ok: false, usage: null } })
    expect(second).toMatchObject({ custom_id: 'b', reply: { ok: true } })
  })

  test('counts of tokens that are none are unknown, and a depth that nobody can write back is cut', async () => {
    const usage = { input_tokens: -5, output_tokens: '7', prompt_tokens: Number.MAX_VALUE, completion_tokens: 0.5 }
    const good = {
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'fine' }] }],
      choices: [{ finish_reason: 'stop', message: { content: 'fine' } }],
      content: [{ type: 'text', text: 'fine' }],
      stop_reason: 'end_turn',
      usage,
      __deep__: 0,
    }
    const nested = line(api, 'a', good).replace('"__deep__":0', `"__proto__":${deep(200_000)}`)
    const { batch, id } = await startWith(api, ([, second = '']) => [nested, second])
    const [first, second] = await collect(resultsFrom(batch, id))
    expect(first).toMatchObject({ reply: { ok: true, text: 'fine', usage: null } })
    expect(second).toMatchObject({ custom_id: 'b' })
  })
})

const NO_BATCHES = [
  ...['null', '{}', '[]', '7', '""', '<html>', '{"status":7,"processing_status":{}}'],
  ...['{"status":"failed","errors":{"data":7}}', '{"data":[null]}', ''],
]
test.each(APIS.flatMap((api) => NO_BATCHES.map((body) => [api, body] as const)))(
  '%s: %j where a batch should be is a failure of the call',
  async (api, body) => {
    const { batch } = await startBatches(api, {
      intercept: () => ({ status: 200, body, headers: { 'content-type': 'application/json' } }),
    })
    const submission = submissionOf(batch, 'sub_1', ['a'])
    await failureOf(batch.submit(submission, never()))
    expect(await failureOf(batch.find(submission, never()))).toMatchObject({ code: 'judge_unreachable' })
    await failureOf(batch.poll('b', never()))
    await batch.cancel('b', never())
  },
)

/** A provider whose one batch has ended and whose results never do, or break off after some. */
async function startEndless(breakOffAfter: number | null, status = 200) {
  let closed: () => void = () => undefined
  const connectionClosed = new Promise<void>((resolve) => {
    closed = resolve
  })
  const origin = await serve((request, response) => {
    if (!request.url?.endsWith('/results')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ id: 'b', processing_status: 'ended', request_counts: {} }))
    }
    response.writeHead(status)
    let written = 0
    response.on('close', () => {
      clearInterval(timer)
      closed()
    })
    const timer = setInterval(() => {
      if (written === breakOffAfter) return void response.destroy()
      response.write(`{"custom_id":"r${written++}","result":{"type":"expired"}}\n{"custom_id":"ha`)
      response.write('lf","result":{"type":"expired"}}\n')
    }, 1)
  })
  return { batch: judgeFor('messages', { origin }).batch, connectionClosed }
}

test('results are given as they come, and a reader that leaves closes the connection', async () => {
  const { batch, connectionClosed } = await startEndless(null)
  for await (const result of resultsFrom(batch, 'b')) {
    expect(result).toMatchObject({ reply: null })
    break
  }
  await connectionClosed
})

/** Reads results until they break off; answers them, and the failure. */
async function readBroken(results: AsyncIterable<BatchResult>, onResult: (count: number) => void = () => undefined) {
  const read: BatchResult[] = []
  const failure = await failureOf(
    (async () => {
      for await (const result of results) onResult(read.push(result))
    })(),
  )
  return { read, failure }
}

test('results that break off end with a failure that may be tried again', async () => {
  const { batch } = await startEndless(3)
  const { read, failure } = await readBroken(resultsFrom(batch, 'b'))
  expect(read).toHaveLength(6)
  expect(failure).toMatchObject({ code: 'judge_unreachable', retryable: true })
})

test('a signal ends the reading', async () => {
  const { batch, connectionClosed } = await startEndless(null)
  const stop = new AbortController()
  const { failure } = await readBroken(resultsFrom(batch, 'b', stop.signal), (count) => {
    if (count === 5) stop.abort()
  })
  expect(failure).toMatchObject({ code: 'cancelled' })
  await connectionClosed
})

test('what comes with an error is not read', async () => {
  const { batch, connectionClosed } = await startEndless(null, 500)
  expect(await failureOf(collect(resultsFrom(batch, 'b')))).toMatchObject({ code: 'judge_unreachable' })
  await connectionClosed
})
