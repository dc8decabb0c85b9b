import { expect, test } from 'vitest'
import { createOffload, ThreadLost } from '../../src/offload/offload.ts'

function start(most_ms?: number) {
  const offload = createOffload<object, string>(new URL('./echo-thread.ts', import.meta.url), most_ms)
  return { run: (input: object) => offload.run(() => input) }
}

test('answers in the order of the calls', async () => {
  const { run } = start()
  expect(await Promise.all([run({ say: 'a' }), run({ say: 'b' }), run({ say: 'c' })])).toEqual([
    'said a',
    'said b',
    'said c',
  ])
})

test('work that throws rejects its own call only', async () => {
  const { run } = start()
  const bad = run({ throw: 'no such thing' })
  const good = run({ say: 'a' })
  await expect(bad).rejects.toThrow('no such thing')
  await expect(bad).rejects.not.toBeInstanceOf(ThreadLost)
  expect(await good).toBe('said a')
})

test.each([{ exit: 3 }, { fill: true }])(
  'a thread that dies by %j loses one call, and the next gets a new thread',
  async (input) => {
    const { run } = start()
    const lost = run(input)
    const next = run({ say: 'still here' })
    await expect(lost).rejects.toThrow(ThreadLost)
    expect(await next).toBe('said still here')
  },
)

test('work that takes too long ends with its thread, and the next call gets a new one', async () => {
  const { run } = start(1500)
  const lost = run({ forever: true })
  const next = run({ say: 'still here' })
  await expect(lost).rejects.toThrow(ThreadLost)
  expect(await next).toBe('said still here')
})

test('input that cannot be copied rejects its own call only', async () => {
  const { run } = start()
  const bad = run({ say: () => 'a function' })
  const good = run({ say: 'b' })
  await expect(bad).rejects.not.toBeInstanceOf(ThreadLost)
  expect(await good).toBe('said b')
})
