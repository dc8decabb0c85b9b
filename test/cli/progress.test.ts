import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createProgressView, duration, openOutput, progressLine, speedOf } from '../../src/cli/output/screen.ts'
import { dollars } from '../../src/cli/output/text.ts'
import type { Batch } from '../../src/schemas/batch.ts'
import { tempFolder } from '../temp-folder.ts'
import { newBatch } from './stand-in.ts'
import { screen, testShell } from './test-shell.ts'

const batch = (done: number, more: Partial<Batch> = {}): Batch => ({
  ...newBatch(1, 100, { name: 'nightly' }, 'grade'),
  counts: { total: 100, pending: 90 - done, running: 10, graded: done, unverified: 0, failed: 0, cancelled: 0 },
  ...{ labels: { aligned: done }, calls: { made: done, unknown: 0 }, cost_usd: 0.42, ...more },
})

test('the speed counts the items that ended since the first look', () => {
  const first = { at: 0, done: 40 }
  expect(speedOf(batch(40), first, 1000)).toEqual([])
  expect(speedOf(batch(60), first, 10_000)).toEqual(['2.0/s', 'ETA 20s'])
  expect(speedOf(batch(60), first, 20_000)).toEqual(['1.0/s', 'ETA 40s'])
  expect(speedOf(batch(100), first, 20_000)).toEqual([])
  expect(speedOf(batch(60, { status: 'parked' }), first, 10_000)).toEqual([])
})

const speed = ['2.0/s', 'ETA 20s']
const busy = batch(50, {
  counts: { total: 100, pending: 30, running: 10, graded: 50, unverified: 4, failed: 6, cancelled: 0 },
  labels: { aligned: 40, ignored: 10 },
  failures: { rate_limited: 5, refused: 1 },
  cached: 12,
  calls: { made: 60, unknown: 3 },
  max_cost_usd: 5,
  uncertain_usd: 0.25,
})
const FACTS = [
  ...['60/100', '60%', '2.0/s', 'ETA 20s'],
  'cost $0.42 (+ up to $0.25 that may have been paid) of at most $5.00',
  '12 from the cache',
  'aligned 40 · ignored 10',
  'failed 6 (rate_limited 5 · refused 1)',
]

test('a line says everything, and shows what is foreign harmlessly', () => {
  const text = progressLine(busy, speed)
  for (const fact of FACTS) expect(text).toContain(fact)
  const hostile = progressLine(batch(10, { status: 'parked', parked_reason: 'no\u0007 quota' }), speed)
  expect(hostile).toContain('parked: no⟨U+0007⟩ quota; waits to be resumed')
})

describe('in a pipe', () => {
  test('a line at once, at a turn, and at the end; none in between, none twice', () => {
    const { stream, text } = screen()
    const view = createProgressView(stream, { env: {} }, { line_ms: 60_000, frame_ms: 1 })
    for (let done = 0; done <= 50; done++) view.show(batch(done))
    view.show(batch(50, { status: 'parked', parked_reason: 'no quota' }))
    view.show(batch(90, { status: 'running' }))
    view.show(batch(100, { status: 'done' }))
    view.end()
    view.end()
    const lines = text().trimEnd().split('\n')
    const turns = ['running 0/100', 'parked 50/100', 'running 90/100', 'done 100/100']
    expect(lines.map((line) => line.split(' (')[0])).toEqual(turns)
    expect(text()).not.toContain('\u001b')
  })

  test('a line every so often', async () => {
    const { stream, text } = screen()
    const view = createProgressView(stream, { env: {} }, { line_ms: 20, frame_ms: 1 })
    view.show(batch(1))
    await delay(30)
    view.show(batch(2))
    view.show(batch(3))
    expect(text().trimEnd().split('\n')).toHaveLength(2)
    view.end()
  })
})

describe('on a terminal', () => {
  const terminal = { isTTY: true, columns: 100, rows: 40 }
  test('the line is written anew and fits, notes stay, the last state stays whole', () => {
    const { stream, text } = screen(terminal)
    const view = createProgressView(stream, { env: {} }, { line_ms: 1, frame_ms: 0 })
    view.doing('reading: 3 trials')
    view.note('skipped  x')
    view.show(batch(10))
    view.show(busy)
    view.end()
    const lines = text().split('\r\u001b[2K')
    expect(lines).toContain('skipped  x\n')
    expect(lines.at(-1)).toMatch(/^running 60\/100 .*refused 1\)\n$/)
    for (const line of lines.slice(0, -1)) expect(line.length).toBeLessThan(100)
  })

  test('of no size: lines as in a pipe', () => {
    const { stream, text } = screen({ ...terminal, columns: 0 })
    const view = createProgressView(stream, { env: {} })
    view.show(batch(10))
    view.end()
    expect(text()).toMatch(/^running 10\/100 /)
  })
})

test('seconds and dollars in words', () => {
  const times = [0.4, 59, 60, 3599.5, 7500].map(duration)
  expect(times).toEqual(['1s', '59s', '1m 00s', '1h 00m', '2h 05m'])
  const sums = [0, 1, 12.345, 0.42, 0.5, 0.012, 0.000_123].map(dollars)
  expect(sums).toEqual(['$0', '$1.00', '$12.35', '$0.42', '$0.50', '$0.012', '$0.00012'])
})

const folder = tempFolder()
const fresh = (name: string): string => {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

test.each([
  ['a folder', (path: string) => path],
  ['a folder, as such', (path: string) => `${path}/`],
  ['a folder that is not there', (path: string) => join(path, 'not', '/')],
])('refuses %s before anything is written', async (name, of) => {
  const path = fresh(name)
  await expect(openOutput(testShell(), of(path))).rejects.toThrow('cannot be written: it is a folder')
  expect([readdirSync(path), existsSync(`${path}.partial`)]).toEqual([[], false])
})

test('a partial file of an earlier run does not stay', async () => {
  const file = join(fresh('earlier'), 'x.csv')
  writeFileSync(`${file}.partial`, 'half of something much longer')
  const target = await openOutput(testShell(), file)
  await target.write('a\n')
  await target.commit()
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.partial`)]).toEqual(['a\n', false])
})

test('where the name cannot be given in the end, the partial file is removed', async () => {
  const path = fresh('late')
  const target = await openOutput(testShell(), join(path, 'x.csv'))
  await target.write('a\n')
  mkdirSync(join(path, 'x.csv'))
  await expect(target.commit()).rejects.toThrow('cannot be written: it is a folder')
  await target.discard()
  expect(readdirSync(path)).toEqual(['x.csv'])
})

test('a new file is readable by its owner alone, and replaces another with --force alone', async () => {
  const file = join(fresh('own'), 'x.csv')
  const write = async (text: string, force?: boolean) => {
    const target = await openOutput(testShell(), file, force)
    await target.write(text)
    await target.commit()
  }
  await write('a\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await expect(write('b\n')).rejects.toMatchObject({
    message: `${file} is there already, and is not overwritten`,
    advice: ['Give --out another name, or --force to replace the file.'],
  })
  expect(readFileSync(file, 'utf8')).toBe('a\n')
  await write('b\n', true)
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.partial`)]).toEqual(['b\n', false])
})

test('a file that appears while the results are written is not overwritten', async () => {
  const file = join(fresh('meanwhile'), 'x.csv')
  const target = await openOutput(testShell(), file)
  await target.write('a\n')
  writeFileSync(file, 'of another')
  await expect(target.commit()).rejects.toThrow('is there already')
  await target.discard()
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.partial`)]).toEqual(['of another', false])
})
