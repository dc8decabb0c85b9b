import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { beyondTools, callerOf, corpusOf, expectPlaces, pathsOf, read } from './make.ts'

const { folder: CORPUS, isThere } = corpusOf('openai-chat')

const TAU = 'sierra-research__tau-bench__gpt-4o-airline.json'
const DOCENT = 'TransluceAI__docent__tb_airline.json'
const LITELLM = ['1757015054.055', '1757015062.589'].map(
  (at) => `OpenHands__software-agent-sdk__litellm-log-${at}.json`,
)
const HARBOR = ['hello-world', 'hello-world-no_function_calling'].map(
  (name) => `lieexxli__harbor__golden__${name}.traces.json`,
)

interface RawMessage {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: unknown } }[] | null
  readonly tool_call_id?: string | null
}

const load = (file: string): unknown => JSON.parse(readFileSync(`${CORPUS}${file}`, 'utf8'))
const open = (file: string): ReturnType<typeof openDocuments> => openDocuments(readFileSync(`${CORPUS}${file}`, 'utf8'))
const opened = (text: string): { name: string; document: Record<string, unknown>; about: object }[] => {
  const result = openDocuments(text)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return [...result.value]
}
const partsIn = ({ steps }: Trajectory): Trajectory['steps'][number]['parts'][number][] =>
  steps.flatMap(({ parts }) => parts)

const strings = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(strings)
      : []

/** Compares a trajectory with the messages it was read from, which the test reads in its own way. */
function compare(trajectory: Trajectory, messages: readonly RawMessage[], list: string): void {
  const parts = partsIn(trajectory)
  const ofCalls = parts.filter(({ path }) => path.includes('/tool_calls/'))
  const placesOf = (actor: string, cut: RegExp): Set<string> =>
    new Set(
      parts.filter((part) => part.actor === actor && !ofCalls.includes(part)).map((part) => part.path.replace(cut, '')),
    )
  const said = (role: string): number =>
    messages.filter((one) => one.role === role && (one.content ?? '') !== '').length
  expect(placesOf('user', /#.*$/).size).toBe(said('user'))
  expect(placesOf('system', /#.*$/).size).toBe(said('system'))
  expect(placesOf('agent_message', /#.*$/).size).toBe(said('assistant'))
  expect(placesOf('tool_output', /#.*$/).size).toBe(said('tool'))
  const calls = messages.flatMap((one) => one.tool_calls ?? [])
  const called = new Set(ofCalls.map(({ path }) => path.replace(/\/function\/(arguments|name).*$/, '')))
  expect(called.size).toBe(calls.length)
  for (const part of ofCalls) expect(part.actor).toBe(callerOf(part))
  expect(placesOf('agent_action', /$/).size).toBe(0)
  const acted = new Set(ofCalls.map((part) => part.text))
  for (const { function: called } of calls) {
    const args: unknown = typeof called.arguments === 'string' ? JSON.parse(called.arguments) : called.arguments
    for (const text of strings(args)) if (text !== '') expect(acted).toContain(text)
  }
  const seen = new Set<string>()
  for (const { path, actor } of parts) {
    const message = messages[Number(path.slice(list.length + 1).split('/')[0])]
    if (path.includes('/tool_calls/')) for (const call of message?.tool_calls ?? []) seen.add(call.id)
    if (actor === 'tool_output') expect(seen).toContain(message?.tool_call_id)
  }
}

describe.skipIf(!isThere)('real chats', () => {
  test('200 runs of tau-bench in one file', () => {
    const raw = load(TAU) as {
      task_id: number
      trial: number
      reward: number
      traj: RawMessage[]
      info: { task: { instruction: string } }
    }[]
    const result = open(TAU)
    if (!result.ok) throw new Error(JSON.stringify(result.error))
    expect(result.value).toHaveLength(200)
    expect(new Set(result.value.map(({ name }) => name)).size).toBe(200)
    for (const [index, { document, about }] of result.value.entries()) {
      const own = raw[index]
      if (own === undefined) throw new Error('too many runs')
      const { task_id: task, trial, reward, info } = own
      expect(about).toEqual({
        task: String(task),
        run_index: trial,
        instruction: info.task.instruction,
        scores: { reward },
      })
      const trajectory = read(document)
      // Some are talk alone.
      const warnings = trajectory.warnings.filter(({ message }) => !message.includes('may stand in its words'))
      expect(beyondTools(warnings)).toEqual([])
      compare(trajectory, own.traj, '/traj')
      expectPlaces(document, trajectory)
    }
  })

  test('one run of tau-bench', () => {
    const { traj } = load(DOCENT) as { traj: RawMessage[] }
    const [only, ...more] = opened(readFileSync(`${CORPUS}${DOCENT}`, 'utf8'))
    expect(more).toEqual([])
    expect(only?.about).toMatchObject({ task: '0', run_index: 0, scores: { reward: 0 } })
    compare(read(only?.document), traj, '/traj')
    expectPlaces(only?.document, read(only?.document))
  })

  test.each(LITELLM)('%s has the chat before it was put into words, and the answer', (file) => {
    const raw = load(file) as {
      raw_messages: RawMessage[]
      response: { model: string; choices: { message: RawMessage }[] }
    }
    const trajectory = read(raw)
    const answer = raw.response.choices[0]?.message
    expect(trajectory.agent.model).toBe(raw.response.model)
    expect(pathsOf(trajectory.warnings)).toEqual(['/messages'])
    const last = trajectory.steps.at(-1)?.parts ?? []
    expect(last[0]).toMatchObject({
      actor: 'agent_message',
      text: answer?.content,
      path: '/response/choices/0/message/content',
    })
    expect(last.filter((part) => part.actor === 'agent_action').length).toBeGreaterThan(0)
    const sent = { ...trajectory, steps: trajectory.steps.slice(0, -1) }
    compare(sent, raw.raw_messages, '/raw_messages')
    expectPlaces(raw, trajectory)
  })

  test.each(HARBOR)('%s: the episodes of one run are that run once, and its words hold its acts', (file) => {
    const raw = load(file) as { conversations: RawMessage[] }[]
    const [only, ...more] = opened(readFileSync(`${CORPUS}${file}`, 'utf8'))
    expect(more).toEqual([])
    expect(only?.document['conversations']).toEqual(raw.at(-1)?.conversations)
    expect(only?.about).toEqual({
      task: 'harbor/hello-world',
      agent: 'openhands',
      model: 'gpt-4o',
      scores: { result: 1 },
    })
    const trajectory = read(only?.document)
    expectPlaces(only?.document, trajectory)
    const messages = raw.at(-1)?.conversations ?? []
    const firstAnswer = messages.findIndex((one) => one.role === 'assistant')
    const count = (actor: string): number => partsIn(trajectory).filter((part) => part.actor === actor).length
    const calls = new Set(partsIn(trajectory).flatMap(({ act }) => act?.call ?? []))
    const answers = messages.filter((one) => one.role === 'assistant').map((one) => String(one.content))
    const ends = answers.filter(
      (text) =>
        text.includes('<function=finish>\n<parameter=message>') || text.includes('"finish", "arguments": {"message"'),
    ).length
    expect([ends, calls.size]).toEqual([1, answers.length - 1])
    expect(count('user')).toBe(firstAnswer)
    expect(count('tool_output')).toBe(messages.slice(firstAnswer).filter((one) => one.role === 'user').length)
  })
})
