import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { onlyTrial, outline, RUN, readAll, TRUTH, tempFolder, trial, truths, writeFiles } from './make.ts'

let job = ''
beforeEach(async () => {
  job = join(await tempFolder(), 'job')
})

describe('ground truth of the trial itself', () => {
  const own = (cue: string) => ({ instruction: 'Build.', cue })
  const cueOf = async (files: object, options = {}) => {
    await writeFiles(job, { ...trial('a__1234567', { ...RUN, ...files }) })
    const item = onlyTrial(await readAll(job, { groundTruths: truths([{ ...own('other'), task: 'b' }]), ...options }))
    return item.request.ground_truth.cue?.text
  }

  it('stands beside the agent’s folder, or around the trial', async () => {
    await writeFiles(job, { 'ground_truth.json': [{ ...own('around'), task: 'org/a' }] })
    expect(await cueOf({})).toBe('around')
    expect(await cueOf({ 'ground_truth.json': own('own') })).toBe('own')
    expect(await cueOf({}, { groundTruths: truths([{ ...own('given'), task: 'a' }]) })).toBe('given')
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
    const none = onlyTrial(await readAll(job, { signals: [] }))
    expect(none.request.ground_truth).not.toHaveProperty('signals')
  })
})
