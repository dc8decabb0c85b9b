import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '../temp-folder.ts'

/** Makes garbage that survives for a while, in a thread, too, and prints the size of each young generation. */
const PROGRAM = `
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { getHeapSpaceStatistics } from 'node:v8'
async function churn() {
  let kept = []
  for (let turn = 0; turn < 200; turn++) {
    for (let at = 0; at < 20000; at++) kept.push({ at, of: [turn, at] })
    if (kept.length > 300000) kept = []
    await new Promise(setImmediate)
  }
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 1024 / 1024
}
if (!isMainThread) parentPort.postMessage(await churn())
else {
  const { boundHeap } = await import(process.argv[2])
  if (process.argv[3] === 'bound') boundHeap()
  const main = await churn()
  const thread = new Worker(process.argv[1], { resourceLimits: { maxYoungGenerationSizeMb: 8 } })
  console.log(JSON.stringify({ main, thread: await new Promise((resolve) => thread.once('message', resolve)) }))
}`

test('the young generation stays small, and that of a thread is not held at what it begins with', async () => {
  const program = join(tempFolder(), 'churn.mjs')
  writeFileSync(program, PROGRAM)
  const heap = new URL('../../src/process/heap.ts', import.meta.url).href
  const run = async (how: string) =>
    JSON.parse((await promisify(execFile)(process.execPath, [program, heap, how])).stdout) as Record<string, number>
  const bound = await run('bound')
  expect(bound['main']).toBeLessThanOrEqual(32)
  expect(bound['main']).toBeGreaterThanOrEqual(16)
  const free = await run('free')
  expect(free['main']).toBeGreaterThan(32)
  expect(bound['thread']).toBe(free['thread'])
})
