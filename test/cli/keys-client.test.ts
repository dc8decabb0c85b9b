import type { IncomingMessage, RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { judgesCommand } from '../../src/cli/commands/catalogue-commands.ts'
import { serve } from '../local-server.ts'
import { testShell } from './test-shell.ts'

const KEY = 'vk_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

/** A server on loopback that notes what it is asked. */
async function listen(answer: RequestListener) {
  const asked: IncomingMessage[] = []
  const url = await serve((request, response) => {
    asked.push(request)
    answer(request, response)
  })
  return { url, asked }
}

const problem =
  (status: number, code: string): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ status, code, title: code, detail: `it says ${code}` }))
  }

const NO_JUDGES: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end('{"items":[]}')
}

async function ask(env: NodeJS.ProcessEnv, url: string) {
  const shell = testShell({ env })
  await judgesCommand(shell).parseAsync(['--server', url], { from: 'user' })
  return shell
}

test('the key goes to the named service, without the newline of the file that it came from', async () => {
  const { url, asked } = await listen(NO_JUDGES)
  const shell = await ask({ VERIDICT_API_KEY: `${KEY}\n` }, url)
  expect(shell.code()).toBe(0)
  expect(asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`])
})

test('without one nothing is sent', async () => {
  const { url, asked } = await listen(NO_JUDGES)
  await ask({ VERIDICT_API_KEY: '' }, url)
  expect(asked.map(({ headers }) => headers.authorization)).toEqual([undefined])
})

test('a key that no header can carry is refused without being shown', async () => {
  const { url, asked } = await listen(NO_JUDGES)
  const shell = await ask({ VERIDICT_API_KEY: `${KEY}\nx-more: 1` }, url)
  expect(shell.code()).toBe(1)
  expect(asked).toEqual([])
  expect(shell.errors()).toContain('VERIDICT_API_KEY is not a key')
  expect(shell.errors()).not.toContain(KEY)
})

test.each([
  [401, 'unauthorized', 'keys create NAME'],
  [403, 'forbidden', '--scopes'],
  [421, 'wrong_host', 'VERIDICT_ALLOWED_HOSTS'],
])('%i %s says what to do', async (status, code, hint) => {
  const { url } = await listen(problem(status, code))
  const shell = await ask({ VERIDICT_API_KEY: KEY }, url)
  expect(shell.code()).toBe(1)
  expect(shell.errors()).toContain(`it says ${code}`)
  expect(shell.errors()).toContain(hint)
  expect(shell.errors()).not.toContain(KEY)
})
