import { describe, expect, test } from 'vitest'
import { batchCommand } from '../../src/cli/commands/batch-command.ts'
import { compareCommand } from '../../src/cli/commands/compare-command.ts'
import { resultsCommand } from '../../src/cli/commands/results-command.ts'
import { statusCommand } from '../../src/cli/commands/status-command.ts'
import { serve } from '../local-server.ts'
import { newBatch } from './stand-in-batch.ts'
import { testShell, trial } from './test-shell.ts'

/** Something that answers every request with 200 and one body. */
const listen = (body: string): Promise<string> =>
  serve((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(body))

const COMMANDS = [
  ['status', statusCommand, []],
  ['status of one', statusCommand, ['bat_01']],
  ['results', resultsCommand, ['bat_01']],
  ['compare', compareCommand, ['a', 'b']],
  ['batch', batchCommand, ['jobs']],
] as const
const BODIES = [
  ['a page', '<!doctype html>', 'something that is not JSON'],
  ['nothing', '', 'something that is not JSON'],
  ['null', 'null', 'JSON that says something else than was asked'],
  ['an object of its own', '{"items": [{"id": "x"}], "next_cursor": null}', 'JSON that says something else'],
] as const

describe.each(COMMANDS)('%s', (_name, command, args) => {
  test.each(BODIES)(
    'says that %s is no answer of a Veridict service, and prints nothing else',
    async (_body, body, said) => {
      const url = await listen(body)
      const shell = testShell({ trials: () => [trial('a')] })
      await command(shell).parseAsync([...args, '--server', url], { from: 'user' })
      expect([shell.code(), shell.output()]).toEqual([1, ''])
      expect(shell.errors()).toContain(`veridict: ${url} answered ${said}`)
      expect(shell.errors()).toContain('is this a Veridict service?')
    },
  )
})

test.each([
  ['an id', { id: 'bat_\u001b[2J' }],
  ['a time', { finished_at: '\u001b[2J' }],
  ['a label', { labels: { '\u001b[2J': 1 } }],
  ['a failure', { failures: { '\u001b[2J': 1 } }],
])('%s that would act on a terminal is none', async (_name, hostile) => {
  const url = await listen(JSON.stringify({ ...newBatch(1, 1, {}, 'grade'), status: 'done', ...hostile }))
  const shell = testShell()
  await statusCommand(shell).parseAsync(['bat_01', '--server', url], { from: 'user' })
  expect([shell.code(), shell.output()]).toEqual([1, ''])
  expect(shell.errors()).toContain('is this a Veridict service?')
  expect(shell.errors()).not.toContain('\u001b')
})

test('a newer service may say more', async () => {
  const url = await listen(JSON.stringify({ ...newBatch(1, 1, {}, 'grade'), kind: 'newer', more: { of: 'it' } }))
  const shell = testShell()
  await statusCommand(shell).parseAsync(['bat_01', '--server', url, '-o', 'ndjson'], { from: 'user' })
  expect(shell.errors()).toBe('')
  expect(JSON.parse(shell.output())).toMatchObject({ id: 'bat_01', kind: 'newer' })
})
