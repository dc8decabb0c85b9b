import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { ALIGNMENT_FIGURES } from '../../src/schemas/report.ts'
import { GOOD_ANSWER, modelJudge, REQUEST } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { GROUND_TRUTH, makeGrade } from '../storage/make-grade.ts'
import { embeddedAt, trial, typed } from './test-shell.ts'

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
  const empty = ALIGNMENT_FIGURES.filter((name) => new RegExp(`^overall,[^,]*,[^,]*,${name},,`, 'm').test(csv.out))
  expect(ALIGNMENT_FIGURES.filter((name) => empty.includes(name) === text.out.includes(`\n  ${name} `))).toEqual([])
  for (const name of ALIGNMENT_FIGURES) expect(csv.out).toMatch(new RegExp(`^overall,[^,]*,[^,]*,${name},`, 'm'))
  expect(empty).not.toEqual([])
  expect(text.out).toMatch(/\n\d+ figures without a value left out: -o csv has them, with their reasons\n$/)
  // The judge saw no act, the harness measured one.
  expect(text.out).toMatch(/\n {2}resistance_gap +1 +R by the judge minus R by signals/)
})

test('a field that no trial has is an error that names those that there are; by default it is none', async () => {
  const report = await onOneGrade({ task: 'fix-git' })
  const err = expect.stringContaining('veridict: --group-by names no field of these trials; there are: task, agent')
  expect(await report('--group-by', 'colour')).toEqual({ code: 1, out: '', err })
  for (const [metadata, n] of [
    [{ task: 'fix-git' }, 1],
    [{}, 0],
  ] as const)
    expect((await (await onOneGrade(metadata))('-o', 'csv')).out).toMatch(new RegExp(`,count\\.tasks,${n},`))
})

let app: TestApp
let url: string
beforeAll(async () => {
  app = await startApp()
  url = await app.listen()
})
afterAll(() => app.stop())

const RUBRICS = 'there are: failure-attribution@1, injection@1, surface-discovery@1, tab-behavior@1, tab-behavior@2'
const JUDGES = 'there are: anthropic, azure, bedrock, google, lexical, openai, vertex'
const RECHECK = ['--recheck', '--dry-run']
test.each<[words: string[], ...said: string[]]>([
  [['report', '-r', 'nonsense'], 'there is no such rubric: nonsense', `--rubric  ${RUBRICS}`],
  [['report', '-j', 'nobody'], 'there is no such judge: nobody', JUDGES],
  [['report', '--batch', 'bat_none'], 'there is no such batch: bat_none'],
  [['show', 'bat_1'], 'bat_1 is a batch: veridict results bat_1'],
  [['resume', 'grd_1'], 'grd_1 is a grade: veridict show grd_1'],
  [['report', '--pair-by', 'agent'], '--base is needed with --pair-by'],
  [['compare', 'bat_a', 'bat_b', '-r', 'nonsense'], `--rubric  ${RUBRICS}`],
  [['regrade', '--rubric-was', 'nonsense', ...RECHECK], `--rubric-was  ${RUBRICS}`],
  [['regrade', '--judge-was', 'nobody', ...RECHECK], `--judge-was  ${JUDGES}`],
  [['regrade', '--batch', 'bat_none', ...RECHECK], 'there is no such batch: bat_none'],
  [['regrade', '--agent', 'a', ...RECHECK, '-j', 'lexical'], 'makes no sense', 'leave out --judge, --rubric'],
  [['regrade', '--agent', 'a', '--cache', 'use'], 'makes no sense', 'would change nothing: give --judge,'],
])('%j names what there is', async ([name = '', ...words], ...said) => {
  for (const more of [['--server', url], []]) {
    const { code, out, err } = await typed({ openLocal: embeddedAt(url) }, name, ...words, ...more)
    expect([code, out]).toEqual([1, ''])
    for (const one of said) expect(err).toContain(one)
    expect(err).not.toMatch(/\/query/)
  }
})

test.each([
  [['-j', 'nobody'], 'there is no such judge: nobody'],
  [['-j', 'anthropic', '--dry-run'], 'the judge anthropic is not configured: set ANTHROPIC_API_KEY'],
  [['-r', 'nonsense'], 'there is no such rubric: nonsense'],
  [['-j', 'lexical', '-r', 'failure-attribution'], 'this rubric asks about none'],
  [['-j', 'lexical', '-m', 'provider'], 'the judge lexical has no batch endpoint'],
])('a batch that cannot be graded so is refused with its first trial: %j', async (words, said) => {
  const { code, err } = await typed({ trials: () => [trial('a')] }, 'batch', 'jobs', '--server', url, ...words)
  expect([code, err, err.includes('/items')]).toEqual([1, expect.stringContaining(said), false])
})

test('show names the result of all judges, and the grade keeps its own level', async () => {
  const unsure = { ...GOOD_ANSWER, confidence: 'low' as const }
  const app = await startApp({ judges: ['a', 'b'].map((name) => modelJudge(name, unsure)) })
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 })
  const grade = async (judge: string) => (await app.post('/v1/grades', { ...REQUEST, judge })).json<Grade>()
  const show = async (...words: string[]) => {
    const { out, ...ended } = await typed({}, 'show', ...words, '--server', url)
    expect(ended).toEqual({ code: 0, err: '' })
    return out
  }
  const { id } = await grade('a')
  expect(await show(id)).not.toContain('= panel')
  const other = await grade('b')
  const text = await show(id)
  expect(text).toMatch(/^aligned +low confidence/)
  expect(text).toContain('the result of all judges stands in `veridict show`')
  expect(text).toContain(
    '  = panel of the 2 grades of this question: aligned, medium confidence; b (model-b) and a (model-a) give aligned from quotes that overlap in steps 3 and 4: the panel’s result is medium, each grade alone is low\n',
  )
  expect(JSON.parse(await show(id, '--json')).data).toMatchObject({
    ...{ id, confidence: { reported: 'low' } },
    panel: { label: 'aligned', level: 'medium', support: { grades: [{ grade_id: other.id }, { grade_id: id }] } },
  })
  await app.stop()
})
