import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from 'vitest'
import { serve } from '../local-server.ts'
import { newBatch } from './stand-in.ts'
import { trial, typed } from './test-shell.ts'

/** Answers every request with one body: a page, JSON, or a problem. */
const listen = (body: string, status = 200): Promise<string> => {
  const json = status < 400 ? 'application/json' : 'application/problem+json'
  const type = body.startsWith('<') ? 'text/html' : json
  return serve((_request, response) => response.writeHead(status, { 'content-type': type }).end(body))
}
const run = (url: string, name: string, ...words: string[]) =>
  typed({ trials: () => [trial('a')] }, name, ...words, '--server', url)

test.each([
  ['a page', '<!doctype html>', 'something that is not JSON'],
  ['nothing', '', 'something that is not JSON'],
  ['null', 'null', 'JSON that says something else than was asked'],
  ['an object of its own', '{"items": [{"id": "x"}], "next_cursor": null}', 'JSON that says something else'],
])('%s is no answer of a Veridict service, and nothing else is printed', async (_name, body, said) => {
  const url = await listen(body)
  for (const [name = '', ...words] of [
    ['status'],
    ['status', 'bat_01'],
    ['results', 'bat_01'],
    ['compare', 'a', 'b'],
    ['batch', 'jobs'],
  ]) {
    const { code, out, err } = await run(url, name, ...words)
    expect([code, out]).toEqual([1, ''])
    for (const part of [`veridict: ${url} answered ${said}`, 'is this a Veridict service?']) expect(err).toContain(part)
  }
})

test.each([
  ['an id', { id: 'bat_\u001b[2J' }],
  ['a time', { finished_at: '\u001b[2J' }],
  ['a label', { labels: { '\u001b[2J': 1 } }],
  ['a failure', { failures: { '\u001b[2J': 1 } }],
])('%s that would act on a terminal is none', async (_name, hostile) => {
  const url = await listen(JSON.stringify({ ...newBatch(1, 1, {}, 'grade'), status: 'done', ...hostile }))
  const { code, out, err } = await run(url, 'status', 'bat_01')
  expect([code, out, err.includes('\u001b')]).toEqual([1, '', false])
  expect(err).toContain('is this a Veridict service?')
})

test('a newer service may say more', async () => {
  const url = await listen(JSON.stringify({ ...newBatch(1, 1, {}, 'grade'), kind: 'newer', more: { of: 'it' } }))
  const { out, err } = await run(url, 'status', 'bat_01', '--json')
  expect([err, JSON.parse(out).data]).toMatchObject(['', { id: 'bat_01', kind: 'newer' }])
})

const KEY = 'vk_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

test.each([
  ['a key goes to the named service, without the newline of its file', `${KEY}\n`, [`Bearer ${KEY}`]],
  ['without a key nothing is sent', '', [undefined]],
  ['a key that no header can carry is refused without being shown', `${KEY}\nx-more: 1`, []],
])('%s', async (_name, VERIDICT_API_KEY, sent) => {
  const headers: IncomingHttpHeaders[] = []
  const url = await serve((request, response) => {
    headers.push(request.headers)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[],"not_configured":[]}')
  })
  const { code, err } = await typed({ env: { VERIDICT_API_KEY } }, 'judges', '--server', url)
  expect(headers.map(({ authorization }) => authorization)).toEqual(sent)
  expect([code, err.includes(KEY)]).toEqual([sent.length === 0 ? 1 : 0, false])
  if (sent.length === 0) expect(err).toContain('the token is not a key: a key looks like vk_…')
})

test.each([
  [401, 'unauthorized', 'keys create NAME'],
  [403, 'forbidden', '--scopes'],
  [421, 'wrong_host', 'VERIDICT_ALLOWED_HOSTS'],
])('%i %s says what to do', async (status, code, hint) => {
  const url = await listen(JSON.stringify({ status, code, title: code, detail: `it says ${code}` }), status)
  const ended = await typed({ env: { VERIDICT_API_KEY: KEY } }, 'judges', '--server', url)
  expect([ended.code, ended.err.includes(KEY)]).toEqual([1, false])
  for (const said of [`it says ${code}`, hint]) expect(ended.err).toContain(said)
})
