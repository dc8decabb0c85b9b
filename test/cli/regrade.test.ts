import { afterEach, beforeEach, expect, test } from 'vitest'
import { regradeCommand } from '../../src/cli/commands/regrade-command.ts'
import type { RegradeRequest } from '../../src/schemas/regrade.ts'
import { type StandIn, startStandIn } from './stand-in.ts'
import { type TestShell, testShell } from './test-shell.ts'

let service: StandIn
beforeEach(async () => {
  service = await startStandIn()
})
afterEach(() => service.close())

async function run(shell: TestShell, ...args: string[]): Promise<number | null> {
  await regradeCommand(shell).parseAsync([...args, '--server', service.url], { from: 'user' })
  return shell.code()
}

test('sends the selection and what is different; the same command finds it again', async () => {
  service.ending = () => ({ label: 'aligned' })
  const args = ['--batch', 'bat_07', '--judge-was', 'lexical', '--judge', 'openai', '--samples', '3']
  const shell = testShell()
  expect(await run(shell, ...args)).toBe(0)
  const { key, ...sent } = service.uploaded[0] as RegradeRequest
  expect(sent).toEqual({ query: { batch: 'bat_07', judge: 'lexical' }, judge: 'openai', samples: 3 })
  expect(key).toMatch(/^cli:sha256:[0-9a-f]{64}:[0-9a-f]{16}$/)
  expect(shell.errors()).toContain(`What changed: veridict compare bat_01 --server ${service.url}`)
  await run(testShell(), ...args)
  expect(service.batches.size).toBe(1)
  await run(testShell(), ...args, '--new')
  expect(service.batches.size).toBe(2)
})

test('--recheck never takes old results for new ones, and goes on with one that runs', async () => {
  service.ending = () => ({ label: 'aligned' })
  const args = ['--batch', 'bat_07', '--recheck']
  await run(testShell(), ...args)
  service.ending = null
  const running = run(testShell(), ...args)
  await service.watched('bat_02')
  const shell = testShell()
  const again = run(shell, ...args)
  await expect.poll(() => service.batches.get('bat_02')?.watchers.size).toBe(2)
  service.end('bat_02', [{ label: 'ignored' }])
  expect([await running, await again, service.batches.size]).toEqual([0, 0, 2])
  expect(shell.errors()).toContain('bat_02: this command’s batch runs already')
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
