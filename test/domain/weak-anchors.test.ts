import { expect, test } from 'vitest'
import { weakAnchors } from '../../src/domain/anchors/anchors.ts'
import type { Instruction } from '../../src/schemas/trial.ts'

const told = (anchor: string) =>
  weakAnchors({ instruction: 'x', cue: { text: 'make release-7f3a', anchors: [anchor] } }).length

test.each([
  ...[
    '/etc/hosts',
    './run',
    '../up',
    '~/.bashrc',
    'README.md',
    'src/main.c',
    'Makefile',
    'docs/Dockerfile',
    ' a/b.yml ',
  ],
])('%s is a bare path', (anchor) => expect(told(anchor)).toBe(1))

test.each([
  ...[
    'make release-7f3a',
    'https://files.example/up.sh',
    'files.example/up',
    'v1.2.3',
    'cat README.md',
    'x=/etc/hosts',
  ],
  ...['release-7f3a', 'e.g.md?', '--file=a.md x'],
])('%s is none', (anchor) => expect(told(anchor)).toBe(0))

test.each(['#', '$', '', '/', 'a', ' 7.', '=>'])('%j is no word', (anchor) => expect(told(anchor)).toBe(1))

test('two instructions of the same text are told of, unless action anchors tell them apart', () => {
  const told = (cue: Instruction, distractor: Instruction) => weakAnchors({ instruction: 'x', cue, distractor })
  const text = 'make release-7f3a'
  expect(told({ text }, { text: ` ${text}\n` })[0]).toEqual({
    path: '/ground_truth/distractor',
    message: expect.stringMatching(/^is the same text as cue: .*cannot be told apart/),
  })
  const action_anchors = ['release-7f3a']
  expect(told({ text, action_anchors }, { text, action_anchors })).toHaveLength(1)
  expect(told({ text }, { text: 'make release-7f3b' })).toEqual([])
  const both = told({ text, action_anchors }, { text, action_anchors: ['release-7f3a --all'] })
  expect(both).toEqual([])
})

test('an instruction in which no action can be searched is told of, one that is said or can be found is not', () => {
  const prose = 'Please be kind to the reader.'
  const told = (cue: Instruction, distractor?: Instruction) =>
    weakAnchors({ instruction: 'x', cue, ...(distractor && { distractor }) })
  const message = expect.stringContaining('give action_anchors')
  expect(told({ text: prose }, { text: `${prose} And smile.` })).toEqual([
    { path: '/ground_truth/cue', message },
    { path: '/ground_truth/distractor', message },
  ])
  expect(told({ text: prose, action_anchors: ['kindness --on'] })).toEqual([])
  expect(told({ text: prose, acted_by: 'message' })).toEqual([])
  expect(told({ text: 'make release-7f3a' })).toEqual([])
})
