import { resolve } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { regradeCommand } from '../../src/cli/commands/regrade-command.ts'
import { realCommand } from './real-command.ts'
import { type StandIn, startStandIn } from './stand-in.ts'
import { type TestShell, testShell } from './test-shell.ts'

let service: StandIn
beforeEach(async () => {
  service = await startStandIn()
})

async function run(shell: TestShell, ...args: string[]): Promise<number | null> {
  await regradeCommand(shell).parseAsync([...args, '--server', service.url], { from: 'user' })
  return shell.code()
}

test('sends the selection and the changes, and each command begins a new batch', async () => {
  service.ending = () => ({ label: 'aligned' })
  const args = ['--batch', 'bat_07', '--judge-was', 'lexical', '--judge', 'openai', '--samples', '3']
  const shell = testShell()
  expect(await run(shell, ...args)).toBe(0)
  expect(service.uploaded[0]).toEqual({ query: { batch: 'bat_07', judge: 'lexical' }, judge: 'openai', samples: 3 })
  expect(shell.errors()).toContain(`What changed: veridict compare bat_01 --server ${service.url}`)
  await run(testShell(), ...args)
  expect(service.batches.size).toBe(2)
})

test('--dry-run begins nothing', async () => {
  const shell = testShell()
  expect(await run(shell, '--status', 'unverified', '--judge', 'openai', '--dry-run', '-o', 'ndjson')).toBe(0)
  expect(JSON.parse(shell.output())).toMatchObject({ items: 3, to_grade: 2 })
  expect(service.batches.size).toBe(0)
})

test.each([
  ['nothing chosen', ['--judge', 'openai'], 'which grades?'],
  ['what would change nothing', ['--batch', 'b'], '--cache refresh (the same judge is asked again), or --recheck'],
  ['the cache as it always is', ['--batch', 'b', '--cache', 'use'], 'nothing would change'],
  ['a judge for a recheck', ['--batch', 'b', '--recheck', '--judge', 'openai'], '--recheck asks no judge'],
])('refuses %s', async (_name, args, said) => {
  const shell = testShell()
  expect(await run(shell, ...args)).toBe(1)
  expect(shell.errors()).toContain(said)
  expect(service.requests).toEqual([])
})

test('a rubric whose ground truths are others: names the command that takes new ones', async () => {
  const command = realCommand()
  const example = resolve('examples/aligned-terminus-2')
  await command.run('batch', example)
  const [batch] = /bat_\w+/.exec((await command.run('status')).out) ?? []
  const { code, err } = await command.run('regrade', '--batch', batch ?? '', '-r', 'injection')
  expect(code).toBe(1)
  expect(err).toContain(
    'a re-grade keeps the ground truths; `node src/cli.ts batch PATH -g TRUTHS -r RUBRIC` grades with',
  )
})
