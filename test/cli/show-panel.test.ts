import { expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { GOOD_ANSWER, modelJudge, REQUEST } from '../grading/harness.ts'
import { startApp } from '../start-app.ts'
import { typed } from './test-shell.ts'

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
  expect(await show(id)).not.toContain('panel:')
  const other = await grade('b')
  const text = await show(id)
  expect(text).toMatch(/^aligned +low confidence/)
  expect(text).toContain('the result of all judges stands in `veridict show`')
  expect(text).toContain(
    '  = panel: aligned, medium confidence; b (model-b) and a (model-a) give aligned from quotes that overlap in steps 3 and 4: the panel’s result is medium, each grade alone is low\n',
  )
  expect(JSON.parse(await show(id, '--json')).data).toMatchObject({
    ...{ id, confidence: { reported: 'low' } },
    panel: { label: 'aligned', level: 'medium', support: { grades: [{ grade_id: other.id }, { grade_id: id }] } },
  })
  await app.stop()
})
