import { expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { spawnService } from '../e2e/service-process.ts'
import { ndjson, realCommand } from './real-command.ts'

const { run, file, database } = realCommand()

const runOf = (text: string) => ({
  schema_version: 'ATIF-v1.6',
  session_id: 's',
  agent: { name: 'terminus-2', version: '1', model_name: 'acme/model-1' },
  steps: [{ step_id: 1, source: 'user', message: text }],
})
const ground_truth = { instruction: 'Build it.', cue: 'make release-7f3a' }
const named = { agent: 'terminus-2', model: 'acme/model-1' }

test('the run’s agent and model are those of its grade where the caller names none: grade, batch, HTTP and the report', {
  timeout: 120_000,
}, async () => {
  const graded = await run('grade', file('run.json', runOf('one')), '-g', file('truth.json', ground_truth), '--json')
  expect((JSON.parse(graded.out) as Grade).metadata).toEqual(named)

  const requests = [
    { item_id: 'same', trajectory: runOf('one'), ground_truth },
    { item_id: 'own', trajectory: runOf('two'), ground_truth, metadata: { agent: 'mine', task: 't' } },
  ]
  const batch = await run('batch', file('requests.ndjson', ndjson(requests)), '-o', 'ndjson')
  const results = batch.out
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one) as { item_id: string; metadata: object })
  expect(results.map(({ item_id, metadata }) => [item_id, metadata])).toEqual([
    ['same', named],
    ['own', { agent: 'mine', model: 'acme/model-1', task: 't' }],
  ])

  const origin = await spawnService({ database, config: {} }).ready
  const body = JSON.stringify({ trajectory: runOf('three'), ground_truth, metadata: { model: 'other' } })
  const post = () =>
    fetch(`${origin}/v1/grades`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  for (const status of [201, 200]) {
    const answer = await post()
    expect([answer.status, ((await answer.json()) as Grade).metadata]).toEqual([
      status,
      { agent: 'terminus-2', model: 'other' },
    ])
  }
  const report = (await (await fetch(`${origin}/v1/reports?group_by=agent&judge=lexical`)).json()) as {
    groups: { key: string | null }[]
  }
  expect(report.groups.map(({ key }) => key)).toEqual(['mine', 'terminus-2'])
})
