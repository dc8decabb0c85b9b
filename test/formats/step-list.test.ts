import { describe, expect, test } from 'vitest'
import { ACTORS } from '../../src/schemas/vocabulary.ts'
import { partsOf, pathsOf, read, refuse } from './make.ts'

describe('a step list', () => {
  test('is one text a step, or parts', () => {
    const trajectory = read({
      agent: { name: 'mine', model: 'm1' },
      steps: [
        { actor: 'user', text: 'Fix it.', name: 'task' },
        {
          step_id: 9,
          parts: [
            { actor: 'agent_action', text: 'ls', name: 'bash' },
            { actor: 'tool_output', text: 'out' },
          ],
        },
      ],
    })
    expect(trajectory).toMatchObject({ format: 'steps', agent: { name: 'mine', model: 'm1' }, warnings: [] })
    expect(trajectory.steps.map((step) => step.id)).toEqual([1, 9])
    expect(partsOf(trajectory, 0)).toEqual([['user', 'task', '/steps/0/text', 'Fix it.']])
    expect(partsOf(trajectory, 1)).toEqual([
      ['agent_action', 'bash', '/steps/1/parts/0/text', 'ls'],
      ['tool_output', 'output', '/steps/1/parts/1/text', 'out'],
    ])
  })

  test('knows every actor of the vocabulary', () => {
    const { steps } = read({ steps: ACTORS.map((actor) => ({ actor, text: 'x' })) })
    expect(steps.flatMap((step) => step.parts.map((part) => part.actor))).toEqual([...ACTORS])
  })

  test.each<[string, unknown, string[]]>([
    ['a bare array', [{ actor: 'user', text: 'a' }], ['']],
    ['no steps', { steps: [] }, ['/steps']],
    [
      'every error',
      {
        agent: { name: 1 },
        steps: [{ actor: 'robot', text: 1 }, 'x', { parts: [1, { actor: 'user', text: 'a', name: 1 }] }],
      },
      ['/agent/name', '/steps/0/actor', '/steps/0/text', '/steps/1', '/steps/2/parts/0', '/steps/2/parts/1/name'],
    ],
    ['parts of a wrong type', { steps: [{ parts: 'x' }] }, ['/steps/0/parts']],
    [
      'one id twice',
      {
        steps: [
          { step_id: 1, actor: 'user', text: 'a' },
          { step_id: 1, actor: 'user', text: 'b' },
        ],
      },
      ['/steps/1/step_id'],
    ],
  ])('with %s is refused', (_, document, paths) => {
    expect(pathsOf(refuse(document))).toEqual(paths)
  })

  test('with unknown fields is read with warnings', () => {
    const steps = [
      { actor: 'user', text: 'a', source: 'x', step_id: 'first' },
      { parts: [], text: 'not read' },
    ]
    const trajectory = read({ steps, foo: 1 })
    expect(trajectory.steps.map((step) => step.name)).toEqual(['first', null])
    expect(pathsOf(trajectory.warnings)).toEqual(['/foo', '/steps/0/step_id', '/steps/0/source', '/steps/1/text'])
  })
})

test.each(['mcp__mail__send_email', 'gmail.send', 'send_money'])(
  'each argument of an application’s tool is a part of one call: %s',
  (name) => {
    const text = JSON.stringify({ to: ['a@x.example'], body: { text: 'Hi' }, count: 3 })
    const [step] = read({ steps: [{ actor: 'agent_action', name, text }] }).steps
    expect(step?.parts.map((part) => [part.name, part.text, part.act?.role])).toEqual([
      [`${name}.to.0`, 'a@x.example', 'unknown'],
      [`${name}.body.text`, 'Hi', 'unknown'],
      [`${name}.count`, '3', 'unknown'],
    ])
    expect(new Set(step?.parts.map(({ act }) => act?.call))).toEqual(new Set([expect.objectContaining({ tool: name })]))
  },
)
