import { beforeEach, describe, expect, test, vi } from 'vitest'
import { COMMAND_STOPPED } from '../../src/schemas/vocabulary.ts'
import { type StandIn, startStandIn } from './stand-in.ts'
import { embeddedAt, testShell, trial, type, typed } from './test-shell.ts'

let service: StandIn
/** Whether another process runs the batches of the database. */
let isRun: boolean
beforeEach(async () => {
  isRun = false
  service = await startStandIn()
  await typed({ trials: () => [trial('a'), trial('b')] }, 'batch', 'jobs', '--detach', '--server', service.url)
  service.end('bat_01', [{ label: 'aligned' }])
})

const here = () => ({ openLocal: embeddedAt(service.url, undefined, () => isRun) })
const look = (name: string, ...words: string[]) => typed(here(), name, ...words)
const resumed = () => service.requests.filter((request) => request.endsWith('/resume'))
const GO_ON = 'no process runs this batch: go on with `veridict resume bat_01`'

describe('looking at a batch that nobody runs, in process, grades nothing', () => {
  test.each([
    ['status', [], 0],
    ['status', ['--follow'], 4],
    ['results', [], 0],
    ['results', ['--wait'], 4],
  ])('%s %j', async (name, words, code) => {
    const ended = await look(name, 'bat_01', ...words)
    expect([ended.code, resumed()]).toEqual([code, []])
    expect(ended.err).toContain(GO_ON)
    expect(ended.out + ended.err).toContain('interrupted')
  })

  test('and a list calls it interrupted, where a service says that it runs', async () => {
    expect((await look('status')).out).toMatch(/\nbat_01 +interrupted +1\/2/)
    expect((await typed({}, 'status', '--server', service.url)).out).toMatch(/\nbat_01 +running +1\/2/)
  })

  test('a batch that a stopped command left behind is resumed', async () => {
    service.park('bat_01', COMMAND_STOPPED)
    expect((await look('status', 'bat_01')).err).toContain(
      'Nothing is lost. Once the cause is mended, go on: veridict resume bat_01\n',
    )
  })

  test('one that has ended is followed as ever', async () => {
    service.end('bat_01', [{ label: 'ignored' }])
    const { code, err } = await look('status', 'bat_01', '--follow')
    expect([code, err.includes('nobody')]).toEqual([0, false])
  })

  test('hints are as this process was started', async () => {
    const shell = { ...testShell(here()), program: 'node bin/veridict.cjs' }
    await type(shell, 'status', 'bat_01')
    expect(shell.errors()).toContain('`node bin/veridict.cjs resume bat_01`')
  })
})

test.each(['status', 'results'])('%s ends with 4 while a batch waits for a worker, and says so', async (name) => {
  const held = service.batches.get('bat_01')
  if (held === undefined) throw new Error('no batch')
  held.batch = { ...held.batch, parked_reason: 'waiting: no worker for ours', waiting_for: 'worker' }
  const { code, err } = await typed({}, name, 'bat_01', '--server', service.url)
  expect(code).toBe(4)
  expect(err).toContain('waiting: no worker for ours\n  Nothing is lost: the batch goes on by itself')
})

describe('looking, in process, at a batch that another process runs', () => {
  beforeEach(() => {
    isRun = true
  })

  test.each([['status', 'bat_01'], ['results', 'bat_01'], ['status']])('%s %s calls it running', async (...words) => {
    const [name = '', ...more] = words
    const { code, out, err } = await look(name, ...more)
    expect([code, resumed()]).toEqual([0, []])
    expect(out + err).not.toMatch(/interrupted|nobody/)
  })

  const FOLLOWING = [
    ['status', '--follow'],
    ['results', '--wait'],
  ] as const
  test.each(FOLLOWING)('%s %s follows it to its end', async (name, flag) => {
    const running = look(name, 'bat_01', flag)
    await service.watched()
    service.end('bat_01', [{ label: 'ignored' }])
    const { code, out } = await running
    expect([code, resumed(), out]).toEqual([0, [], expect.stringContaining('2 items · graded 2')])
  })

  test.each(FOLLOWING)('%s %s leaves it once its process is gone for twenty seconds', async (name, flag) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const running = look(name, 'bat_01', flag)
      await service.watched()
      await vi.advanceTimersByTimeAsync(60_000)
      isRun = false
      await vi.advanceTimersByTimeAsync(20_000)
      const { code, err } = await running
      expect([code, resumed(), err]).toEqual([4, [], expect.stringContaining(GO_ON)])
    } finally {
      vi.useRealTimers()
    }
  })

  test('Ctrl-C leaves it alone', async () => {
    const shell = testShell(here())
    const running = type(shell, 'status', 'bat_01', '--follow')
    await service.watched()
    shell.signals.emit('SIGINT')
    await running
    expect(shell.code()).toBe(130)
    expect(shell.errors()).toContain('detached: bat_01 goes on')
    expect(shell.errors()).not.toMatch(/stopp|resume/)
  })
})
