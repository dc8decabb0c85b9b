import { beforeEach, expect, test } from 'vitest'
import { type StandIn, startStandIn } from './stand-in.ts'
import { typed } from './test-shell.ts'

let service: StandIn
beforeEach(async () => {
  service = await startStandIn()
})
const run = (...words: string[]) => typed({}, 'regrade', ...words, '--server', service.url)

test('sends the selection and the changes, and each command begins a new batch', async () => {
  service.ending = () => ({ label: 'aligned' })
  const words = ['--batch', 'bat_07', '--judge-was', 'lexical', '--judge', 'openai', '--samples', '3']
  const { code, err } = await run(...words)
  expect([code, err]).toEqual([
    0,
    expect.stringContaining(`What changed: veridict compare bat_01 --server ${service.url}`),
  ])
  expect(service.uploaded[0]).toEqual({ query: { batch: 'bat_07', judge: 'lexical' }, judge: 'openai', samples: 3 })
  await run(...words)
  expect(service.batches.size).toBe(2)
})

test('--dry-run begins nothing', async () => {
  const { code, out } = await run('--status', 'unverified', '--judge', 'openai', '--dry-run', '-o', 'ndjson')
  expect([code, JSON.parse(out), service.batches.size]).toMatchObject([0, { items: 3, to_grade: 2 }, 0])
})

test('refuses a command that chooses no grades', async () => {
  const { code, err } = await run('--judge', 'openai')
  expect([code, err, service.requests]).toEqual([1, expect.stringContaining('which grades?'), []])
})
