import { expect, test } from 'vitest'
import { pathsOf, read, refuse } from './make.ts'

test.each<[string, object, string]>([
  ['messages that are text', { trajectory_format: 'mini-swe-agent-1', messages: 'x' }, '/messages'],
  ['no messages', { trajectory_format: 'mini-swe-agent-1', messages: [] }, '/messages'],
  ['a message that is text', { trajectory_format: 'mini-swe-agent-1', messages: ['x'] }, '/messages/0'],
])('a run is refused with %s', (_, document, path) => {
  expect(pathsOf(refuse(document))).toEqual([path])
})

test.each([
  ['ls', '/messages/0/extra/actions/0', 'must be an object, not string; not read'],
  [{}, '/messages/0/extra/actions/0/command', 'must be text, not null; not read'],
  [{ command: 7 }, '/messages/0/extra/actions/0/command', 'must be text, not number; not read'],
])('a noted action that is %j is warned of at its place', (action, path, message) => {
  const messages = [{ role: 'assistant', content: 'x', extra: { actions: [action] } }]
  const { warnings } = read({ trajectory_format: 'mini-swe-agent-1.1', messages })
  expect(warnings).toContainEqual({ path, message })
})
