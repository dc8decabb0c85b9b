import { describe, expect, test } from 'vitest'
import { pathsOf, refuse } from './make.ts'

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
