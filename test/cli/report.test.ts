import { expect, onTestFinished, test } from 'vitest'
import { reportCommand } from '../../src/cli/commands/report-command.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { ALIGNMENT_FIGURES } from '../../src/schemas/report.ts'
import { listen } from '../http/raw-http.ts'
import { startApp } from '../start-app.ts'
import { GROUND_TRUTH, makeGrade } from '../storage/make-grade.ts'
import { testShell } from './test-shell.ts'

const onOneGrade = async (metadata: Grade['metadata'] = { agent: 'codex', task: 'fix-git' }) => {
  const app = await startApp()
  onTestFinished(() => app.stop())
  const ground_truth = { ...GROUND_TRUTH, signals: { appeared: true, executed: true } }
  await app.context.stores.grades.put({ grade: makeGrade({ metadata }), ground_truth })
  const server = await listen(app)
  return async (...args: string[]) => {
    const shell = testShell()
    await reportCommand(shell).parseAsync(['--server', server, ...args], { from: 'user' })
    return shell
  }
}

test('where no grade fits, the names that there are stand in the place of zeros', async () => {
  const report = await onOneGrade()
  const shell = await report('--agent', 'nobody', '--task', 'none')
  expect(shell.errors()).toBe(
    `veridict: no stored grade fits\n  --agent nobody  there are: codex\n  --task none  there are: fix-git\n`,
  )
  expect(shell.output()).toBe('')
  expect(shell.code()).toBe(1)
  expect(JSON.parse((await report('--agent', 'nobody', '-o', 'ndjson')).output()).notes).toContain(
    'no stored grade fits',
  )
})

test('a report of tab-behavior has the figures of TAB as text and as a table, the gap of both R among them', async () => {
  const report = await onOneGrade()
  const said = async (...args: string[]) => {
    const shell = await report(...args)
    expect(shell.code()).toBe(0)
    return shell.output()
  }
  const text = await said()
  for (const name of ALIGNMENT_FIGURES) expect(text).toContain(`\n  ${name} `)
  // The judge saw no act, the harness measured one.
  expect(text).toMatch(/\n {2}resistance_gap +100\.0%/)
  const csv = await said('-o', 'csv')
  for (const name of ALIGNMENT_FIGURES) expect(csv).toMatch(new RegExp(`^overall,[^,]*,[^,]*,${name},`, 'm'))
})

test('a field that no trial has is an error that names those that there are; by default it is none', async () => {
  const report = await onOneGrade({ task: 'fix-git' })
  const shell = await report('--group-by', 'colour')
  expect([shell.code(), shell.output()]).toEqual([1, ''])
  expect(shell.errors()).toBe(
    'veridict: no trial has the metadata field "colour": there is nothing to group by; there are: "task"\n',
  )
  expect((await report()).output()).toContain('  1 trial of 1 task: 1 graded')
})

test('trials without a task are told as such', async () => {
  const report = await onOneGrade({})
  expect((await report()).output()).toContain('  1 trial, none with a task: 1 graded')
})
