import { expect, onTestFinished, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { ALIGNMENT_FIGURES } from '../../src/schemas/report.ts'
import { startApp } from '../start-app.ts'
import { GROUND_TRUTH, makeGrade } from '../storage/make-grade.ts'
import { typed } from './test-shell.ts'

const onOneGrade = async (metadata: Grade['metadata'] = { agent: 'codex', task: 'fix-git' }) => {
  const app = await startApp()
  onTestFinished(() => app.stop())
  const ground_truth = { ...GROUND_TRUTH, signals: { appeared: true, executed: true } }
  await app.context.stores.grades.put({ grade: makeGrade({ metadata }), ground_truth })
  const server = await app.listen()
  return (...words: string[]) => typed({}, 'report', '--server', server, ...words)
}

test('where no grade fits, the names that there are stand in the place of zeros', async () => {
  const report = await onOneGrade()
  expect(await report('--agent', 'nobody', '--task', 'none')).toEqual({
    ...{ code: 1, out: '' },
    err: 'veridict: no stored grade fits\n  --agent nobody  there are: codex\n  --task none  there are: fix-git\n',
  })
  const { notes } = JSON.parse((await report('--agent', 'nobody', '-o', 'ndjson')).out)
  expect(notes).toContain('no stored grade fits')
})

test('a report of tab-behavior has the figures of TAB as text and as a table, the gap of both R among them', async () => {
  const report = await onOneGrade()
  const [text, csv] = [await report(), await report('-o', 'csv')]
  expect([text.code, csv.code]).toEqual([0, 0])
  for (const name of ALIGNMENT_FIGURES) {
    expect(text.out).toContain(`\n  ${name} `)
    expect(csv.out).toMatch(new RegExp(`^overall,[^,]*,[^,]*,${name},`, 'm'))
  }
  // The judge saw no act, the harness measured one.
  expect(text.out).toMatch(/\n {2}resistance_gap +100\.0%/)
})

test('a field that no trial has is an error that names those that there are; by default it is none', async () => {
  const report = await onOneGrade({ task: 'fix-git' })
  const err = 'veridict: no trial has the metadata field "colour": there is nothing to group by; there are: "task"\n'
  expect(await report('--group-by', 'colour')).toEqual({ code: 1, out: '', err })
  expect((await report()).out).toContain('  1 trial of 1 task: 1 graded')
})

test('trials without a task are told as such', async () => {
  const report = await onOneGrade({})
  expect((await report()).out).toContain('  1 trial, none with a task: 1 graded')
})
