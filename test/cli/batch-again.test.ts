import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { batchCommand } from '../../src/cli/commands/batch-command.ts'
import type { BatchResult } from '../../src/schemas/batch.ts'
import { tempFolder } from '../temp-folder.ts'
import { type StandIn, startStandIn } from './stand-in.ts'
import { type TestShell, testShell, trial } from './test-shell.ts'

const folder = tempFolder()

let service: StandIn
beforeEach(async () => {
  service = await startStandIn()
})
afterEach(() => service.close())

const three = () => [trial('a'), trial('b'), trial('c')]
const run = async (shell: TestShell, ...args: string[]) => {
  await batchCommand(shell).parseAsync(['jobs', '--server', service.url, ...args], { from: 'user' })
  return shell.code()
}
const posts = () => service.requests.filter((one) => one.startsWith('POST /v1/batches?'))

describe('the same command again', () => {
  const first = async (...args: string[]) => {
    service.ending = () => ({ label: 'aligned' })
    await run(testShell({ trials: three }), ...args)
  }

  test('prints the results of a batch that is done, and reads nothing', async () => {
    await first()
    const shell = testShell({ trials: () => Promise.reject(new Error('read again')) as never })
    expect(await run(shell, '-o', 'ndjson')).toBe(0)
    expect(posts()).toHaveLength(1)
    const rows = shell
      .output()
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row) as BatchResult)
    expect(rows.map((row) => row.item_id)).toEqual(['a', 'b', 'c'])
    expect(shell.errors()).toContain('bat_01: this command’s batch was done at 2026-11-21T09:00:00.000Z')
  })

  test.each([
    ['follows one that runs', 'running', 'runs already, 0 of 3 items done', []],
    ['resumes one that is parked', 'parked', 'was parked (no quota); resuming it', ['POST /v1/batches/bat_01/resume']],
  ] as const)('%s', async (_name, status, said, resumed) => {
    await first()
    const held = service.batches.get('bat_01')
    if (held === undefined) throw new Error('no batch')
    held.results.length = 0
    held.batch = {
      ...held.batch,
      status,
      parked_reason: status === 'parked' ? 'no quota' : null,
      counts: { ...held.batch.counts, graded: 0, pending: 3 },
    }
    const shell = testShell({ trials: three })
    const running = run(shell)
    await service.watched()
    service.end(
      'bat_01',
      three().map(() => ({ label: 'ignored' })),
    )
    expect(await running).toBe(0)
    expect(shell.errors()).toContain(said)
    expect(posts()).toHaveLength(1)
    expect(service.requests.filter((one) => one.endsWith('/resume'))).toEqual(resumed)
  })

  test.each([
    ['a cancelled one', [], 'cancelled'],
    ['--new', ['--new'], 'done'],
  ] as const)('begins another after %s', async (_name, args, status) => {
    await first()
    const held = service.batches.get('bat_01')
    if (held !== undefined) held.batch = { ...held.batch, status }
    expect(await run(testShell({ trials: three }), ...args)).toBe(0)
    expect(service.batches.size).toBe(2)
  })

  describe('over a folder that changed', () => {
    const jobs = () => {
      const path = mkdtempSync(join(folder, 'jobs-'))
      mkdirSync(join(path, 'a'))
      writeFileSync(join(path, 'a', 'trajectory.json'), '{}')
      return path
    }
    const runOn = async (path: string, shell: TestShell, ...args: string[]) => {
      await batchCommand(shell).parseAsync([path, '--server', service.url, ...args], { from: 'user' })
      return shell.code()
    }

    test('begins a new batch once the old one is done, and only then', async () => {
      service.ending = () => ({ label: 'aligned' })
      const path = jobs()
      const out = join(path, 'labels.csv')
      await runOn(path, testShell({ trials: three }), '--out', out)
      await runOn(path, testShell({ trials: three }), '--out', out)
      expect(service.batches.size).toBe(1)
      writeFileSync(join(path, 'a', 'more.json'), '{}')
      const shell = testShell({ trials: three })
      expect(await runOn(path, shell, '--out', out)).toBe(0)
      expect([service.batches.size, shell.errors().includes('was done at')]).toEqual([2, false])
    })

    test.each([
      ['running', 'runs already'],
      ['parked', 'was parked'],
    ] as const)('goes on with the old one while it is %s, and says so', async (status, said) => {
      const path = jobs()
      await runOn(path, testShell({ trials: three }), '--detach')
      if (status === 'parked') service.park('bat_01', 'no quota')
      writeFileSync(join(path, 'a', 'trajectory.json'), '{"steps": []}')
      const shell = testShell({ trials: three })
      const running = runOn(path, shell)
      await service.watched('bat_01')
      service.end(
        'bat_01',
        three().map(() => ({ label: 'ignored' })),
      )
      expect([await running, service.batches.size]).toEqual([0, 1])
      expect(shell.errors()).toContain('bat_01: the paths have changed since this batch was begun')
      expect(shell.errors()).toContain(said)
    })

    test('leaves the running batch of another command alone', async () => {
      const [path, other] = [jobs(), jobs()]
      await runOn(other, testShell({ trials: three }), '--detach')
      await runOn(path, testShell({ trials: three }), '--detach')
      await runOn(path, testShell({ trials: three }), '--detach', '--judge', 'openai')
      expect(service.batches.size).toBe(3)
    })
  })

  test('--strict reads the paths of a batch that is done again, and says so', async () => {
    await first()
    const shell = testShell({
      trials: () => [{ kind: 'skipped', name: 's', source: 's', reason: 'no_trajectory', detail: 'no file' }],
    })
    expect(await run(shell, '--strict')).toBe(3)
    expect(shell.errors()).toContain('--strict: reading the paths again, to name what was skipped\nskipped  s')
    expect(posts()).toHaveLength(1)
  })

  test.each(['model', 'digest'] as const)('is not the same where another %s answers it', async (what) => {
    await first()
    service.asks = { ...service.asks, [what]: 'another' }
    const shell = testShell({ trials: three })
    expect(await run(shell)).toBe(0)
    expect([service.batches.size, shell.errors().includes('was done at')]).toEqual([2, false])
    await first()
    expect(service.batches.size).toBe(2)
  })

  test('leaves an unfinished batch that asked another model, and says how to end it', async () => {
    service.ending = null
    await run(testShell({ trials: three }), '--detach')
    service.asks = { ...service.asks, model: 'm-2' }
    service.ending = () => ({ label: 'aligned' })
    const shell = testShell({ trials: three })
    expect(await run(shell)).toBe(0)
    expect([...service.batches.values()].map(({ batch }) => batch.status)).toEqual(['running', 'done'])
    expect(shell.errors()).toContain(
      'bat_01: this batch of the same command has not ended, and was begun with other judges',
    )
    expect(shell.errors()).toContain(`resume bat_01 --server ${service.url}`)
  })

  test('with another option, or other ground truths, is another command', async () => {
    const truths = join(folder, 'truths.json')
    await first()
    await first('--judge', 'openai')
    writeFileSync(truths, '{}')
    await first('-g', truths)
    writeFileSync(truths, '{ }')
    await first('-g', truths)
    await first('-g', truths)
    expect(service.batches.size).toBe(4)
  })
})

test('a broken stream of events is opened again, and nothing is missed', async () => {
  const shell = testShell({ trials: three })
  const running = run(shell)
  const id = await service.watched()
  service.breakStreams()
  service.end(id, [{ label: 'aligned' }, { label: 'ignored' }])
  await service.watched()
  service.end(id, [{ failure: 'refused' }])
  expect(await running).toBe(3)
  expect(shell.output()).toContain('3 items · graded 2 · failed 1')
})
