import { expect, test } from 'vitest'
import { localRefusal } from '../../src/cli/errors.ts'
import { ServiceError } from '../../src/client/errors.ts'

test.each([
  ['nope', 'configured judges: lexical'],
  ['openai', 'f.ndjson#line 301 /judge  configured judges: lexical'],
])('a judge that is not there is told with its place, unless it was typed: %s', (typed, told) => {
  const errors = [{ path: 'f.ndjson#line 301 /judge', message: 'configured judges: lexical' }]
  const error = new ServiceError(400, { code: 'unknown_judge', detail: 'there is no such judge: nope', errors })
  expect(localRefusal(error, typed)).toMatchObject({
    message: 'there is no such judge: nope',
    advice: [told, expect.stringContaining('veridict judges')],
  })
})

test.each([
  ['no such rubric', '/items/0/rubric', 'loaded rubrics: a@1', ['loaded rubrics: a@1']],
  ['no batch endpoint', '/mode', 'no batch endpoint', []],
])('an option that was typed is told once, without a place of HTTP: %s', (detail, path, message, advice) => {
  const error = new ServiceError(400, { code: 'invalid_request', detail, errors: [{ path, message }] })
  expect(localRefusal(error, undefined)).toMatchObject({ message: detail, advice })
})

test('a grade that is not there is looked for among the grades of a batch', () => {
  const error = new ServiceError(404, { code: 'not_found', detail: 'there is no such grade: grd_x', errors: [] })
  expect(localRefusal(error, undefined).advice).toEqual([expect.stringContaining('`veridict results BATCH`')])
})
