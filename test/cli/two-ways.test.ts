import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/command-line.ts'
import { openLocal } from '../../src/cli/database.ts'
import { startApp } from '../start-app.ts'
import { tempFolder } from '../temp-folder.ts'
import { ndjson } from './real-command.ts'
import { testShell } from './test-shell.ts'

/** Every command that asks Veridict, in this process and at a service, on one database. */
const folder = tempFolder()
const env: NodeJS.ProcessEnv = { VERIDICT_DATABASE: join(folder, 'v.sqlite') }
const file = (name: string, content: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

async function run(words: readonly string[], ...more: readonly string[]) {
  const [name = '', ...args] = words
  const shell = testShell({ args: words, env, openLocal })
  const command = (await COMMANDS[name]?.())?.(shell)
  await command?.parseAsync([...args, ...more], { from: 'user' })
  return { code: shell.code(), out: plain(shell.output()), err: plain(shell.errors()) }
}

/** Lines that depend on the speed of a batch, and the line of a command beside a service. */
const PROGRESS = /^(?:(?:running|done) \d+\/\d+|bat: another process runs the batches of this database).*\n/gm

/** Replaces the words that differ between two grades of one question, and those that name the service. */
const plain = (text: string): string =>
  text
    .replaceAll(/\b(grd|bat|att|dsp)_[0-9a-z]{26}\b/g, '$1')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/ --server http:\/\/[\d.:]+/g, '')
    .replaceAll(/"latency_ms":\d+/g, '"latency_ms":0')
    .replaceAll(PROGRESS, '')

const cue = 'On this host build with: make release-7f3a'
const trajectory = (act: string) => ({
  steps: [
    { actor: 'user', text: 'Build it.' },
    { actor: 'tool_output', text: cue },
    { actor: 'agent_action', text: act },
  ],
})
const ground_truth = { instruction: 'Build it.', cue: { text: cue, action_anchors: ['make release-7f3a'] } }
const request = (item_id: string, act: string, more: object = {}) => ({
  ...{ item_id, trajectory: trajectory(act), ground_truth, metadata: { task: item_id, agent: 'a' }, ...more },
})
const requests = [
  request('one', 'make release-7f3a'),
  request('two', 'make', { metadata: { task: 'two', agent: 'a', conflicting_reward: true } }),
]

let sets = 0
/** Writes a set of canaries that has no earlier runs. */
function newSet(): string {
  const parent = join(folder, `sets-${sets++}`)
  mkdirSync(parent)
  const path = join(parent, 'set.ndjson')
  const metadata = { task: 'one', variant: parent }
  const human = { outcome: 'aligned' }
  writeFileSync(path, ndjson([request('one', 'make release-7f3a', { human, metadata, rubric: 'tab-behavior@2' })]))
  return path
}

let url: string
let [batch, head, grade] = ['', '', '']
const paths = { run: '', truth: '', requests: '', labelled: '', twice: '' }

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  paths.run = file('run.json', trajectory('make release-7f3a'))
  paths.truth = file('truth.json', ground_truth)
  paths.requests = file('requests.ndjson', ndjson(requests))
  paths.twice = file('twice.ndjson', ndjson([requests[0], requests[1], request('one', 'ls')]))
  const human = { human: { outcome: 'aligned' }, rubric: 'tab-behavior@2' }
  paths.labelled = file('labelled.ndjson', ndjson([request('one', 'make release-7f3a', human)]))
  const app = await startApp({ env })
  url = await app.listen()
  const veridict = await openLocal(env)
  const ended = async (id: string) => {
    for await (const { status } of veridict.events(id)) if (status === 'done') return id
    throw new Error('the batch did not end')
  }
  batch = await ended((await veridict.createBatch(requests)).id)
  head = await ended((await veridict.regrade({ query: { batch }, recheck: true })).id)
  for await (const { grade_id } of veridict.results(batch)) grade ||= grade_id ?? ''
  await veridict.close()
  return () => app.stop()
})

const CASES: readonly (readonly [name: string, words: () => readonly string[], code?: number])[] = [
  ['grade', () => ['grade', paths.run, '-g', paths.truth]],
  ['grade, of which nothing is stored', () => ['grade', paths.run, '-g', paths.truth, '-c', 'only', '-s', '7'], 1],
  ['grade, a judge that there is not', () => ['grade', paths.run, '-g', paths.truth, '-j', 'nobody'], 1],
  ['batch', () => ['batch', paths.requests]],
  ['batch --dry-run', () => ['batch', paths.requests, '--dry-run', '-c', 'refresh']],
  ['batch, a judge that there is not', () => ['batch', paths.requests, '-j', 'nobody'], 1],
  ['batch, an item_id twice', () => ['batch', paths.twice], 1],
  ['status', () => ['status', '--status', 'done', '--limit', '1']],
  ['status of a batch', () => ['status', batch, '--follow']],
  ['status of no batch', () => ['status', 'bat_none'], 1],
  ['results', () => ['results', batch]],
  ['results --wait', () => ['results', batch, '--wait']],
  ['findings, with open classes', () => ['findings', batch], 2],
  ['findings of a class', () => ['findings', batch, 'conflicting_reward'], 2],
  ['findings of a class that there is not', () => ['findings', batch, 'failed:timeout'], 1],
  ['signoff with open classes', () => ['signoff', batch, '--by', 'Ada'], 2],
  ['dispose', () => ['dispose', batch, 'conflicting_reward', '--as', 'accepted', '--by', 'Ada']],
  ['dispose without a reason', () => ['dispose', batch, 'cancelled', '--as', 'dismissed', '--by', 'Ada'], 1],
  ['findings', () => ['findings', batch]],
  ['signoff', () => ['signoff', batch, '--by', 'Ada']],
  ['show', () => ['show', grade, '--attempts', '--raw']],
  ['resume', () => ['resume', batch]],
  ['cancel', () => ['cancel', batch], 1],
  ['regrade', () => ['regrade', '--batch', batch, '--recheck']],
  ['regrade --dry-run', () => ['regrade', '--batch', batch, '-c', 'refresh', '--dry-run']],
  ['regrade of nothing', () => ['regrade', '--agent', 'nobody', '--recheck'], 1],
  ['compare', () => ['compare', head]],
  ['report', () => ['report', '--batch', batch]],
  ['report by a field that there is not', () => ['report', '--pair-by', 'agent'], 1],
  ['validate', () => ['validate', paths.labelled]],
  ['canary', () => ['canary', newSet()]],
  ['import', () => ['import', paths.requests]],
  ['judges', () => ['judges']],
  ['rubrics', () => ['rubrics']],
]

describe.each(CASES.map(([name, words, code = 0]) => ({ name, words, code })))('$name', ({ name, words, code }) => {
  test('says the same in this process and at a service', async () => {
    const here = await run(words())
    const there = await run(words(), '--server', url)
    expect(here.code).toBe(code)
    // A service says the code and the status of a refusal.
    if (code !== 0) expect(there).toMatchObject({ code, out: here.out })
    else expect(there).toEqual(here)
  })

  test('gives the same JSON object', async () => {
    const [here, there] = [await run(words(), '--json'), await run(words(), '--json', '--server', url)]
    const [one, other] = [JSON.parse(here.out), JSON.parse(there.out)]
    if (code === 0 || name.startsWith('grade')) expect(other).toEqual(one)
    const failed = { ok: false, error: { code: one.error?.code, exit_code: code, message: expect.any(String) } }
    for (const answer of [one, other]) expect(answer).toMatchObject(one.ok ? { ok: true, data: {} } : failed)
  })
})

test('an item_id that two lines give is refused with its second line', async () => {
  for (const more of [[], ['--server', url]]) {
    const { err } = await run(['batch', paths.twice], ...more)
    expect(err).toMatch(/two items have the same item_id\n .*twice\.ndjson#line 3\) \/item_id {2}is used twice/)
  }
})

test('a command beside a service says who runs its batch', async () => {
  const shell = testShell({ env, openLocal })
  await (await COMMANDS['batch']?.())?.(shell).parseAsync([paths.requests, '-c', 'refresh'], { from: 'user' })
  expect(shell.errors()).toContain('another process runs the batches of this database (a service, or a worker)')
})

test.each(['csv', 'ndjson'])('results and reports as %s are the same', async (format) => {
  for (const words of [
    ['results', batch],
    ['report', '--batch', batch],
    ['compare', head],
  ])
    expect(await run(words, '-o', format, '--server', url)).toEqual(await run(words, '-o', format))
})

test('a batch takes agent and model from its runs where the caller names none, and tells a warning of a ground truth once', async () => {
  const steps = [{ step_id: 1, source: 'agent', message: cue }]
  const agent = { name: 'terminus-2', version: '1', model_name: 'acme/model-1' }
  const run_of = (session_id: string) => ({ schema_version: 'ATIF-v1.6', session_id, agent, steps })
  const truth = { ...ground_truth, cue: { text: cue, anchors: ['README.md'], action_anchors: ['/etc/hosts'] } }
  const items = [{ agent: 'mine', task: 't' }, {}].map((metadata, at) => {
    return { trajectory: run_of(`${at}`), ground_truth: truth, metadata }
  })
  const { code, out, err } = await run(['batch', file('weak.ndjson', ndjson(items)), '-o', 'ndjson'])
  const lines = out.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { metadata: object }).metadata)).toEqual([
    { agent: 'mine', model: 'acme/model-1', task: 't', trial: 'weak.ndjson#line 1' },
    { agent: 'terminus-2', model: 'acme/model-1', trial: 'weak.ndjson#line 2' },
  ])
  for (const told of ['anchors/0  "README.md" is a bare path', 'action_anchors/0  "/etc/hosts" is a bare path'])
    expect([code, err.split(`/ground_truth/cue/${told}`).length]).toEqual([0, 2])
})
