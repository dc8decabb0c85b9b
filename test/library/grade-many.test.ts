import { expect, test } from 'vitest'
import { gradeMany } from '../../src/library/grade-many.ts'
import { type GradedItem, VeridictError } from '../../src/library/veridict.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import type { GradeRequest } from '../../src/schemas/trial.ts'

const GRADED = { status: 'graded' } as Grade
const REQUEST = {} as GradeRequest

async function collect(items: AsyncIterable<GradedItem>): Promise<GradedItem[]> {
  const all: GradedItem[] = []
  for await (const item of items) all.push(item)
  return all
}

test('no more is read than is graded or waits to be taken, of an endless source', async () => {
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
    expect(read - ++taken).toBeLessThanOrEqual(3)
    if (taken === 20) break
  }
  expect(most).toBe(3)
})

test('an item that cannot be graded is an item; every one is yielded once', async () => {
  let asked = 0
  const grade = async (): Promise<Grade> => {
    if (++asked % 2 === 0) throw new VeridictError(400, 'invalid_request', 'no')
    return { ...GRADED, status: asked === 1 ? 'failed' : 'graded' } as Grade
  }
  const items = await collect(gradeMany(grade, Array(5).fill(REQUEST)))
  expect(items.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3, 4])
  expect(items.filter(({ ok }) => !ok).map(({ index }) => index)).toEqual([1, 3])
})

test('the signal ends the loop with its reason, and nothing more is begun', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  let asked = 0
  const grade = async (): Promise<Grade> => {
    asked++
    await new Promise(() => undefined)
    return GRADED
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
