import { describe, expect, test } from 'vitest'
import { openDocuments } from '../../../src/formats/common/open-documents.ts'
import { holds, pathsOf, read, refuse, sample } from '../make.ts'
import { told } from '../told.ts'
import { at, CALLS, README, RUN } from './samples.ts'

type Row = Record<string, unknown>

const observation = (id: string, type: string, seconds: number, more: Row): Row => ({
  ...{ id, traceId: 't1', type, name: type.toLowerCase(), startTime: at(seconds), endTime: at(seconds + 1) },
  ...{ parentObservationId: 'root', level: 'DEFAULT', statusMessage: null, model: null, metadata: {} },
  ...more,
})

const generations = CALLS.map(({ input, output }, index) =>
  observation(`g${index}`, 'GENERATION', 10 * index + 1, { input, output, model: 'gpt-9' }),
)
const tool = (id: string, seconds: number, command: string, output: unknown, more: Row = {}): Row =>
  observation(id, 'TOOL', seconds, { name: 'bash', input: { command }, output, ...more })
const root = observation('root', 'AGENT', 0, {
  ...{ name: 'fixer', parentObservationId: null, endTime: at(60), input: 'Run the tests.', output: 'All tests pass.' },
})
const tools = [tool('t1', 5, 'cat README.md', README), tool('t2', 15, 'npm run check', '12 passed')]
const trace = (observations: readonly Row[], more: Row = {}): Row => ({
  ...{ id: 't1', timestamp: at(0), name: 'fixer', input: 'Run the tests.', output: 'All tests pass.', tags: [] },
  ...{ public: false, environment: 'default', htmlPath: '/x', latency: 1, totalCost: 0, scores: [], observations },
  ...more,
})

describe('langfuse', () => {
  test.each([{ task: 'x' }, { args: ['x'], kwargs: {} }])(
    'what went into a trace is nothing that the agent did: %j',
    (input) => {
      const { unread } = read(trace([root, ...generations, ...tools], { input }))
      expect(unread.actions).toBe(0)
      expect(read(trace([root, ...generations, ...tools], { output: input })).unread.actions).toBe(1)
    },
  )

  test('a trace is read once: each message where it first comes, tools joined to their calls', () => {
    const trajectory = holds(trace([root, ...generations, ...tools]))
    expect(told(trajectory)).toEqual(RUN)
    expect(trajectory).toMatchObject({
      format: 'langfuse',
      agent: { model: 'gpt-9' },
      warnings: [],
      unread: { records: 0 },
    })
    const acts = trajectory.steps.flatMap(({ parts }) => parts).flatMap(({ act }) => act ?? [])
    expect(acts).toMatchObject([
      { role: 'executes', language: 'shell', call: { tool: 'bash', outcome: 'answered', looks: false } },
      { role: 'executes', language: 'shell', call: { tool: 'bash', outcome: 'answered', looks: false } },
    ])
    expect(trajectory.steps[2]?.at).toBe(Date.parse(at(1)))
  })

  test.each([
    ['in any order', 'cfb4e8cc'],
    ['as the page downloads it', 'f6a6b19c'],
    ['of its observations alone', '92e62a8b'],
    ['as the second version of the API', '22158046'],
    ['with JSON in strings', '16bf6e07'],
    ['with requests of a provider', '84dfb573'],
    ['in snake case', '5eb56e87'],
    ['with the tools as spans', '9c7b2dfb'],
    ['with a span around each call', '8f946379'],
  ])('the same %s', (_, seed) => {
    expect(told(holds(sample('langfuse', seed)))).toEqual(RUN)
  })

  test('what a tool printed is shown from its span where no request has it, and a failure is told', () => {
    const trajectory = holds(sample('langfuse', 'c64026bc'))
    expect(told(trajectory)).toEqual([
      ...RUN.slice(0, 2),
      ['agent_message: I look around.', 'agent_action: cat README.md', 'tool_output: timed out'],
    ])
    expect(trajectory.steps[2]?.parts[1]?.act?.call.outcome).toBe('failed')
  })

  test('a window that forgets the beginning repeats nothing; the same words again are shown again', () => {
    const trajectory = holds(sample('langfuse', 'acb75718'))
    expect(told(trajectory)).toEqual([
      ...RUN.slice(0, 3),
      ['user: Go on.'],
      ['agent_message: All tests pass.'],
      ['user: Go on.'],
      ['agent_action: npm run check'],
    ])
    expect(trajectory.steps.at(-1)?.parts[0]?.act?.call.outcome).toBe('interrupted')
  })

  test('LangChain’s messages, Anthropic’s blocks', () => {
    const trajectory = holds(sample('langfuse', 'ae85edeb'))
    expect(told(trajectory)).toEqual([
      ['user: Go.'],
      ['agent_message: Yes.', 'agent_action: ls', 'tool_output: a'],
      ['agent_reasoning: Hm.', 'agent_message: Done.'],
      ['system: Be good.'],
      ['tool_output: a'],
      ['user: So?'],
      ['agent_message: Bye.'],
    ])
  })

  test('agents are named where there are several', () => {
    const trajectory = holds(sample('langfuse', '4a7f8d76'))
    const agents = trajectory.steps.map(({ agent }) => agent)
    expect(agents.join(' ')).toBe('fixer fixer fixer reader reader fixer fixer fixer')
  })

  test('calls of a model without messages are unread records; several traces are refused, and taken apart', () => {
    const trajectory = holds(trace([observation('g', 'GENERATION', 1, { input: null, output: null }), ...tools]))
    expect(trajectory.unread).toEqual({ records: 1, actions: 1 })
    const two = { records: [...generations, { ...root, traceId: 'other' }] }
    expect(pathsOf(refuse(two))).toEqual([''])
    const opened = openDocuments(JSON.stringify(two.records))
    expect(opened.ok && opened.value.map(({ name }) => name)).toEqual(['t1', 'other'])
  })

  test('a growing history costs what its document measures', () => {
    const reads = (count: number): number => {
      let gets = 0
      const get = (target: Row, key: string | symbol): unknown => {
        gets++
        return Reflect.get(target, key) as unknown
      }
      const observations = Array.from({ length: count }, (_, index) =>
        observation(`g${index}`, index % 2 === 0 ? 'GENERATION' : 'TOOL', index, {
          parentObservationId: `g${index + 1}`,
          input: new Proxy({ role: 'user', content: `u${index}` }, { get }),
          output: 'a',
        }),
      )
      read(trace(observations))
      return gets
    }
    expect(reads(4000)).toBeLessThanOrEqual(reads(400) * 11)
  })

  test('parents in a circle and ids that are used twice', () => {
    const trajectory = holds(sample('langfuse', 'ee4facee'))
    expect(trajectory.warnings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('same id') as string,
        expect.stringContaining('below itself') as string,
      ]),
    )
    expect(
      told(trajectory)
        .flat()
        .filter((text) => text.includes(README)),
    ).toHaveLength(1)
  })
})
