import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { MissingSource } from '../../src/archives/trials/read-trials.ts'
import { onlyTrial, outline, RUN, readAll, source, TRUTH, tempFolder, trial, truths, writeFiles } from './make.ts'

let job = ''
beforeEach(async () => {
  job = join(await tempFolder(), 'job')
})

describe('ground truth of the trial itself', () => {
  const own = (cue: string) => ({ instruction: 'Build.', cue })
  const cueOf = async (files: object, options = {}) => {
    await writeFiles(job, { ...trial('a__1234567', { ...RUN, ...files }) })
    const item = onlyTrial(await readAll(job, { groundTruths: truths([{ ...own('other'), task: 'b' }]), ...options }))
    return item.request.ground_truth['cue']
  }

  it('stands beside the agent’s folder, or around the trial', async () => {
    await writeFiles(job, { 'ground_truth.json': [{ ...own('around'), task: 'org/a' }] })
    expect(await cueOf({})).toBe('around')
    expect(await cueOf({ 'ground_truth.json': own('own') })).toBe('own')
    expect(await cueOf({}, { groundTruths: truths([{ ...own('given'), task: 'a' }]) })).toBe('given')
  })

  it('says the domain of the trial; what its harness or the caller says comes over it', async () => {
    await writeFiles(job, trial('a__1234567', RUN))
    const groundTruths = truths([{ ...own('x'), task: 'a', domain: 'security', subcategory: 'Git' }])
    const read = await readAll(job, { groundTruths, metadata: { subcategory: 'Python' } })
    expect(onlyTrial(read).request.metadata).toMatchObject({ domain: 'security', subcategory: 'Python' })
  })

  it('is never taken from where the agent writes', async () => {
    await writeFiles(
      job,
      trial('a__1234567', {
        ...RUN,
        'agent/ground_truth.json': own('forged'),
        'artifacts/ground_truth.json': own('forged'),
      }),
    )
    const items = await readAll(job, { groundTruths: truths([{ ...own('x'), task: 'b' }]) })
    expect(outline(items)).toEqual(['job/a__1234567: no_ground_truth'])
  })

  it('is told where it is malformed', async () => {
    await writeFiles(job, trial('a__1234567', { ...RUN, 'ground_truth.json': { instruction: 'x', cue: { text: 7 } } }))
    expect(outline(await readAll(job))).toEqual(['job/a__1234567/ground_truth.json: unreadable', 'job/a__1234567'])
  })

  it('gives way to what was measured, unless it is of this trial; both say so', async () => {
    const said = { ...TRUTH, signals: { resolved: false, executed: true } }
    await writeFiles(job, trial('a__1234567', RUN))
    const byTask = onlyTrial(await readAll(job, { groundTruths: truths([{ ...said, task: 'a' }]) }))
    expect(byTask.request.ground_truth.signals).toEqual({ resolved: true, executed: true })
    const byTrial = onlyTrial(await readAll(job, { groundTruths: truths([{ ...said, trial: 'a__1234567' }]) }))
    expect(byTrial.request.ground_truth.signals).toEqual(said.signals)
    for (const { warnings } of [byTask, byTrial]) expect(warnings[0]).toContain('differ in the signal resolved')
    const none = onlyTrial(await readAll(job, { signals: [source('resolved=none')] }))
    expect(none.request.ground_truth).not.toHaveProperty('signals')
  })

  it('is taken whole for a trial, and a warning says what its task’s row has besides', async () => {
    await writeFiles(job, trial('a__1234567', RUN))
    const rows = [
      { ...TRUTH, task: 'a', distractor: 'run uv lock' },
      { ...TRUTH, trial: 'a__1234567', task: 'a' },
    ]
    const { request, warnings } = onlyTrial(await readAll(job, { groundTruths: truths(rows) }))
    expect(request.ground_truth).not.toHaveProperty('distractor')
    expect(warnings[0]).toContain('the row of trial a__1234567 has no distractor, and its task’s row has one')
  })
})

describe('signals of a reading', () => {
  const rewards = (more: object) => ({ verifier_result: { rewards: more } })

  it('keep the default of what was not named', async () => {
    await writeFiles(job, trial('a__1234567', { ...RUN, 'verifier/s.json': { appeared: true } }))
    const signals = [source('appeared=file:verifier/s.json#/appeared')]
    const { request, warnings } = onlyTrial(await readAll(job, { signals }))
    expect(request.ground_truth.signals).toEqual({ appeared: true, resolved: true })
    expect(warnings).toEqual([])
    const off = onlyTrial(await readAll(job, { signals: [...signals, source('resolved=none')] }))
    expect(off.request.ground_truth.signals).toEqual({ appeared: true })
  })

  it('are told once where a place holds nothing, and counted at the end', async () => {
    await writeFiles(job, {
      ...trial('a__1234567', RUN),
      ...trial('b__1234567', RUN),
      ...trial('c__1234567', RUN, rewards({ reward: 1, seen: true })),
    })
    const signals = [source('resolved=reward:rewrad>=1'), source('appeared=reward:seen')]
    const missing: MissingSource[] = []
    const items = await readAll(job, { signals, onMissing: (one) => missing.push(one) })
    const warnings = items.flatMap((item) => (item.kind === 'trial' ? item.warnings : []))
    expect(warnings).toEqual([
      expect.stringContaining('there is nothing at resolved=reward:rewrad;'),
      expect.stringContaining('there is nothing at appeared=reward:seen;'),
    ])
    expect(missing).toEqual([
      { source: signals[0], missing: 3, trials: 3 },
      { source: signals[1], missing: 2, trials: 3 },
    ])
  })

  it('are told once to be unknown where the only reward is called otherwise', async () => {
    await writeFiles(job, {
      ...trial('a__1234567', RUN, rewards({ score: 1 })),
      ...trial('b__1234567', RUN, rewards({ score: 0 })),
    })
    const warningsOf = async (options = {}) =>
      (await readAll(job, options)).flatMap((item) => (item.kind === 'trial' ? item.warnings : []))
    expect(await warningsOf()).toEqual([expect.stringContaining('no reward is called reward, but score')])
    expect(await warningsOf({ signals: [source('resolved=reward:score>=1')] })).toEqual([])
    expect(await warningsOf({ signals: [source('resolved=none')] })).toEqual([])
  })
})
