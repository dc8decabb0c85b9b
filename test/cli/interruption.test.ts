import { describe, expect, test } from 'vitest'
import { batchCommand } from '../../src/cli/commands/batch-command.ts'
import type { StopSignal } from '../../src/cli/shell.ts'
import { startStandIn } from './stand-in.ts'
import { embeddedAt, testShell, trial } from './test-shell.ts'

const three = () => [trial('a'), trial('b'), trial('c')]

/** A command that is interrupted once its batch is watched and one item has ended. */
async function interrupt(embedded: boolean, ...signals: StopSignal[]) {
  const service = await startStandIn()
  const stops: string[] = []
  const args = ['batch', 'jobs', '-o', 'csv', '--out', "it's here.csv"]
  const shell = testShell({
    args: embedded ? args : [...args, '--server', service.url],
    trials: three,
    openLocal: embeddedAt(service.url, async () => void stops.push('stopped')),
  })
  const running = batchCommand(shell).parseAsync([...shell.args.slice(1)], { from: 'user' })
  const id = await service.watched()
  service.end(id, [{ label: 'aligned' }])
  for (const signal of signals) shell.signals.emit(signal)
  await running
  const state = service.batches.get(id)?.batch.status
  return { shell, stops, state, url: service.url }
}

describe('Ctrl-C', () => {
  test('leaves a batch of a service alone, and says how to follow and to cancel it', async () => {
    const { shell, state, url } = await interrupt(false, 'SIGINT')
    expect(shell.errors()).toContain('(at least 1 of 3 items is done and kept)')
    expect([shell.code(), state]).toEqual([130, 'running'])
    for (const said of [`detached: bat_01 goes on at ${url}`, 'status bat_01', 'results bat_01', 'cancel bat_01'])
      expect(shell.errors()).toContain(said)
    expect(shell.errors()).toContain(`--server ${url}`)
  })

  test.each([
    ['SIGINT', ['SIGINT']],
    ['SIGTERM', ['SIGTERM']],
    ['a terminal that closes', ['SIGHUP']],
    ['its shell hanging up, too', ['SIGHUP', 'SIGHUP']],
  ] as const)(
    '%s stops the service of this process once, and says the command that goes on',
    async (_name, signals) => {
      const { shell, stops } = await interrupt(true, ...signals)
      expect([shell.code(), stops, shell.exits]).toEqual([130, ['stopped'], []])
      expect(shell.errors()).toContain('stopping')
      expect(shell.errors()).toContain("Go on: veridict resume bat_01 -o csv --out 'it'\\''s here.csv'\n")
    },
  )

  test('gives the signals back', async () => {
    const { shell } = await interrupt(true, 'SIGINT')
    expect(shell.signals.eventNames()).toEqual([])
  })

  test('a second one ends at once, while the first still stops', async () => {
    const service = await startStandIn()
    let finish = () => {}
    const shell = testShell({
      trials: three,
      openLocal: embeddedAt(
        service.url,
        () =>
          new Promise<void>((resolve) => {
            finish = resolve
            shell.signals.emit('SIGINT')
          }),
      ),
    })
    const running = batchCommand(shell).parseAsync(['jobs'], { from: 'user' })
    await service.watched()
    shell.signals.emit('SIGINT')
    await expect.poll(() => shell.exits).toEqual([130])
    finish()
    await running
  })

  test('tells no number where nothing is known to be done', async () => {
    const service = await startStandIn()
    const shell = testShell({ trials: three, openLocal: embeddedAt(service.url) })
    const running = batchCommand(shell).parseAsync(['jobs'], { from: 'user' })
    await service.watched()
    shell.signals.emit('SIGINT')
    await running
    expect(shell.errors()).toContain('stopped: what is done is kept\n')
  })

  test('in the middle of the upload leaves no batch', async () => {
    const service = await startStandIn()
    const shell = testShell({
      args: ['batch', 'jobs'],
      async *trials() {
        yield trial('a')
        shell.signals.emit('SIGINT')
        await new Promise(() => {})
      },
    })
    await batchCommand(shell).parseAsync(['jobs', '--server', service.url], { from: 'user' })
    expect([shell.code(), service.batches.size]).toEqual([130, 0])
    expect(shell.errors()).toContain('interrupted before there was a batch\n  Start again: veridict batch jobs')
  })
})
