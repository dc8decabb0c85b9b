import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TrialItem } from '../../src/archives/trials/reading-job.ts'
import { readTrialsOf } from '../../src/cli/trials.ts'
import { tempFolder } from '../temp-folder.ts'
import { testShell } from './test-shell.ts'

const folder = tempFolder()
const run = join(folder, 'known.json')
writeFileSync(run, JSON.stringify({ steps: [{ actor: 'tool_output', text: 'make release' }] }))

async function read(paths: readonly string[], ground_truth?: string) {
  const told: string[] = []
  const console = { shell: testShell(), signal: new AbortController().signal, local: null }
  const truths = ground_truth === undefined ? {} : { ground_truth }
  const items: TrialItem[] = []
  for await (const item of readTrialsOf(console, paths, truths, { warn: (text) => told.push(text) })) items.push(item)
  return { items, told }
}
const row = (trial: string) => JSON.stringify({ trial, instruction: 'build', cue: 'make release' })

test('a path that is not there is an error, before anything is read, also beside good ones', async () => {
  await expect(read([run, 'nowhere/jobs'])).rejects.toThrow('there is no such file or folder: nowhere/jobs')
})

test('standard input and pipes are refused before anything is read', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const socket = join(folder, 'socket')
  const server = createServer().listen(socket)
  await once(server, 'listening')
  for (const path of ['-', pipe, socket]) {
    const refused = read([run, path])
    await expect(refused).rejects.toThrow(`${path}: standard input and pipes cannot be read twice`)
    await expect(refused).rejects.toMatchObject({ exit: 1, advice: [expect.stringContaining('to a file first')] })
  }
  server.close()
})

test('rows that no trial is of are told once, ten by name', async () => {
  const truths = join(folder, 'truths.ndjson')
  const names = ['known', ...Array.from({ length: 12 }, (_, at) => `other-${at}`)]
  writeFileSync(truths, names.map(row).join('\n'))
  const { items, told } = await read([run], truths)
  expect(items.map(({ kind }) => kind)).toEqual(['trial'])
  expect(told).toHaveLength(1)
  expect(told[0]).toMatch(/^12 names of .*truths\.ndjson matched no trial: other-0, .*other-9, and 2 more$/)
})

test('such a name is told whole, for whoever looks for its fault', async () => {
  const truths = join(folder, 'long.ndjson')
  const name = `long-${'x'.repeat(200)}\u001b`
  writeFileSync(truths, row(name))
  const { told } = await read([run], truths)
  expect(told[0]).toContain(`: ${name.slice(0, -1)}⟨U+001B⟩`)
})

test('a trial of unknown task is not said to be of a task called unknown', async () => {
  const truths = join(folder, 'other.ndjson')
  writeFileSync(truths, row('other'))
  const { items } = await read([run], truths)
  expect(items).toEqual([
    expect.objectContaining({ kind: 'skipped', detail: expect.stringMatching(/ is of trial known$/) }),
  ])
})

test('a file of truths that is not there, and one with semicolons', async () => {
  await expect(read([run], join(folder, 'no.csv'))).rejects.toThrow('no such file')
  const csv = join(folder, 'truths.csv')
  writeFileSync(csv, 'task;instruction;cue\na;b;c\n')
  await expect(read([run], csv)).rejects.toMatchObject({
    advice: ['line 1  columns are separated by commas, not by semicolons'],
  })
  writeFileSync(csv, 'task,instruction,planted\na,b,c\n')
  const advice = [expect.stringMatching(/; the rubric injection takes planted: name the rubric, as -r injection does$/)]
  await expect(read([run], csv)).rejects.toMatchObject({ advice })
})
