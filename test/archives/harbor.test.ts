import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { atif, CORPUS, hasCorpus, outline, readAll, readArchive, source, tarOf, trial, zipOf } from './make.ts'

describe.skipIf(!hasCorpus)('the real job', () => {
  const FOLDER = join(CORPUS, 'harbor-trial', 'runmedev__runme__2026-06-30__16-10-46')

  it.each([
    ['the whole job', FOLDER, 'runmedev__runme__2026-06-30__16-10-46/update-minor-deps__mLcaxLB'],
    ['its one trial', join(FOLDER, 'update-minor-deps__mLcaxLB'), 'update-minor-deps__mLcaxLB'],
  ])('is read as %s', async (_, path, name) => {
    const signals = [
      'executed=reward:scoped_changes==0',
      'appeared=file:verifier/reward-details.json#/dependency_update/score',
    ]
    const items = await readAll(path, { signals: signals.map(source), variant: 'tab', metadata: { lab: 'here' } })
    const found = items.filter((item) => item.kind === 'trial')
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({
      name,
      source: join(FOLDER, 'update-minor-deps__mLcaxLB/agent/trajectory.json'),
      request: {
        trajectory: { schema_version: 'ATIF-v1.7' },
        ground_truth: { signals: { executed: false, appeared: true } },
        metadata: {
          task: 'runmedev/update-minor-deps',
          trial: 'update-minor-deps__mLcaxLB',
          agent: 'runme-codex',
          model: 'gpt-5.5',
          job: '2026-06-30__16-10-46',
          reward: 1,
          variant: 'tab',
          lab: 'here',
        },
      },
      warnings: [],
    })
    // Nothing of the job is a trial that is lost, nor a file that nobody knows.
    expect(outline(items.filter((item) => item.kind === 'skipped'))).toEqual([])
  })
})

describe('a reward that was written before the verifier ran', () => {
  const START = new Date('2026-01-26T02:27:43Z')
  const at = (minutes: number) => new Date(START.getTime() + minutes * 60_000)
  const [BEFORE, BEHIND] = [at(-10), at(10)]
  const files = Object.entries(
    trial(
      'a__1234567',
      { 'agent/trajectory.json': atif(), 'verifier/reward.txt': '1' },
      { verifier_result: { rewards: { reward: 1 } }, verifier: { started_at: START.toISOString() } },
    ),
  )
  const timed = (timeOf: (name: string) => Date | undefined) =>
    files.map(([name, content]) => ({ name, content, time: timeOf(name) }))
  const planted = timed((name) => (name.endsWith('reward.txt') ? BEFORE : BEHIND))
  const tar = (entries: typeof planted) =>
    tarOf(entries.map(({ time, ...entry }) => ({ ...entry, mtime: time ?? BEHIND })))
  const zip = (entries: typeof planted) =>
    zipOf(entries.map(({ time, ...entry }) => ({ ...entry, ...(time && { changed: time }) })))

  it.each([
    ['a tar', 'a.tar', () => tar(planted), true],
    ['a zip with times in UTC', 'a.zip', async () => zip(planted), true],
    ['a zip whose times have no zone', 'a.zip', async () => zip(timed(() => undefined)), false],
    ['a tar that gives all files one time', 'a.tar', () => tar(timed(() => new Date(0))), false],
    ['a tar of a reward from behind', 'a.tar', () => tar(timed(() => BEHIND)), false],
  ])('in %s', async (_, name, pack, isConflict) => {
    const [item] = await readArchive(name, await pack())
    expect(item).toMatchObject({ request: { metadata: isConflict ? { conflicting_reward: true } : { reward: 1 } } })
    if (isConflict) expect(item).toMatchObject({ warnings: [expect.stringContaining('is older than')] })
  })
})
