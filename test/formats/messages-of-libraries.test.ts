import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { LIMITS, pathsOf, read, refuse, textAt } from './make.ts'
import { told } from './told.ts'

/**
 * Formats of libraries' messages, by samples that were written after the published types: @anthropic-ai/sdk (resources/messages), vercel/ai (packages/ai/src/ui,
 * and ui-utils of version 4), langchain-core's messages, langsmith-sdk (schemas), openai (resources/responses), pydantic-ai (messages.py), verifiers (save_utils, v1).
 */
const CORPUS = new URL('../fuzz/corpus/', import.meta.url)
const sample = (file: string): Record<string, unknown> => {
  const opened = openDocuments(readFileSync(new URL(file, CORPUS), 'utf8'))
  if (!opened.ok || opened.value.length !== 1) throw new Error(`${file}: not one document`)
  return opened.value[0]?.document ?? {}
}

const parts = (trajectory: Trajectory) => trajectory.steps.flatMap((step) => step.parts)

describe('samples', () => {
  test.each<[string, string, number, number, number, string[]]>([
    // file, format, steps, acts, outputs, places of warnings
    ['anthropic-messages/seed.json', 'anthropic-messages', 3, 2, 2, []],
    ['anthropic-messages/seed-exchange.json', 'anthropic-messages', 4, 3, 2, []],
    [
      'vercel-ui/seed.json',
      ...(['vercel-ui', 4, 7, 6] as const),
      ['/messages/1/parts/2', '/messages/2/parts/4/type', '/messages/2/parts/8/rawInput', '/messages/2/parts/12'],
    ],
    ['vercel-ui/seed-v4.json', 'vercel-ui', 6, 5, 3, ['/records/2/parts/1/details/1']],
    [
      'langchain/seed.json',
      ...(['langchain', 4, 4, 2] as const),
      ['/messages/1/content/1', '/messages/2/invalid_tool_calls/0', '/messages/2/invalid_tool_calls/0/args'],
    ],
    ['langchain/seed-serialized.json', 'langchain', 3, 1, 1, ['/records/3']],
    ['langsmith/seed.json', 'langsmith', 4, 3, 4, ['/child_runs/4/name']],
    ['langsmith/seed-rows.json', 'langsmith', 4, 1, 1, []],
    [
      'openai-responses/seed.json',
      ...(['openai-responses', 16, 24, 13] as const),
      ['/input/1/call_id', '/output/15', '/output/16/name', '/output/23/arguments', '/output/24'],
    ],
    ['pydantic-ai/seed.json', 'pydantic-ai', 6, 4, 7, ['/records/0/parts/1/content/1']],
    ['verifiers/seed.json', 'verifiers', 4, 1, 1, []],
    ['verifiers/seed-episode.json', 'verifiers', 4, 1, 1, ['/nodes/1/sampled']],
  ])('%s', (file, format, steps, acts, outputs, warnings) => {
    const document = sample(file)
    const trajectory = read(document)
    const count = (actor: string) => parts(trajectory).filter((part) => part.actor === actor).length
    expect([trajectory.format, trajectory.steps.length, count('agent_action'), count('tool_output')]).toEqual([
      ...[format, steps, acts, outputs],
    ])
    expect(pathsOf(trajectory.warnings)).toEqual(warnings)
    for (const part of parts(trajectory)) {
      if (!part.media) expect(textAt(document, part.path)).toBe(part.text)
      expect(part.act === null).toBe(part.actor !== 'agent_action')
    }
  })

  test('every sample of these formats is in the table', () => {
    const folders = ['anthropic-messages', 'vercel-ui', 'langchain', 'langsmith', 'openai-responses', 'pydantic-ai']
    for (const folder of [...folders, 'verifiers'])
      for (const file of readdirSync(new URL(folder, CORPUS)))
        if (file.startsWith('seed')) expect(read(sample(`${folder}/${file}`)).format).toBe(folder)
  })
})

test('a log of the Messages API keeps of many exchanges those that no later one holds', () => {
  const ask = { system: 'Be good.', messages: [{ role: 'user', content: 'Go.' }] }
  const answer = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hm.' }] }
  const again = [...ask.messages, { role: 'assistant', content: answer.content }, { role: 'user', content: 'So?' }]
  const log = [
    { request: ask, response: answer },
    { request: { ...ask, messages: again }, response: answer },
  ]
  const opened = openDocuments(log.map((one) => JSON.stringify(one)).join('\n'))
  expect(opened.ok && opened.value.map(({ document }) => told(read(document)).flat())).toEqual([
    ['system: Be good.', 'user: Go.', 'agent_message: Hm.', 'user: So?', 'agent_message: Hm.'],
  ])
  const other = [{ request: { ...ask, system: 'Other.' }, response: answer }, ...log]
  const apart = openDocuments(JSON.stringify(other))
  expect(apart.ok && apart.value.length).toBe(2)
})

test('a log that is nested beyond any use is refused, not thrown', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const one = `{"request":{"system":"s","messages":[{"role":"user","content":${deep}}]},"response":{}}`
  const opened = openDocuments(`${one}\n${one}`)
  expect(opened.ok && opened.value.map(({ document }) => readTrajectory(document, LIMITS).ok)).toEqual([false, false])
})

test.each([
  ['Gemini', { text: 'Go.' }],
  ['OpenTelemetry', { type: 'text', content: 'Go.' }],
])('parts of %s are not taken for those of the AI SDK', (_, part) => {
  expect(readTrajectory({ messages: [{ role: 'user', parts: [part] }] }, LIMITS).ok).toBe(false)
})

test('many traces of langsmith are taken apart, and refused as one', () => {
  const row = (id: string, a: string) => ({
    ...{ id, trace_id: id, parent_run_id: null, name: 'bash', run_type: 'chain', inputs: { a }, outputs: {} },
    start_time: '2026-01-01T00:00:00Z',
  })
  const records = [row('t', 'x'), row('u', 'y')]
  expect(pathsOf(refuse({ records }))).toEqual([''])
  const opened = openDocuments(JSON.stringify({ runs: records }))
  expect(opened.ok && opened.value.map(({ name, document }) => [name, told(read(document))])).toEqual([
    ['t', [['user: x']]],
    ['u', [['user: y']]],
  ])
})
