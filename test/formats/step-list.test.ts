import { describe, expect, test } from 'vitest'
import { pathsOf, read, refuse } from './make.ts'

describe('a step list', () => {
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
