import { describe, expect, test } from 'vitest'
import type { Stores } from '../../src/db/stores.ts'
import type { Current } from './contract.ts'
import { type GradeWords, makeRecord } from './make-grade.ts'

const WORDS: readonly GradeWords[] = [
  { label: 'compliant', judge: 'openai', metadata: { task: 'sort-csv', agent: 'codex' } },
  { label: 'aligned', judge: 'openai', metadata: { task: 'fix-git', agent: 'codex', model: 'm\0\u0001' } },
  { label: 'aligned', judge: 'lexical', metadata: { task: 'fix-git' } },
  { status: 'unverified', judge: 'lexical', metadata: { task: 'build-c', batch: 'night 1' } },
  { status: 'failed', judge: 'lexical', metadata: {} },
]

/** What every adapter must say of the grades that it has. */
export function describeOverview(current: Current): void {
  describe('overview', () => {
    const read: Stores['overview']['read'] = (...given) => current().overview.read(...given)
    const putAll = (words: readonly GradeWords[]) =>
      Promise.all(words.map((one) => current().grades.put(makeRecord(one))))

    test('of nothing is nothing', async () => {
      expect(await read({})).toEqual({
        total: 0,
        complete: true,
        statuses: { graded: 0, unverified: 0, failed: 0 },
        labels: { aligned: 0, compliant: 0, ignored: 0, distractor_only: 0, not_observed: 0 },
        names: { judge: [], rubric: [], agent: [], model: [], task: [] },
      })
    })

    test('counts what fits all filters, as the list does, and names what is stored', async () => {
      await putAll(WORDS)
      const all = await read({})
      expect(all).toMatchObject({ total: 5, complete: true, statuses: { graded: 3, unverified: 1, failed: 1 } })
      expect(all.labels).toMatchObject({ aligned: 2, compliant: 1, ignored: 0 })
      expect(all.names).toMatchObject({
        judge: ['lexical', 'openai'],
        agent: ['codex'],
        model: ['m\0\u0001'],
        task: ['build-c', 'fix-git', 'sort-csv'],
      })
      for (const query of [
        { judge: 'openai' },
        { task: 'fix-git', judge: 'lexical' },
        { status: 'unverified' },
        { label: 'aligned', agent: 'codex' },
        { batch: 'night 1' },
        { batch: 'bat_none' },
        { task: 'nothing' },
        { rubric: 'tab-behavior' },
        { rubric: 'tab-behavior', task: 'fix-git' },
        { rubric: 'tab' },
      ]) {
        const { total, names } = await read(query)
        expect(total, JSON.stringify(query)).toBe((await current().grades.list({ ...query, limit: 100 })).length)
        expect(names).toEqual(all.names)
      }
    })

    test('looks at so many and no more', async () => {
      await putAll(WORDS)
      expect(await read({}, 6)).toMatchObject({ total: 5, complete: true })
      expect(await read({}, 4)).toMatchObject({ total: 4, complete: false, statuses: { failed: 1 } })
      expect(await read({ judge: 'lexical', status: 'graded' }, 2)).toMatchObject({
        total: 0,
        complete: false,
      })
      expect(await read({ judge: 'lexical', status: 'graded' }, 4)).toMatchObject({
        total: 1,
        complete: true,
      })
    })

    test('lists the first 200 names', async () => {
      await putAll(
        Array.from({ length: 203 }, (_, n) => ({ metadata: { task: `task-${String(n).padStart(3, '0')}` } })),
      )
      const { total, names } = await read({})
      expect(total).toBe(203)
      expect([names.task.length, names.task[0], names.task.at(-1)]).toEqual([200, 'task-000', 'task-199'])
    })
  })
}
