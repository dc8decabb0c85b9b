import { expect, test } from 'vitest'
import { pathsOf, refuse } from './make.ts'

test.each<[string, object, string]>([
  ['messages that are text', { trajectory_format: 'mini-swe-agent-1', messages: 'x' }, '/messages'],
  ['no messages', { trajectory_format: 'mini-swe-agent-1', messages: [] }, '/messages'],
  ['a message that is text', { trajectory_format: 'mini-swe-agent-1', messages: ['x'] }, '/messages/0'],
])('a run is refused with %s', (_, document, path) => {
  expect(pathsOf(refuse(document))).toEqual([path])
})
