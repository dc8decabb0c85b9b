import { expect, test } from 'vitest'
import { createWorkerPool, WorkerGone, WorkerLost } from '../../src/offload/worker-pool.ts'

function start(options: { size?: number; most_ms?: number } = {}) {
  const pool = createWorkerPool<object, string>(new URL('./echo-worker.ts', import.meta.url), options)
  return { pool, run: async (input: object) => (await pool.run(() => input)).output }
}

test('answers what it was asked, in whatever groups that is sent', async () => {
  const { run } = start()
  const asked = Array.from({ length: 100 }, (_, index) => `${index}`)
  expect(await Promise.all(asked.map((say) => run({ say })))).toEqual(asked.map((say) => `said ${say}`))
})

test('work that throws rejects its own call only', async () => {
  const { run } = start()
  const bad = run({ throw: 'no such thing' })
  const good = run({ say: 'a' })
  await expect(bad).rejects.toThrow('no such thing')
  await expect(bad).rejects.not.toBeInstanceOf(WorkerLost)
  expect(await good).toBe('said a')
})

/** What came of each of some calls. */
const ends = async (calls: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map((one) =>
    one.status === 'fulfilled' ? one.value : (one.reason as Error).constructor.name,
  )

test.each([{ exit: 3 }, { fill: true }])(
  'a worker that dies by %j loses the one call that it was at; others can be made again, and the next gets a new worker',
  async (input) => {
    const { run } = start()
    const calls = [run({ say: 'before' }), run(input), run({ say: 'behind' })]
    expect(await ends(calls)).toEqual([WorkerGone.name, WorkerLost.name, WorkerGone.name])
    expect(await run({ say: 'still here' })).toBe('said still here')
  },
)

test('work that takes too long ends with its worker, and the next call gets a new one', async () => {
  const { run } = start({ most_ms: 3000 })
  expect(await ends([run({ say: 'before' }), run({ forever: true })])).toEqual([WorkerGone.name, WorkerLost.name])
  expect(await run({ say: 'still here' })).toBe('said still here')
})

test('input that cannot be copied rejects its own call only', async () => {
  const { run } = start()
  const bad = run({ say: () => 'a function' })
  const good = run({ say: 'b' })
  await expect(bad).rejects.not.toBeInstanceOf(WorkerLost)
  expect(await good).toBe('said b')
})

test('a worker is sent two messages at once, of bounded weight; the rest is made when its turn comes', async () => {
  const { pool } = start()
  let made = 0
  const make = () => {
    made++
    return { say: 'a' }
  }
  const calls = Array.from({ length: 10 }, () => pool.run(make, { weight: 1_000_000 }))
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  expect(made).toBe(2)
  await Promise.all(calls)
  expect(made).toBe(10)
})

test('work is shared among as many workers as there may be, and goes back to the one that it needs', async () => {
  const { pool } = start({ size: 2 })
  const heavy = { weight: 1_000_000 }
  const done = await Promise.all([1, 2, 3, 4].map((say) => pool.run(() => ({ say }), heavy)))
  const workers = new Set(done.map(({ worker }) => worker))
  expect(workers.size).toBe(2)
  for (const worker of workers) {
    expect((await pool.run(() => ({ say: 'a' }), { only: worker })).worker).toBe(worker)
    expect((await pool.run(() => ({ say: 'a' }), { rather: worker })).worker).toBe(worker)
  }
  const [lost] = workers
  if (lost === undefined) throw new Error('no worker')
  await expect(pool.run(() => ({ exit: 1 }), { only: lost })).rejects.toThrow(WorkerLost)
  await expect(pool.run(() => ({ say: 'a' }), { only: lost })).rejects.toThrow(WorkerGone)
  expect((await pool.run(() => ({ say: 'a' }), { rather: lost })).output).toBe('said a')
})

test('what a worker was given is sent to one that does nothing else', async () => {
  const { pool } = start()
  const bytes = new Uint8Array(10)
  const before = pool.run(() => ({ exit: 1 }))
  const call = pool.run(() => ({ say: 'mine', bytes }), { given: [bytes.buffer] })
  await expect(before).rejects.toThrow(WorkerLost)
  expect((await call).output).toBe('said mine')
})
