import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { beforeEach, describe, expect, test } from 'vitest'
import { batchCommand } from '../../src/cli/commands/batch-command.ts'
import { compareCommand } from '../../src/cli/commands/compare-command.ts'
import { importCommand } from '../../src/cli/commands/import-command.ts'
import { resultsCommand } from '../../src/cli/commands/results-command.ts'
import { cancelCommand, resumeCommand } from '../../src/cli/commands/resume-commands.ts'
import { statusCommand } from '../../src/cli/commands/status-command.ts'
import type { Shell } from '../../src/cli/shell.ts'
import type { Batch, BatchItem } from '../../src/schemas/batch.ts'
import type { Comparison, Flip } from '../../src/schemas/regrade.ts'
import { LABELS } from '../../src/schemas/vocabulary.ts'
import { makeGrade } from '../storage/make-grade.ts'
import { type StandIn, startStandIn } from './stand-in.ts'
import { embeddedAt, type TestShell, testShell, trial } from './test-shell.ts'

let service: StandIn
beforeEach(async () => {
  service = await startStandIn()
})

async function run(command: (shell: Shell) => Command, shell: TestShell, ...args: string[]): Promise<number | null> {
  await command(shell).parseAsync([...args, '--server', service.url], { from: 'user' })
  return shell.code()
}
const make = (...names: string[]) =>
  run(batchCommand, testShell({ trials: () => names.map((name) => trial(name)) }), ...names, '--detach')

describe('--detach', () => {
  test('prints the id alone, and how to follow', async () => {
    const shell = testShell({ trials: () => [trial('a')] })
    expect(await run(batchCommand, shell, 'a', '--detach')).toBe(0)
    expect(shell.output()).toBe('bat_01\n')
    expect(shell.errors()).toContain(`Follow: veridict status bat_01 --server ${service.url} --follow`)
  })

  test('is refused in process, where the batch would end with the command', async () => {
    const openLocal = embeddedAt(service.url)
    const shell = testShell({ trials: () => [trial('a')], openLocal })
    await batchCommand(shell).parseAsync(['a', '--detach'], { from: 'user' })
    expect([shell.code(), service.batches.size]).toEqual([1, 0])
    expect(shell.errors()).toContain('--detach needs a service that goes on')
  })
})

describe('results', () => {
  test('of a batch that runs: what there is, and how to wait', async () => {
    await make('a', 'b')
    service.end('bat_01', [{ label: 'aligned' }])
    const shell = testShell()
    expect(await run(resultsCommand, shell, 'bat_01', '-o', 'ndjson')).toBe(0)
    expect(JSON.parse(shell.output())).toMatchObject({ item_id: 'a', label: 'aligned' })
    expect(shell.errors()).toContain('1 of 2 items has not ended (running)')
  })

  test('--wait follows first', async () => {
    await make('a')
    const shell = testShell()
    const running = run(resultsCommand, shell, 'bat_01', '--wait', '-o', 'ndjson')
    await service.watched()
    service.end('bat_01', [{ status: 'unverified' }])
    expect(await running).toBe(2)
    expect(JSON.parse(shell.output())).toMatchObject({ item_id: 'a', status: 'unverified' })
  })

  test('keeps what would act on a terminal out of JSON too', async () => {
    await make('\u009b2Jx\u202e')
    service.end('bat_01', [{ label: 'aligned' }])
    const shell = testShell()
    await run(resultsCommand, shell, 'bat_01', '-o', 'ndjson')
    expect(shell.output()).toContain('\\u009b2Jx\\u202e')
    expect((JSON.parse(shell.output()) as { item_id: string }).item_id).toBe('\u009b2Jx\u202e')
  })

  test('of a batch that is parked for the user: resume it, and not that it could be waited for', async () => {
    await make('a', 'b')
    service.end('bat_01', [{ label: 'aligned' }])
    service.park(
      'bat_01',
      'openai: authentication: replace the key in OPENAI_API_KEY, it was refused: api.openai.com answered 401',
    )
    const shell = testShell()
    expect(await run(resultsCommand, shell, 'bat_01')).toBe(4)
    expect(shell.errors()).not.toContain('--wait')
    expect(shell.errors()).toContain(`go on: veridict resume bat_01 --server ${service.url}`)
  })

  test('of a batch whose cap was too low: how the rest is graded', async () => {
    await make('a', 'b')
    service.end('bat_01', [{ label: 'aligned' }, { failure: 'budget_exceeded' }])
    const held = service.batches.get('bat_01')
    if (held !== undefined) held.batch = { ...held.batch, max_cost_usd: 0.5 }
    const shell = testShell()
    expect(await run(resultsCommand, shell, 'bat_01')).toBe(3)
    expect(shell.errors()).toContain(
      '1 item over the budget (--max-cost-usd 0.5): the same command with a higher --max-cost-usd grades it',
    )
    const waited = testShell()
    await run(resultsCommand, waited, 'bat_01', '--wait')
    expect(waited.errors()).toContain('a higher --max-cost-usd')
  })

  test('of no batch', async () => {
    const shell = testShell()
    expect(await run(resultsCommand, shell, 'bat_99')).toBe(1)
    expect(shell.errors()).toContain('no such batch (not_found, HTTP 404)\n  `veridict status` lists the batches')
  })
})

describe('status', () => {
  test('lists the newest first, and only those asked for', async () => {
    await make('a')
    await make('b')
    service.park('bat_01', 'no quota')
    const all = testShell()
    expect(await run(statusCommand, all)).toBe(0)
    expect(all.output()).toMatch(/^batch .*\nbat_02 +running +0\/1.*\nbat_01 +parked .*\n$/)
    const parked = testShell()
    await run(statusCommand, parked, '--status', 'parked', '-o', 'ndjson')
    expect((JSON.parse(parked.output()) as Batch).id).toBe('bat_01')
  })

  test('of all, followed, is a usage error', async () => {
    const shell = testShell()
    expect(await run(statusCommand, shell, '--follow')).toBe(1)
    expect([shell.errors().split('\n')[0], service.requests]).toEqual([
      'veridict: which batch? --follow shows one until it ends',
      [],
    ])
  })

  test('a round at the provider is announced once, with how long it lasts', async () => {
    await make('a')
    const held = service.batches.get('bat_01')
    const round = { number: 2, questions: 7, begun_at: '2026-11-22T08:00:00.000Z', ends_by: '2026-11-23T08:00:00.000Z' }
    if (held !== undefined) held.batch = { ...held.batch, round: { ...round, usual_seconds: 750 } }
    const said =
      'round 2: 7 questions with the provider since 2026-11-22T08:00:00.000Z; usually 12m 30s here, within a day: by 2026-11-23T08:00:00.000Z'
    const shell = testShell()
    const followed = run(statusCommand, shell, 'bat_01', '--follow')
    await service.watched('bat_01')
    service.end('bat_01', [{ label: 'aligned' }])
    await followed
    expect(shell.errors().split(`bat_01: ${said}\n`)).toHaveLength(2)
    const one = testShell()
    await run(statusCommand, one, 'bat_01')
    expect(one.output()).toContain(`${said}\n`)
  })

  test('says what may have been paid besides', async () => {
    await make('a')
    const held = service.batches.get('bat_01')
    if (held !== undefined) held.batch = { ...held.batch, cost_usd: 0.5, uncertain_usd: 1.25 }
    const list = testShell()
    await run(statusCommand, list)
    expect(list.output()).toContain('$0.50 (+$1.25?)')
    const one = testShell()
    await run(statusCommand, one, 'bat_01')
    expect(one.output()).toContain('cost $0.50 (+ up to $1.25 that may have been paid) · ')
  })

  test.each([
    ['running', () => {}, 0, 'bat_01: running, created 2'],
    ['failed', () => service.end('bat_01', [{ failure: 'timeout' }]), 3, 'failures  timeout 1'],
    ['parked', () => service.park('bat_01', 'no quota'), 4, '1 item · pending 1'],
    ['parked, and not since when', () => service.park('bat_01', 'no quota'), 4, 'bat_01: parked, created 2'],
  ] as const)('of one that is %s', async (_name, happen, code, said) => {
    await make('a')
    happen()
    const shell = testShell()
    expect(await run(statusCommand, shell, 'bat_01')).toBe(code)
    expect(shell.output()).toContain(said)
  })
})

describe('a parked batch that tries again by itself', () => {
  /** An hour and fifty seconds away when it is made: an hour, to the minute, also on a machine that has other work. */
  const at = new Date(Date.now() + 3_650_000).toISOString()
  const parked = async () => {
    await make('a')
    service.park('bat_01', 'judge_unreachable: out', at)
    return testShell({ openLocal: embeddedAt(service.url) })
  }

  test.each([
    ['status', statusCommand],
    ['results', resultsCommand],
  ] as const)('%s says when, that nothing is to be done, and exits as for one that runs', async (_name, command) => {
    const shell = await parked()
    expect(await run(command, shell, 'bat_01')).toBe(0)
    expect(shell.errors()).toContain(
      `you need do nothing: it tries again by itself at ${at} (in 1h 00m).\n  Sooner, once that is mended: veridict resume bat_01 --server`,
    )
    expect(shell.errors()).not.toContain('Once the cause is mended, go on')
  })

  test('without a service: that only a service does so, and how to go on', async () => {
    const shell = await parked()
    await statusCommand(shell).parseAsync(['bat_01'], { from: 'user' })
    expect(shell.code()).toBe(0)
    expect(shell.errors()).toContain(
      `A service on this database tries again at ${at} (in 1h 00m). If none runs, go on: veridict resume bat_01\n`,
    )
    expect(shell.errors()).not.toContain('no process runs this batch')
  })
})

test('resume lets a parked batch go on, and follows it', async () => {
  await make('a')
  service.park('bat_01', 'no quota')
  const shell = testShell()
  const running = run(resumeCommand, shell, 'bat_01')
  await service.watched()
  service.end('bat_01', [{ label: 'ignored' }])
  expect(await running).toBe(0)
  expect(shell.output()).toContain('labels    ignored 1')
})

test('cancel ends a batch, and refuses one that has ended', async () => {
  await make('a', 'b')
  service.end('bat_01', [{ label: 'aligned' }])
  const shell = testShell()
  expect(await run(cancelCommand, shell, 'bat_01')).toBe(0)
  expect(shell.output()).toBe('bat_01 is cancelled: 2 items · graded 1 · cancelled 1\n')
  const again = testShell()
  expect(await run(cancelCommand, again, 'bat_01')).toBe(1)
  expect(again.errors()).toContain('bat_01 has ended already: it is cancelled')
})

describe('import', () => {
  test('uploads each trajectory and writes requests in order that name it by id', async () => {
    const out = join(tmpdir(), `veridict-import-${process.pid}.ndjson`)
    const names = Array.from({ length: 9 }, (_, at) => `t${at}`)
    const shell = testShell({ trials: () => names.map((name) => trial(name)) })
    expect(await run(importCommand, shell, 'jobs', '--out', out)).toBe(0)
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n')
    const items = lines.map((line) => JSON.parse(line) as BatchItem)
    expect(items.map((item) => item.item_id)).toEqual(names)
    expect(new Set(items.map((item) => item.trajectory['id'])).size).toBe(9)
    expect(items[0]?.ground_truth).toEqual({ instruction: 'build it', cue: { text: 'make release' } })
    expect(shell.errors()).toContain('imported 9 trials')
  })

  test('counts every warning that it tells, also those of no one trial', async () => {
    const warned = { ...trial('a'), warnings: ['steps out of order'] } as ReturnType<typeof trial>
    const shell = testShell({ trials: () => [warned], missing: ['2 names of truths.csv matched no trial: b, c'] })
    expect(await run(importCommand, shell, 'jobs')).toBe(0)
    expect(shell.errors().match(/^warning {2}/gm)).toHaveLength(2)
    expect(shell.errors()).toContain('warning  2 names of truths.csv matched no trial: b, c\n')
    expect(shell.errors()).toContain('imported 1 trial, 2 warnings\n')
  })

  test('leaves alone what is an id already', async () => {
    const known = trial('a') as Extract<ReturnType<typeof trial>, { kind: 'trial' }>
    const trajectory = { id: `sha256:${'0'.repeat(64)}` }
    const shell = testShell({ trials: () => [{ ...known, request: { ...known.request, trajectory } }] })
    expect(await run(importCommand, shell, 'a')).toBe(0)
    expect(service.uploaded).toEqual([])
    expect(JSON.parse(shell.output())).toMatchObject({ item_id: 'a', trajectory })
  })
})

describe('compare', () => {
  const side = (label: string, judge: string): Flip['base'] => {
    const { receipt } = makeGrade({ judge, rubric: 'tab@1' })
    return { grade_id: `grd_${judge}`, status: 'graded', label, claimed_label: label, receipt }
  }
  const flip = (task: string): Flip => ({
    trajectory: 'sha256:1',
    ground_truth: 'sha256:2',
    task,
    base: side('aligned', 'lexical'),
    head: side('ignored', 'openai'),
  })
  const pageOf = (flips: Flip[], next_cursor: string | null): Comparison => ({
    base: 'bat_01',
    head: 'bat_02',
    pairs: 10,
    same: 8,
    flipped: 2,
    unpaired: { base_only: 1, head_only: 1, without_label: 2, other_truth: 1, other_rubric: 0 },
    base_counts: { n: 13, graded: 12, unverified: 1, failed: 0, cancelled: 0, failures: {} },
    head_counts: { n: 12, graded: 11, unverified: 0, failed: 1, cancelled: 0, failures: { timeout: 1 } },
    matrix: { labels: [...LABELS], counts: LABELS.map((_, row) => LABELS.map((__, column) => row * 5 + column)) },
    flips,
    next_cursor,
  })

  test('of two batches that share no trial is an error, in every format', async () => {
    const unpaired = { base_only: 3, head_only: 2, without_label: 0, other_truth: 2, other_rubric: 0 }
    service.comparison = () => ({ ...pageOf([], null), pairs: 0, same: 0, flipped: 0, unpaired })
    for (const more of [[], ['-o', 'csv']]) {
      const shell = testShell()
      expect(await run(compareCommand, shell, 'bat_01', 'bat_02', ...more)).toBe(1)
      expect(shell.output()).toBe('')
      expect(shell.errors()).toBe(
        'veridict: no trial stands in both\n  3 only in bat_01 · 2 only in bat_02\n  2 runs in both, with another ground truth\n',
      )
    }
  })

  test('of a re-grade with itself names the grades before', async () => {
    service.comparison = () => ({ ...pageOf([flip('a')], null), base: 'bat_02', head: 'bat_02' })
    const shell = testShell()
    expect(await run(compareCommand, shell, 'bat_02')).toBe(0)
    expect(shell.output()).toContain('the grades before → bat_02\n')
  })

  test('reads every page, in every format', async () => {
    service.comparison = (cursor) => (cursor === null ? pageOf([flip('=a')], 'c2') : pageOf([flip('b')], null))
    const table = testShell()
    expect(await run(compareCommand, table, 'bat_01', 'bat_02')).toBe(0)
    expect(service.requests[0]).toContain('base=bat_01&')
    for (const said of [
      '8 the same, 2 flipped',
      'head  12 items · graded 11 · failed 1 (timeout 1)',
      '1 only in base',
      '2 without a label on at least one side',
      '1 run in both, with another ground truth: not paired',
      'aligned         → ignored',
      'base \\ head',
    ])
      expect(table.output()).toContain(said)
    const csv = testShell()
    await run(compareCommand, csv, 'bat_02', '-o', 'csv')
    expect(service.requests.at(-1)).not.toContain('base=')
    expect(csv.output().trimEnd().split('\n').slice(1)).toEqual([
      "'=a,sha256:1,aligned,ignored,lexical,openai,tab@1,tab@1,grd_lexical,grd_openai",
      'b,sha256:1,aligned,ignored,lexical,openai,tab@1,tab@1,grd_lexical,grd_openai',
    ])
  })
})
