import { expect, test } from 'vitest'
import type { GradingJob } from '../../src/grading/job.ts'
import { SLICE_ITEMS } from '../../src/ports/slice-ports.ts'
import { GROUND_TRUTH, TRAJECTORY } from '../grading/harness.ts'
import { toLines } from '../http/make-batch.ts'
import { startCollector } from './collector.ts'
import { startTraced, tracedTo } from './traced-service.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`

const jobFor = (index: number): GradingJob => ({
  way: 'call',
  item: { batch: 'bat_1', index },
  payer: null,
  signal: new AbortController().signal,
  cap_usd: null,
  isPassing: () => false,
})

const requestOf = (run: number) => ({
  trajectory: { steps: [{ actor: 'user', text: `Build it, ${run}.` }, ...TRAJECTORY.steps.slice(1)] },
  ground_truth: GROUND_TRUTH,
  judge: 'lexical',
})

const sliceAt = (from: number) => ({ batch: 'bat_1', from, judge: 'lexical' })

test('a slice is a trace of its own that links to who made the batch, and its items are inside of it, whoever begins them', async () => {
  const collector = await startCollector()
  const { context, tracing } = await startTraced(tracedTo(collector.url))
  const ends = [tracing.slice(sliceAt(0), TRACEPARENT), tracing.slice(sliceAt(SLICE_ITEMS), 'no traceparent at all')]
  for (const index of [3, 15, 16, 40]) await context.main.service.gradeItem(requestOf(index), jobFor(index))
  ends[0]?.('done')
  ends[0]?.('lost')
  ends[1]?.('given_back')
  await context.main.service.gradeItem(requestOf(4), jobFor(4))
  await tracing.close()

  const slice = (from: number) =>
    collector.spans.find(({ name, attributes }) => name === 'slice' && attributes['veridict.slice.from'] === from)
  expect(slice(0)).toMatchObject({ kind: 5, parent: '', links: [`${TRACE}/${SPAN}`] })
  expect(slice(0)?.trace).not.toBe(TRACE)
  expect(slice(0)?.attributes).toEqual({
    'veridict.batch.id': 'bat_1',
    'veridict.slice.from': 0,
    'veridict.slice.end': 'done',
  })
  expect(slice(16)).toMatchObject({ links: [], attributes: { 'veridict.slice.end': 'given_back' } })
  const graded = (index: number) =>
    collector.spans.find(({ name, attributes }) => name === 'grade' && attributes['veridict.item'] === index)
  expect([3, 15, 16, 40, 4].map((index) => graded(index)?.parent)).toEqual([
    slice(0)?.id,
    slice(0)?.id,
    slice(16)?.id,
    // Of no slice that is open here: a trace of its own.
    '',
    '',
  ])
  expect(collector.treeOf(graded(3)?.id ?? '').map(([name]) => name)).toContain('judge lexical')
})

test('a slice that nobody ended is told of as lost at the stop', async () => {
  const collector = await startCollector()
  const { tracing } = await startTraced(tracedTo(collector.url))
  tracing.slice(sliceAt(0), undefined)
  await tracing.close()
  expect(collector.spans).toMatchObject([{ name: 'slice', attributes: { 'veridict.slice.end': 'lost' } }])
})

test('items of a batch on SQLite are traces of their own that link to the request', async () => {
  const collector = await startCollector()
  const service = await startTraced(tracedTo(collector.url))
  await service.context.start()
  const items = [0, 1, 2].map((run) => ({ item_id: `item-${run}`, ...requestOf(run) }))
  const headers = { 'content-type': 'application/x-ndjson', traceparent: TRACEPARENT }
  const answer = await service.post('/v1/batches', toLines(items), headers)
  expect(answer.status).toBeLessThan(300)
  const isItem = ({ name, attributes }: { name: string; attributes: object }) =>
    name === 'grade' && 'veridict.item' in attributes
  for (const run of [0, 1, 2])
    await collector.waitFor((span) => isItem(span) && span.attributes['veridict.item'] === run)
  const request = await collector.waitFor(({ name }) => name === 'POST /v1/batches')
  for (const item of collector.spans.filter(isItem)) {
    expect(item).toMatchObject({ parent: '', links: [`${TRACE}/${request.id}`] })
    expect(item.trace).not.toBe(TRACE)
  }
  await service.tracing.close()
  // What keeps the house asks the store too, and is no trace.
  const roots = collector.spans.filter(({ parent }) => parent === '' || parent === SPAN).map(({ name }) => name)
  expect(new Set(roots)).toEqual(new Set(['grade', 'POST /v1/batches']))
})
