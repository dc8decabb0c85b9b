import { beforeEach, describe, expect, test, vi } from 'vitest'
import { batchCommand } from '../../src/cli/commands/batch-command.ts'
import { resultsCommand } from '../../src/cli/commands/results-command.ts'
import { statusCommand } from '../../src/cli/commands/status-command.ts'
import { COMMAND_STOPPED } from '../../src/schemas/vocabulary.ts'
import { type StandIn, startStandIn } from './stand-in.ts'
import { embeddedAt, testShell, trial } from './test-shell.ts'

let service: StandIn
beforeEach(async () => {
  service = await startStandIn()
  const shell = testShell({ trials: () => [trial('a'), trial('b')] })
  await batchCommand(shell).parseAsync(['jobs', '--detach', '--server', service.url], { from: 'user' })
  service.end('bat_01', [{ label: 'aligned' }])
})

/** A shell whose service is in this process: nobody else’s batch runs in it. */
const inProcess = (more: { readonly program?: string } = {}) => ({
  ...testShell({ openLocal: embeddedAt(service.url) }),
  ...more,
})
const resumed = () => service.requests.filter((request) => request.endsWith('/resume'))

describe('looking at a batch that nobody runs, in process, grades nothing', () => {
  const said = 'no process runs this batch: go on with `veridict resume bat_01`'
  test.each([
    ['status', statusCommand, ['bat_01'], 0],
    ['status --follow', statusCommand, ['bat_01', '--follow'], 4],
    ['results', resultsCommand, ['bat_01'], 0],
    ['results --wait', resultsCommand, ['bat_01', '--wait'], 4],
  ] as const)('%s', async (_name, command, args, code) => {
    const shell = inProcess()
    await command(shell).parseAsync([...args], { from: 'user' })
    expect([shell.code(), resumed()]).toEqual([code, []])
    expect(shell.errors()).toContain(said)
    expect(shell.output() + shell.errors()).toContain('interrupted')
  })

  test('and a list calls it interrupted, where a service says that it runs', async () => {
    const shell = inProcess()
    await statusCommand(shell).parseAsync([], { from: 'user' })
    expect(shell.output()).toMatch(/\nbat_01 +interrupted +1\/2/)
    const remote = testShell()
    await statusCommand(remote).parseAsync(['--server', service.url], { from: 'user' })
    expect(remote.output()).toMatch(/\nbat_01 +running +1\/2/)
  })

  test('a batch that a stopped command left behind needs no mending', async () => {
    service.park('bat_01', COMMAND_STOPPED)
    const shell = inProcess()
    await statusCommand(shell).parseAsync(['bat_01'], { from: 'user' })
    expect(shell.errors()).toContain('Nothing is lost. Go on: veridict resume bat_01\n')
  })

  test('one that has ended is followed as ever', async () => {
    service.end('bat_01', [{ label: 'ignored' }])
    const shell = inProcess()
    await statusCommand(shell).parseAsync(['bat_01', '--follow'], { from: 'user' })
    expect([shell.code(), shell.errors().includes('nobody')]).toEqual([0, false])
  })

  test('hints are as this process was started', async () => {
    const shell = inProcess({ program: 'node bin/veridict.cjs' })
    await statusCommand(shell).parseAsync(['bat_01'], { from: 'user' })
    expect(shell.errors()).toContain('`node bin/veridict.cjs resume bat_01`')
  })
})

test.each([
  ['status', statusCommand],
  ['results', resultsCommand],
] as const)('%s ends with 4 while a batch waits for a worker, and says so', async (_name, command) => {
  const held = service.batches.get('bat_01')
  if (held === undefined) throw new Error('no batch')
  held.batch = { ...held.batch, parked_reason: 'waiting: no worker for ours', waiting_for: 'worker' }
  const shell = testShell()
  await command(shell).parseAsync(['bat_01', '--server', service.url], { from: 'user' })
  expect(shell.code()).toBe(4)
  expect(shell.errors()).toContain('waiting: no worker for ours\n  Nothing is lost: the batch goes on by itself')
})

describe('looking, in process, at a batch that another process runs', () => {
  let isRun: boolean
  const beside = () => {
    isRun = true
    return testShell({ openLocal: embeddedAt(service.url, undefined, () => isRun) })
  }

  test.each([
    ['status', statusCommand, ['bat_01']],
    ['results', resultsCommand, ['bat_01']],
    ['a list', statusCommand, []],
  ] as const)('%s calls it running', async (_name, command, args) => {
    const shell = beside()
    await command(shell).parseAsync([...args], { from: 'user' })
    expect([shell.code(), resumed()]).toEqual([0, []])
    expect(shell.output() + shell.errors()).not.toMatch(/interrupted|nobody/)
  })

  test.each([
    ['status --follow', statusCommand, '--follow'],
    ['results --wait', resultsCommand, '--wait'],
  ] as const)('%s follows it to its end', async (_name, command, flag) => {
    const shell = beside()
    const running = command(shell).parseAsync(['bat_01', flag], { from: 'user' })
    await service.watched()
    service.end('bat_01', [{ label: 'ignored' }])
    await running
    expect([shell.code(), resumed()]).toEqual([0, []])
    expect(shell.output()).toContain('2 items · graded 2')
  })

  test.each([
    ['status --follow', statusCommand, '--follow'],
    ['results --wait', resultsCommand, '--wait'],
  ] as const)('%s leaves it once its process is gone for five seconds', async (_name, command, flag) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const shell = beside()
      const running = command(shell).parseAsync(['bat_01', flag], { from: 'user' })
      await service.watched()
      await vi.advanceTimersByTimeAsync(60_000)
      isRun = false
      await vi.advanceTimersByTimeAsync(5000)
      await running
      expect([shell.code(), resumed()]).toEqual([4, []])
      expect(shell.errors()).toContain('no process runs this batch: go on with `veridict resume bat_01`')
    } finally {
      vi.useRealTimers()
    }
  })

  test('Ctrl-C leaves it alone', async () => {
    const shell = beside()
    const running = statusCommand(shell).parseAsync(['bat_01', '--follow'], { from: 'user' })
    await service.watched()
    shell.signals.emit('SIGINT')
    await running
    expect(shell.code()).toBe(130)
    expect(shell.errors()).toContain('detached: the process that runs bat_01 goes on')
    expect(shell.errors()).not.toMatch(/stopp|resume/)
  })
})
