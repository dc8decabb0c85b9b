import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CORPUS, hasCorpus, outline, readAll, source } from './make.ts'

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
