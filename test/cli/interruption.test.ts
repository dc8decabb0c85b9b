import { describe, expect, test } from 'vitest'
import { startStandIn } from './stand-in.ts'
import { embeddedAt, testShell, trial, type } from './test-shell.ts'

const trials = () => [trial('a'), trial('b'), trial('c')]

/** Interrupts a command once its batch is watched and an item has ended. `stop` ends the service of this process. */
async function interrupt(where: 'here' | 'service', signals: readonly NodeJS.Signals[]) {
  const service = await startStandIn()
  const stops: string[] = []
  const words = ['jobs', '-o', 'csv', '--out', 'here.csv', ...(where === 'here' ? [] : ['--server', service.url])]
  const openLocal = embeddedAt(service.url, async () => void stops.push('stopped'))
  const shell = testShell({ args: ['batch', ...words], trials, openLocal })
  const running = type(shell, 'batch', ...words)
  const id = await service.watched()
  service.end(id, [{ label: 'aligned' }])
  for (const signal of signals) shell.signals.emit(signal)
  await running
  return { shell, stops, state: service.batches.get(id)?.batch.status, url: service.url }
}

describe('Ctrl-C', () => {
  test('leaves a batch of a service alone, and says how to follow and to cancel it', async () => {
    const { shell, state, url } = await interrupt('service', ['SIGINT'])
    expect([shell.code(), state]).toEqual([130, 'running'])
    for (const said of [
      ...['detached: bat_01 goes on, and what is done is kept', `--server ${url}`],
      ...['status bat_01', 'results bat_01', 'cancel bat_01'],
    ])
      expect(shell.errors()).toContain(said)
  })

  test.each([
    ['SIGINT', ['SIGINT']],
    ['SIGTERM', ['SIGTERM']],
    ['a terminal that closes', ['SIGHUP']],
    ['its shell hanging up, too', ['SIGHUP', 'SIGHUP']],
  ] as const)(
    '%s stops the service of this process once, and says the command that goes on',
    async (_name, signals) => {
      const { shell, stops } = await interrupt('here', signals)
      expect([shell.code(), stops, shell.exits]).toEqual([130, ['stopped'], []])
      expect(shell.errors()).toContain('stopping')
      expect(shell.errors()).toContain('stopped: what is done is kept\n  Go on: veridict resume bat_01\n')
      // The signals are given back.
      expect(shell.signals.eventNames()).toEqual([])
    },
  )

  test('a second one ends at once, while the first still stops', async () => {
    const service = await startStandIn()
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = () => {
      shell.signals.emit('SIGINT')
      return promise
    }
    const shell = testShell({ trials, openLocal: embeddedAt(service.url, stop) })
    const running = type(shell, 'batch', 'jobs')
    await service.watched()
    shell.signals.emit('SIGINT')
    await expect.poll(() => shell.exits).toEqual([130])
    resolve()
    await running
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
    await type(shell, 'batch', 'jobs', '--server', service.url)
    expect([shell.code(), service.batches.size]).toEqual([130, 0])
    expect(shell.errors()).toContain('interrupted: this command made no batch\n')
  })
})
