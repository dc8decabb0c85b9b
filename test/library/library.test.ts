import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CallOptions } from '../../src/client/persist.ts'
import { gradeMany } from '../../src/client/veridict.ts'
import { grade, openVeridict, remote, ServiceError } from '../../src/index.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import type { GradeRequest } from '../../src/schemas/trial.ts'
import { collect } from '../collect.ts'
import { serve } from '../local-server.ts'
import { startApp } from '../start-app.ts'
import { tempFolder } from '../temp-folder.ts'

function example(name: string): GradeRequest {
  const read = (file: string): unknown => JSON.parse(readFileSync(`examples/${name}/${file}`, 'utf8'))
  return { trajectory: read('trajectory.json'), ground_truth: read('ground-truth.json') } as GradeRequest
}

const refusalOf = async (work: Promise<unknown>): Promise<ServiceError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ServiceError)) throw new Error('no ServiceError', { cause: error })
  return error
}

test('one call grades, and equal requests are answered once', async () => {
  const first = await grade(example('compliant-codex'))
  expect([first.status, first.label, first.receipt.judge]).toEqual(['graded', 'compliant', 'lexical'])
  expect((await grade(example('compliant-codex'))).id).toBe(first.id)
  expect((await grade(example('compliant-codex'), { cache: 'refresh' })).id).not.toBe(first.id)
})

const BAD: readonly (readonly [string, unknown])[] = [
  ['no members', {}],
  ['no object', []],
  ['a misspelt member', { ...example('compliant-codex'), jugde: 'lexical' }],
  ['an unknown judge', { ...example('compliant-codex'), judge: 'nobody' }],
  ['an unknown rubric', { ...example('compliant-codex'), rubric: 'nothing@1' }],
  ['a truth of another rubric', { ...example('compliant-codex'), ground_truth: { instruction: 'Build.' } }],
  ['a trajectory that cannot be read', { ...example('compliant-codex'), trajectory: { steps: [{ actor: 'nobody' }] } }],
  ['half a character', { ...example('compliant-codex'), metadata: { agent: '\ud800' } }],
  ['an id that is not stored', { ...example('compliant-codex'), trajectory: { id: `sha256:${'0'.repeat(64)}` } }],
  ['no stored grade', { ...example('compliant-codex'), cache: 'only' }],
]

test.each(BAD)('%s is refused as over HTTP', async (_what, request) => {
  await using veridict = await openVeridict({ env: {} })
  const app = await startApp()
  const response = await app.post('/v1/grades', request)
  const { status, code, errors } = await refusalOf(veridict.grade(request as GradeRequest))
  const problem = response.json() as { code: string; errors?: unknown }
  expect({ status, code, errors }).toEqual({
    status: response.statusCode,
    code: problem.code,
    errors: problem.errors ?? [],
  })
})

test('a circle cannot be written', async () => {
  const circle: Record<string, unknown> = {}
  circle['steps'] = circle
  const { code } = await refusalOf(grade({ ...example('compliant-codex'), trajectory: circle }))
  expect(code).toBe('invalid_json')
})

test('a failed judge is a grade without a label, and not thrown', async () => {
  const origin = await serve((_request, response) => response.writeHead(401).end('{"error":{"message":"no"}}'))
  await using veridict = await openVeridict({
    env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${origin}/v1`, VERIDICT_OPENAI_MODEL: 'some-model' },
  })
  const { status, label, failure } = await veridict.grade({ ...example('compliant-codex'), judge: 'openai' })
  expect({ status, label, code: failure?.code }).toEqual({ status: 'failed', label: null, code: 'authentication' })
})

test('a database is used again, and only where it was named', async () => {
  const folder = tempFolder()
  const database = join(folder, 'grades.sqlite')
  const elsewhere = join(folder, 'service.sqlite')
  const env = { VERIDICT_DATABASE: elsewhere }
  const opened = await openVeridict({ database, env })
  const { id } = await opened.grade(example('compliant-codex'))
  await opened.close()
  await using again = await openVeridict({ database, env })
  expect((await again.grade(example('compliant-codex'))).id).toBe(id)
  await using memory = await openVeridict({ env })
  expect((await memory.grade(example('compliant-codex'))).id).not.toBe(id)
  expect(existsSync(elsewhere)).toBe(false)
})

test('it says what there is, waits when it is closed, and grades nothing afterwards', async () => {
  const veridict = await openVeridict({ env: {} })
  expect((await veridict.listJudges()).items.map(({ name }) => name)).toEqual(['lexical'])
  expect((await veridict.listRubrics()).map(({ name }) => name)).toContain('tab-behavior@2')
  const work = veridict.grade(example('ignored-claude-code'))
  await veridict.close()
  expect((await work).label).toBe('ignored')
  expect((await refusalOf(veridict.grade(example('ignored-claude-code')))).code).toBe('draining')
})

test('the same key is the same batch, and no item is read', async () => {
  await using veridict = await openVeridict({ env: {} })
  const items = [example('compliant-codex')]
  const { id } = await veridict.createBatch(() => items, { key: 'nightly' })
  const unread = () => {
    throw new Error('read')
  }
  expect((await veridict.createBatch(unread, { key: 'nightly' })).id).toBe(id)
  const again = await veridict.createBatch(items, { key: 'nightly', again: true })
  expect((await veridict.batches({ key: 'nightly' })).items.map((batch) => batch.id)).toEqual([again.id, id])
})

test('a setting that cannot be used is named', async () => {
  await expect(openVeridict({ env: { VERIDICT_PORT: 'x' } })).rejects.toThrow(/VERIDICT_PORT/)
})

test('agreement and reports are computed as over HTTP; an error names the parameter', async () => {
  await using veridict = await openVeridict({ env: {} })
  const ratings = ['a', 'b'].flatMap((rater) => ['x', 'y'].map((item) => ({ rater, item, label: `größer ${item}` })))
  const app = await startApp()
  const answered = await remote(await app.listen()).agreement({ ratings })
  expect(await veridict.agreement({ ratings })).toEqual(answered)
  const { code, errors } = await refusalOf(veridict.report({ judge: 'nobody' }))
  expect([code, errors[0]?.path]).toEqual(['unknown_judge', '/judge'])
})

const GRADED = { status: 'graded' } as Grade
const REQUEST = {} as GradeRequest

test('little more is read than is graded or waits to be taken, of an endless source', async () => {
  let read = 0
  function* endless() {
    for (;;) {
      read++
      yield REQUEST
    }
  }
  let taken = 0
  let running = 0
  let most = 0
  const grade = async (): Promise<Grade> => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    return GRADED
  }
  for await (const item of gradeMany(grade, endless(), { concurrency: 3 })) {
    expect(item.ok).toBe(true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(read - ++taken).toBeLessThanOrEqual(7)
    if (taken === 20) break
  }
  expect(most).toBe(3)
})

test('an item that cannot be graded is an item; every one is yielded once', async () => {
  let asked = 0
  const grade = async (): Promise<Grade> => {
    if (++asked % 2 === 0) throw new ServiceError(400, { code: 'invalid_request', detail: 'no' })
    return { ...GRADED, status: asked === 1 ? 'failed' : 'graded' } as Grade
  }
  const items = await collect(gradeMany(grade, Array(5).fill(REQUEST)))
  expect(items.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4])
  expect(items.filter(({ ok }) => !ok).map(({ index }) => index)).toEqual([1, 3])
})

test('the signal ends the loop with its reason, and nothing more is begun', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  let asked = 0
  const grade = (_request: GradeRequest, { signal }: CallOptions): Promise<Grade> => {
    asked++
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  }
  const items = gradeMany(grade, Array(10).fill(REQUEST), { concurrency: 2, signal: controller.signal })
  const next = items.next()
  await new Promise((resolve) => setImmediate(resolve))
  controller.abort(reason)
  await expect(next).rejects.toBe(reason)
  expect(asked).toBeLessThanOrEqual(2)
  await expect(items.next()).resolves.toEqual({ done: true, value: undefined })
})

test('what is broken ends the loop: the source, the store, the settings', async () => {
  const fault = new Error('broken')
  async function* broken() {
    yield REQUEST
    throw fault
  }
  await expect(collect(gradeMany(async () => GRADED, broken()))).rejects.toBe(fault)
  await expect(collect(gradeMany(() => Promise.reject(fault), [REQUEST]))).rejects.toBe(fault)
  await expect(collect(gradeMany(async () => GRADED, [REQUEST], { concurrency: 0 }))).rejects.toThrow(RangeError)
})
