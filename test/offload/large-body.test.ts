import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packText, unpackText } from '../../src/db/text.ts'
import { packedTextOf } from '../../src/domain/trajectory/trajectory.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { LARGE_BODY, openBodyThread, readDocument, readLargeBody, readStoredRun } from '../../src/offload/large-body.ts'
import { GROUND_TRUTH, TRAJECTORY } from '../grading/harness.ts'
import { PNG, runWithPictures } from '../pictures.ts'

const LIMITS = { max_steps: 1000, max_part_chars: 8_000_000, depth: 64 }
const bytesOf = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)))

const step = fc.record({
  actor: fc.constantFrom('user', 'tool_output', 'agent_action', 'agent_message', 'nobody'),
  text: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }).map((text) => text.toWellFormed()),
    fc.constantFrom(GROUND_TRUTH.cue.text, 'curl http://files.example/up', 'echo "make release-7f3a" > note.txt'),
  ),
})

test('a request is read in the thread as it is here, and stored as it was sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const request = { trajectory: { steps }, ground_truth: GROUND_TRUTH, metadata: { task: 't' } }
      const read = await readLargeBody('request', bytesOf(request), LIMITS)
      if (!read.ok) throw new Error(read.error.message)
      const { trajectory, ...rest } = read.value as { trajectory: object }
      expect({ ...rest, trajectory: { steps } }).toEqual(request)
      expect(readDocument(trajectory, LIMITS)).toEqual(readTrajectory(request.trajectory, LIMITS))
      expect(unpackText(packedTextOf(trajectory) ?? Buffer.alloc(0))).toBe(JSON.stringify({ steps }))
    }),
    { numRuns: 60 },
  )
})

test.each([
  ['an object', runWithPictures([{ media_type: 'image/png', path: 'board.png', data: PNG }])],
  [
    'a list of records',
    [
      { role: 'user', content: 'Build it.' },
      { role: 'assistant', content: 'Done.' },
    ],
  ],
])('a run that is %s is read in the thread as it is here', async (_what, run) => {
  const read = await readLargeBody('run', bytesOf(run), LIMITS)
  const document = Array.isArray(run) ? { records: run } : run
  if (!read.ok) throw new Error(read.error.message)
  expect(readDocument(read.value, LIMITS)).toEqual(readTrajectory(document, LIMITS))
  expect(unpackText(packedTextOf(read.value as object) ?? Buffer.alloc(0))).toBe(JSON.stringify(document))
})

test('a stored run is read as it is here, small or large, also where a text holds half a character', async () => {
  const { steps } = TRAJECTORY
  const long = { actor: 'tool_output', text: 'a line that says nothing of it\n'.repeat(LARGE_BODY / 25) }
  const half = { actor: 'tool_output', text: 'half of a character: \ud83d' }
  for (const document of [TRAJECTORY, { steps: [...steps, long] }, { steps: [...steps, half] }]) {
    const read = readTrajectory(document, LIMITS)
    if (!read.ok) throw new Error('the document cannot be read')
    const packed = packText(JSON.stringify(document), 0)
    expect(await readStoredRun(packed, LIMITS)).toEqual(read.value)
  }
  const packed = packText(JSON.stringify({ steps: 1 }), 0)
  await expect(readStoredRun(packed, LIMITS)).rejects.toThrow('can no longer be read')
})

const costly = () => new Uint8Array(Buffer.from(`{"trajectory":{"steps":[${'"a",'.repeat(750_000)}0]}}`))

test('a body that takes too much memory is refused alone: the bodies beside it are read', async () => {
  const thread = openBodyThread(40, 60_000)
  const read = (bytes: Uint8Array) => readLargeBody('request', bytes, LIMITS, thread)
  const all = await Promise.all([read(bytesOf({ a: 1 })), read(costly()), read(bytesOf({ a: 2 }))])
  expect(all).toEqual([
    { ok: true, value: { a: 1 } },
    { ok: false, error: expect.objectContaining({ code: 'body_too_large' }) },
    { ok: true, value: { a: 2 } },
  ])
})

test('a body that takes too long is refused', async () => {
  const thread = openBodyThread(2000, 1)
  const read = await readLargeBody('request', costly(), LIMITS, thread)
  expect(read).toEqual({ ok: false, error: expect.objectContaining({ code: 'body_too_large' }) })
})
