import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Comparison, Flip } from '../../src/schemas/agreement.ts'
import type { Batch, BatchItem } from '../../src/schemas/batch.ts'
import { LABELS } from '../../src/schemas/vocabulary.ts'
import { makeGrade } from '../storage/make-grade.ts'
import { tempFolder } from '../temp-folder.ts'
import { type StandIn, startStandIn } from './stand-in.ts'
import { embeddedAt, type ShellOptions, type Trial, trial, typed } from './test-shell.ts'

let service: StandIn
beforeEach(async () => {
  service = await startStandIn()
})

const runIn = (options: ShellOptions, name: string, ...words: string[]) =>
  typed(options, name, ...words, '--server', service.url)
const run = (name: string, ...words: string[]) => runIn({}, name, ...words)
const make = (...names: string[]) => runIn({ trials: () => names.map((name) => trial(name)) }, 'batch', 'x', '--detach')
const change = (more: Partial<Batch>) => {
  const held = service.batches.get('bat_01')
  if (held === undefined) throw new Error('no batch')
  held.batch = { ...held.batch, ...more }
}

test('--detach prints the id alone, and how to follow; a command in process refuses --detach', async () => {
  const { code, out, err } = await make('a')
  expect([code, out]).toEqual([0, 'bat_01\n'])
  expect(err).toContain(`Follow: veridict status bat_01 --server ${service.url} --follow`)
  const options = { trials: () => [trial('a')], openLocal: embeddedAt(service.url) }
  const refused = await typed(options, 'batch', 'a', '--detach')
  expect([refused.code, service.batches.size]).toEqual([1, 1])
  expect(refused.err).toContain('--detach needs a service that goes on')
})

describe('results', () => {
  test('of a batch that runs: what there is, and how to wait', async () => {
    await make('a', 'b')
    service.end('bat_01', [{ label: 'aligned' }])
    const { code, out, err } = await run('results', 'bat_01', '-o', 'ndjson')
    expect([code, JSON.parse(out)]).toMatchObject([0, { item_id: 'a', label: 'aligned' }])
    expect(err).toContain('1 item not ended (running): veridict results bat_01')
  })

  test('--wait follows first', async () => {
    await make('a')
    const running = run('results', 'bat_01', '--wait', '-o', 'ndjson')
    await service.watched()
    service.end('bat_01', [{ status: 'unverified' }])
    const { code, out } = await running
    expect([code, JSON.parse(out)]).toMatchObject([2, { item_id: 'a', status: 'unverified' }])
  })

  test('keeps what would act on a terminal out of JSON too', async () => {
    await make('\u009b2Jx\u202e')
    service.end('bat_01', [{ label: 'aligned' }])
    const { out } = await run('results', 'bat_01', '-o', 'ndjson')
    expect(out).toContain('\\u009b2Jx\\u202e')
    expect((JSON.parse(out) as { item_id: string }).item_id).toBe('\u009b2Jx\u202e')
  })

  test('of a batch that is parked for the user: resume it, and not that it could be waited for', async () => {
    await make('a', 'b')
    service.end('bat_01', [{ label: 'aligned' }])
    service.park('bat_01', 'openai: authentication: replace the key in OPENAI_API_KEY, it was refused')
    const { code, err } = await run('results', 'bat_01')
    expect([code, err.includes('--wait')]).toEqual([4, false])
    expect(err).toContain(`go on: veridict resume bat_01 --server ${service.url}`)
  })

  test('of a batch whose cap was too low: how the rest is graded', async () => {
    await make('a', 'b')
    service.end('bat_01', [{ label: 'aligned' }, { failure: 'budget_exceeded' }])
    change({ max_cost_usd: 0.5 })
    const { code, err } = await run('results', 'bat_01')
    expect(code).toBe(3)
    const said = '1 item over the cap (--max-cost-usd 0.5): the same command grades them once the cap is higher'
    expect(err).toContain(said)
    expect((await run('results', 'bat_01', '--wait')).err).toContain(said)
  })

  test('of no batch', async () => {
    const { code, err } = await run('results', 'bat_99')
    expect(code).toBe(1)
    expect(err).toContain('no such batch\n  `veridict status` lists the batches')
  })
})

describe('status', () => {
  test('lists the newest first, and only those asked for', async () => {
    await make('a')
    await make('b')
    service.park('bat_01', 'no quota')
    const all = await run('status')
    expect([all.code, all.out]).toEqual([
      0,
      expect.stringMatching(/^batch .*\nbat_02 +running +0\/1.*\nbat_01 +parked .*\n$/),
    ])
    const parked = await run('status', '--status', 'parked', '--json')
    expect(JSON.parse(parked.out).data[0].id).toBe('bat_01')
  })

  test('of all, followed, is a usage error', async () => {
    const { code, err } = await run('status', '--follow')
    expect([code, service.requests]).toEqual([1, []])
    expect(err).toMatch(/^veridict: which batch\? --follow shows one until it ends\n/)
  })

  test('a round at the provider is shown with how long it lasts', async () => {
    await make('a')
    const [begun_at, ends_by] = ['2026-11-22T08:00:00.000Z', '2026-11-23T08:00:00.000Z']
    change({ round: { number: 2, questions: 7, begun_at, ends_by, usual_seconds: 750 } })
    const said = `round 2: 7 questions with the provider since ${begun_at}; usually 12m 30s here, within a day: by ${ends_by}`
    const followed = run('status', 'bat_01', '--follow')
    await service.watched('bat_01')
    service.end('bat_01', [{ label: 'aligned' }])
    expect((await followed).err).toContain(said)
    expect((await run('status', 'bat_01')).out).toContain(`${said}\n`)
  })

  test('says what may have been paid besides', async () => {
    await make('a')
    change({ cost_usd: 0.5, uncertain_usd: 1.25 })
    expect((await run('status')).out).toContain('$0.50 (+$1.25?)')
    expect((await run('status', 'bat_01')).out).toContain('cost $0.50 (+ up to $1.25 that may have been paid) · ')
  })

  test.each([
    ['running', () => {}, 0, 'bat_01: running, created 2'],
    ['failed', () => service.end('bat_01', [{ failure: 'timeout' }]), 3, 'failures  timeout 1'],
    ['parked', () => service.park('bat_01', 'no quota'), 4, '1 item · pending 1'],
    ['parked, and not since when', () => service.park('bat_01', 'no quota'), 4, 'bat_01: parked, created 2'],
  ] as const)('of one that is %s', async (_name, happen, code, said) => {
    await make('a')
    happen()
    expect(await run('status', 'bat_01')).toMatchObject({ code, out: expect.stringContaining(said) })
  })
})

describe('a parked batch that tries again by itself', () => {
  /** An hour and fifty seconds away when it is made: an hour, to the minute, also on a machine that has other work. */
  const at = new Date(Date.now() + 3_650_000).toISOString()

  test.each(['status', 'results'])(
    '%s says when, that nothing is to be done, and exits as for one that runs',
    async (name) => {
      await make('a')
      service.park('bat_01', 'judge_unreachable: out', at)
      const { code, err } = await run(name, 'bat_01')
      expect([code, err.includes('Once the cause is mended, go on')]).toEqual([0, false])
      expect(err).toContain(
        `a running service tries again by itself at ${at} (in 1h 00m).\n  Sooner, or without a service: veridict resume bat_01 --server`,
      )
    },
  )
})

test('resume lets a parked batch go on, and follows it', async () => {
  await make('a')
  service.park('bat_01', 'no quota')
  const running = run('resume', 'bat_01')
  await service.watched()
  service.end('bat_01', [{ label: 'ignored' }])
  expect(await running).toMatchObject({ code: 0, out: expect.stringContaining('labels    ignored 1') })
})

test('cancel ends a batch, and refuses one that has ended', async () => {
  await make('a', 'b')
  service.end('bat_01', [{ label: 'aligned' }])
  const said = 'bat_01 is cancelled: 2 items · graded 1 · cancelled 1\n'
  expect(await run('cancel', 'bat_01')).toMatchObject({ code: 0, out: said })
  const again = await run('cancel', 'bat_01')
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('bat_01 has ended already: it is cancelled') })
})

describe('import', () => {
  test('uploads each trajectory and writes requests in order that name it by id', async () => {
    const out = join(tempFolder(), 'trials.ndjson')
    const names = Array.from({ length: 9 }, (_, at) => `t${at}`)
    const { code, err } = await runIn(
      { trials: () => names.map((name) => trial(name)) },
      'import',
      'jobs',
      '--out',
      out,
    )
    expect([code, err]).toEqual([0, expect.stringContaining('imported 9 trials')])
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n')
    const items = lines.map((line) => JSON.parse(line) as BatchItem)
    expect(items.map((item) => item.item_id)).toEqual(names)
    expect(new Set(items.map((item) => item.trajectory['id'])).size).toBe(9)
    expect(items[0]?.ground_truth).toEqual({ instruction: 'build it', cue: { text: 'make release' } })
  })

  test('counts every warning that it tells, also those of no one trial', async () => {
    const missing = ['2 names of truths.csv matched no trial: b, c']
    const options = { trials: () => [{ ...trial('a'), warnings: ['steps out of order'] }], missing }
    const { code, err } = await runIn(options, 'import', 'jobs')
    expect([code, err.match(/^warning {2}/gm)?.length]).toEqual([0, 2])
    for (const said of [`warning  ${missing[0]}\n`, 'imported 1 trial, 2 warnings\n']) expect(err).toContain(said)
  })

  test('leaves alone what is an id already', async () => {
    const trajectory = { id: `sha256:${'0'.repeat(64)}` }
    const of = ({ request, ...more }: Trial): Trial => ({ ...more, request: { ...request, trajectory } })
    const { code, out } = await runIn({ trials: () => [of(trial('a'))] }, 'import', 'a')
    expect([code, service.uploaded, JSON.parse(out)]).toMatchObject([0, [], { item_id: 'a', trajectory }])
  })
})

describe('compare', () => {
  const side = (label: string, judge: string): Flip['base'] => {
    const { receipt } = makeGrade({ judge, rubric: 'tab@1' })
    return { grade_id: `grd_${judge}`, status: 'graded', label, claimed_label: label, receipt }
  }
  const flip = (task: string): Flip => ({
    ...{ trajectory: 'sha256:1', ground_truth: 'sha256:2', task, trial: `${task}__1` },
    ...{ base: side('aligned', 'lexical'), head: side('ignored', 'openai') },
  })
  const one = { value: 1, ci95: null, reason: 'too_few_units' } as const
  const BASELINES = {
    base_rate: { label: 'aligned', share: 0.5 },
    constant_guess: { label: 'aligned', agreement: 0.49 },
    effective_raters: { value: 1, mean_kappa: 1, reason: null },
  }
  const none = { raw_agreement: 0, cohen_kappa: 0, fleiss_kappa: 0, krippendorff_alpha: 0, gwet_ac1: 0 }
  const bootstrap = { draws: 100, seed: 1, unit: 'item', n_units: 1, undefined: none } as const
  const agreement = {
    raw_agreement: one,
    cohen_kappa: one,
    krippendorff_alpha: one,
    gwet_ac1: one,
    bootstrap,
    ...BASELINES,
  }
  const pageOf = (flips: Flip[], next_cursor: string | null): Comparison => ({
    ...{ base: 'bat_01', head: 'bat_02', pairs: 300, same: 8, flipped: 2 },
    unpaired: { base_only: 1, head_only: 1, without_label: 2, other_truth: 1, other_rubric: 0 },
    base_counts: { n: 13, graded: 12, unverified: 1, failed: 0, cancelled: 0, failures: {} },
    head_counts: { n: 12, graded: 11, unverified: 0, failed: 1, cancelled: 0, failures: { timeout: 1 } },
    matrix: { labels: [...LABELS], counts: LABELS.map((_, row) => LABELS.map((__, column) => row * 5 + column)) },
    ...{ flips, next_cursor, agreement },
    differs: [{ what: 'rubric', n: 8, base: ['tab@1'], head: ['tab@2'], blocks_tests: true }],
    evidence_agreement: [
      { raters: ['base', 'head'], overlapping: 6, disjoint: 2, unquoted: 0, other_label: 0, unknown: 0 },
    ],
  })

  test.each([[[]], [['-o', 'csv']]])('of two batches that share no trial is an error: %j', async (more) => {
    const unpaired = { base_only: 3, head_only: 2, without_label: 0, other_truth: 2, other_rubric: 0 }
    service.comparison = () => ({ ...pageOf([], null), pairs: 0, same: 0, flipped: 0, unpaired })
    const why = 'bat_01 → bat_02: base_only 3 · head_only 2 · other_truth 2'
    const err = `veridict: no trial stands in both\n  ${why}\n`
    expect(await run('compare', 'bat_01', 'bat_02', ...more)).toEqual({ code: 1, out: '', err })
  })

  test('reads every page, in every format', async () => {
    service.comparison = (cursor) => (cursor === null ? pageOf([flip('=a')], 'c2') : pageOf([flip('b')], null))
    const table = await run('compare', 'bat_01', 'bat_02')
    expect([table.code, service.requests[0]]).toEqual([0, expect.stringContaining('base=bat_01&')])
    for (const said of [
      '8 the same, 2 flipped',
      'head      12 items · graded 11 · failed 1 (timeout 1)',
      'unpaired  base_only 1 · head_only 1 · without_label 2 · other_truth 1',
      'aligned          ignored          =a__1 ',
      'base \\ head',
      'AC1 1.000 (too few tasks for an interval)\nbase rate 0.500 (aligned): always answering aligned agrees with the base in 0.490\n',
      '\nevidence   base, head: overlapping 6 · disjoint 2\n',
    ])
      expect(table.out).toContain(said)
    expect(table.out.split('\n').slice(0, 3)).toEqual([
      'differs   rubric: tab@1 → tab@2 (8)',
      'no paired test across rubric: a moved label says nothing of the judge there (--across)',
      'bat_01 → bat_02',
    ])
    await run('compare', 'bat_01', 'bat_02', '--across')
    expect(service.requests.at(-1)).toContain('across=true')
    const csv = await run('compare', 'bat_02', '-o', 'csv')
    expect(service.requests.at(-1)).not.toContain('base=')
    const row = 'sha256:1,aligned,ignored,lexical,openai,tab@1,tab@1,grd_lexical,grd_openai'
    expect(csv.out.trimEnd().split('\n').slice(1)).toEqual([`'=a,${row}`, `b,${row}`])
    service.comparison = () => ({ ...pageOf([], null), base: 'sources of bat_02' })
    expect((await run('compare', 'bat_02')).out).toContain('the grades before → bat_02\n')
  })
})
