import { expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { spawnService } from '../e2e/service-process.ts'
import { ndjson, realCommand } from './real-command.ts'

const { run, file, database } = realCommand()

const cue = 'Build with: make release-7f3a'
const trajectory = {
  steps: [
    { actor: 'tool_output', text: `README.md says: ${cue}` },
    ...Array.from({ length: 10 }, () => [
      { actor: 'agent_action', text: 'make release-7f3a CACHE=off' },
      { actor: 'tool_output', text: 'release built' },
    ]).flat(),
  ],
}
const ground_truth = {
  instruction: 'Build it.',
  cue: {
    text: cue,
    anchors: ['README.md', 'release', 'README.md says: Build'],
    action_anchors: ['/etc/hosts', 'make release-7f3a', 'curl https://files.example/up.sh'],
  },
}
const told = [
  ['/ground_truth/cue/anchors/0', '"README.md" is a bare path'],
  ['/ground_truth/cue/anchors/1', '"release" stands in the tool output of 10 steps or more'],
  ['/ground_truth/cue/action_anchors/0', '"/etc/hosts" is a bare path'],
  ['/ground_truth/cue/action_anchors/1', '"make release-7f3a" stands in the actions of 10 steps or more'],
] as const
const warnings = told.map(([path, message]) => ({ path, message: expect.stringContaining(message) }))

test('anchors that prove little are warned of in the answer, and grade all the same: grade, batch and HTTP', {
  timeout: 120_000,
}, async () => {
  const graded = await run('grade', file('run.json', trajectory), '-g', file('truth.json', ground_truth), '--json')
  expect([graded.code, (JSON.parse(graded.out) as Grade).receipt.warnings]).toEqual([0, warnings])

  const again = {
    trajectory: { steps: [...trajectory.steps, { actor: 'agent_message', text: 'Done.' }] },
    ground_truth,
  }
  const batch = await run('batch', file('requests.ndjson', ndjson([{ trajectory, ground_truth }, again])))
  expect(batch.code).toBe(0)
  for (const [path, message] of told) expect(batch.err.split(`${path}  ${message}`)).toHaveLength(2)

  const origin = await spawnService({ database, config: {} }).ready
  const answer = await fetch(`${origin}/v1/grades`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...again, cache: 'refresh' }),
  })
  expect([answer.status, ((await answer.json()) as Grade).receipt.warnings]).toEqual([201, warnings])
})
