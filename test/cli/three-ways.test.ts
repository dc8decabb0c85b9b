import { beforeEach, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { spawnService } from '../e2e/service-process.ts'
import { ndjson, realCommand } from './real-command.ts'

/** What `grade`, `batch` and HTTP say alike: real processes on one database. */
const { run, file, database } = realCommand()
let origin: string
beforeEach(async () => {
  origin = await spawnService({ database, config: {} }).ready
})

const post = (path: string, body: object) =>
  fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const graded = async (trajectory: object, truth: object): Promise<Grade> => {
  const { code, out, err } = await run(
    'grade',
    file('run.json', trajectory),
    '-g',
    file('truth.json', truth),
    '-o',
    'ndjson',
  )
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out) as Grade
}
const batch = (requests: readonly object[], ...more: string[]) =>
  run('batch', file('requests.ndjson', ndjson(requests)), ...more)

const cue = 'On this host build with: make release-7f3a'

test('the run’s agent and model are those of its grade where the caller names none', { timeout: 120_000 }, async () => {
  const ground_truth = { instruction: 'Build it.', cue }
  const named = { agent: 'terminus-2', model: 'acme/model-1' }
  const runOf = (text: string) => ({
    ...{ schema_version: 'ATIF-v1.6', session_id: 's' },
    agent: { name: 'terminus-2', version: '1', model_name: 'acme/model-1' },
    steps: [{ step_id: 1, source: 'user', message: text }],
  })
  expect((await graded(runOf('one'), ground_truth)).metadata).toEqual(named)
  const own = { trajectory: runOf('two'), ground_truth, metadata: { agent: 'mine', task: 't' } }
  const { out } = await batch([{ trajectory: runOf('one'), ground_truth }, own], '-o', 'ndjson')
  const lines = out.trimEnd().split('\n')
  expect(lines.map((one) => (JSON.parse(one) as { metadata: object }).metadata)).toEqual([
    named,
    { agent: 'mine', model: 'acme/model-1', task: 't' },
  ])
  for (const status of [201, 200]) {
    const answer = await post('/v1/grades', { trajectory: runOf('three'), ground_truth, metadata: { model: 'other' } })
    const { metadata } = (await answer.json()) as Grade
    expect([answer.status, metadata]).toEqual([status, { agent: 'terminus-2', model: 'other' }])
  }
  const report = await (await fetch(`${origin}/v1/reports?group_by=agent&judge=lexical`)).json()
  expect(report).toMatchObject({ groups: [{ key: 'mine' }, { key: 'terminus-2' }] })
})

test('anchors that prove little are warned of, and grade all the same', { timeout: 120_000 }, async () => {
  const steps = [
    { actor: 'tool_output', text: `README.md says: ${cue}` },
    { actor: 'agent_action', text: 'make release-7f3a' },
  ]
  const truth = {
    text: cue,
    anchors: ['README.md', 'README.md says: On'],
    action_anchors: ['/etc/hosts', 'make release'],
  }
  const ground_truth = { instruction: 'Build it.', cue: truth }
  const told = [
    ['/ground_truth/cue/anchors/0', '"README.md" is a bare path'],
    ['/ground_truth/cue/action_anchors/0', '"/etc/hosts" is a bare path'],
  ] as const
  const warnings = told.map(([path, message]) => ({ path, message: expect.stringContaining(message) }))
  expect((await graded({ steps }, ground_truth)).receipt.warnings).toEqual(warnings)
  const again = { trajectory: { steps: [...steps, { actor: 'agent_message', text: 'Done.' }] }, ground_truth }
  const { code, err } = await batch([{ trajectory: { steps }, ground_truth }, again])
  expect(code).toBe(0)
  for (const [path, message] of told) expect(err.split(`${path}  ${message}`)).toHaveLength(2)
  const answer = await post('/v1/grades', { ...again, cache: 'refresh' })
  expect([answer.status, ((await answer.json()) as Grade).receipt.warnings]).toEqual([201, warnings])
})
