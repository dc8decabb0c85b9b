import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { remote } from '../../src/client/index.ts'
import { collect } from '../collect.ts'
import { serve } from '../local-server.ts'
import { noPython, shown } from './run-python.ts'
import { makeAnswers } from './running-service.ts'

type Answer = (path: string, response: ServerResponse, nth: number) => void

/** A server that says it is a Veridict. `nth`: of the requests for results, from 1. */
async function lie(answer: Answer): Promise<{ origin: string; count: () => number }> {
  let [all, streams] = [0, 0]
  const origin = await serve((request, response) => {
    all++
    const path = new URL(request.url ?? '', 'http://x').pathname
    answer(path, response, path.endsWith('/results') ? ++streams : streams)
  })
  return { origin, count: () => all }
}

const { batch, result } = await makeAnswers()
const DONE = { ...batch, counts: { ...batch.counts, total: 2 } }
const line = (index: number): string => `${JSON.stringify({ ...result, index })}\n`

/** Ends its first stream early, as one that stops does; its batch has ended by the time it is asked. */
const stopping: Answer = (path, response, nth) => {
  if (!path.endsWith('/results')) return void response.end(JSON.stringify(DONE))
  response.end(nth === 1 ? line(0) : line(0) + line(1))
}
/** Counts results that there are none of. */
const counting: Answer = (path, response) =>
  void response.end(
    path.endsWith('/results') ? line(0) : JSON.stringify({ ...DONE, counts: { ...DONE.counts, total: 9 } }),
  )
const nothing: Answer = (_path, response) => void response.end('{"item_id":"a"}\n{"item_id":"b"}\n')
const misplaced: Answer = (_path, response) => void response.end(line(-1))
const endless: Answer = (_path, response) => {
  const chunk = Buffer.alloc(1 << 20, 97)
  const write = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', write)
  write()
}

describe('TypeScript', () => {
  async function results(answer: Answer): Promise<number[]> {
    const { origin } = await lie(answer)
    return (await collect(remote(origin).results('b', { wait: true }))).map(({ index }) => index)
  }

  test('a stream that ended early is read again, though the batch has ended since', async () => {
    expect(await results(stopping)).toEqual([0, 1])
  })

  test('results that are only counted are not waited for', async () => {
    expect(await results(counting)).toEqual([0])
  })

  test('lines that are no results, and one without an end, are errors', async () => {
    await expect(results(nothing)).rejects.toMatchObject({ code: 'strange_answer' })
    await expect(results(misplaced)).rejects.toMatchObject({ code: 'strange_answer' })
    await expect(results(endless)).rejects.toMatchObject({ code: 'not_a_result' })
  })

  test.each([
    ['what is refused for good', 400, {}],
    ['a year', 503, { 'retry-after': '31536000' }],
  ] as const)('%s is not waited for, however long one would wait', async (_name, status, headers) => {
    const { origin, count } = await lie((_path, response) => void response.writeHead(status, headers).end())
    const client = remote(origin, undefined, { retries: { longestWaitMs: Number.POSITIVE_INFINITY } })
    await expect(client.batch('b')).rejects.toMatchObject({ status })
    expect(count()).toBe(1)
  })

  test('a password in the address is refused, and not told', () => {
    const message = 'the address of the service holds a password: give the key as token'
    expect(() => remote('http://a:secret@h.example')).toThrow(message)
    for (const url of ['a:secret@h', 'http:\\\\a:secret@h h']) expect(() => remote(url)).toThrow(/^"h/)
  })
})

describe.skipIf(noPython !== null)('Python', () => {
  const READ = 'show([one["index"] for one in client.results("b")])'
  const CAUGHT = `
try: list(client.results("b"))
except veridict.ServiceError as error: show(error.code)`

  test.each([
    ['a stream that ended early is read again', stopping, READ, [[0, 1]]],
    ['results that are only counted are not waited for', counting, READ, [[0]]],
    ['lines that are no results are an error', nothing, CAUGHT, ['not_a_result']],
    ['a line without an end is an error', endless, CAUGHT, ['not_a_result']],
    [
      'what is nested too deeply is an error',
      (_path, response) => void response.end(`${'['.repeat(200_000)}\n`),
      CAUGHT,
      ['not_json'],
    ],
  ] as const satisfies readonly (readonly [string, Answer, string, unknown[]])[])(
    '%s',
    async (_name, answer, program, told) => {
      const { origin } = await lie(answer)
      expect(await shown(origin, program)).toEqual(told)
    },
  )
})
