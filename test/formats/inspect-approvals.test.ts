import { expect, test } from 'vitest'
import { Reading } from '../../src/formats/common/reading.ts'
import { turnedDown } from '../../src/formats/inspect/inspect.ts'
import { LIMITS, pathsOf } from './make.ts'

type Row = Record<string, unknown>

const approval = (id: string, decision: string): Row => ({
  ...{
    event: 'approval',
    message: 'm',
    call: { id, function: 'bash', arguments: { cmd: 'ls' } },
    approver: 'human',
    decision,
  },
})

test.each<[string, (events: Row[]) => Row, string]>([
  ['in a sample', (events) => ({ events }), '/events'],
  ['in an older transcript', (events) => ({ transcript: { events } }), '/transcript/events'],
  ['inside a tool', (events) => ({ events: [{ event: 'tool', events }] }), '/events'],
])('approvals tell which calls were turned down, and warn about those that were changed: %s', (_, sample, path) => {
  const reading = new Reading(LIMITS)
  const events = [
    approval('1', 'approve'),
    approval('2', 'reject'),
    approval('3', 'terminate'),
    approval('4', 'modify'),
  ]
  expect([...turnedDown(reading, sample(events), '')]).toEqual([
    ['2', 'rejected'],
    ['3', 'rejected'],
  ])
  expect(pathsOf(reading.warnings.toArray())).toEqual([path])
})
