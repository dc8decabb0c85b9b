import { describe, expect, test } from 'vitest'
import { batchCommand } from '../../src/cli/batch-command.ts'
import { startStandIn } from './stand-in.ts'
import { testShell, trial } from './test-shell.ts'

const three = () => [trial('a'), trial('b'), trial('c')]

/** A command that is interrupted once its batch is watched and one item has ended. */
async function interrupt(embedded: boolean) {
  const service = await startStandIn()
  const stops: string[] = []
  const args = ['batch', "it's here", '--new']
  const shell = testShell({
    args: embedded ? args : [...args, '--server', service.url],
    trials: three,
    startEmbedded: async () => ({
      url: service.url,
      stop: async () => {
        stops.push('stopped')
      },
    }),
  })
  const running = batchCommand(shell).parseAsync([...shell.args.slice(1)], { from: 'user' })
  const id = await service.watched()
  service.end(id, [{ label: 'aligned' }])
  shell.signals.emit('SIGINT')
  await running
  const state = service.batches.get(id)?.batch.status
  await service.close()
  return { shell, stops, state, url: service.url }
}

describe('Ctrl-C', () => {
  test('leaves a batch of a service alone, and says how to follow and to cancel it', async () => {
    const { shell, state, url } = await interrupt(false)
    expect([shell.code(), state]).toEqual([130, 'running'])
    for (const said of [`detached: bat_01 goes on at ${url}`, 'status bat_01', 'results bat_01', 'cancel bat_01'])
      expect(shell.errors()).toContain(said)
    expect(shell.errors()).toContain(`--server ${url}`)
  })

  test('stops the service of this process once, and says the command that goes on', async () => {
    const { shell, stops } = await interrupt(true)
    expect([shell.code(), stops]).toEqual([130, ['stopped']])
    expect(shell.errors()).toContain('stopping')
    expect(shell.errors()).toContain("Go on: veridict batch 'it'\\''s here'\n")
  })

  test('gives the signals back', async () => {
    const { shell } = await interrupt(true)
    expect([shell.signals.listenerCount('SIGINT'), shell.signals.listenerCount('SIGTERM')]).toEqual([0, 0])
  })

  test('a second one ends at once, while the first still stops', async () => {
    const service = await startStandIn()
    let finish = () => {}
    const shell = testShell({
      trials: three,
      startEmbedded: async () => ({
        url: service.url,
        stop: () =>
          new Promise<void>((resolve) => {
            finish = resolve
            shell.signals.emit('SIGINT')
          }),
      }),
    })
    const running = batchCommand(shell).parseAsync(['jobs'], { from: 'user' })
    await service.watched()
    shell.signals.emit('SIGINT')
    await expect.poll(() => shell.exits).toEqual([130])
    finish()
    await running
    await service.close()
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
    await service.close()
  })
})
