import type { ActOutcome } from '../../domain/acts/act.ts'
import { cutName, isRecord, type Json, type Reading } from '../common/reading.ts'

/**
 * The events of a sample say once more, in more detail, what its messages say; scores, state, logs and spans the model never saw,
 * so none of them is read. But tools that ran outside of the messages (agents inside of tools, a conversation that was cut to fit)
 * must not go unsaid.
 */
export function warnAboutHiddenCalls(reading: Reading, sample: Json, at: string, messages: readonly unknown[]): void {
  const known = callIds(messages)
  let hidden = 0
  const names = new Set<string>()
  for (const { event, id, function: name } of eventsOf(sample)) {
    if (event !== 'tool' || (typeof id === 'string' && known.has(id))) continue
    hidden++
    if (names.size < 5 && typeof name === 'string') names.add(JSON.stringify(cutName(name)))
  }
  if (hidden === 0) return
  const told = `${hidden} tool calls that are not in the messages are not shown: ${[...names].join(', ')}`
  reading.addUnread({ records: hidden, actions: hidden })
  reading.warn(eventsPath(sample, at), told)
}

const isNested = ({ transcript }: Json): boolean => isRecord(transcript) && Array.isArray(transcript['events'])

/** Where a sample keeps its events; older logs have a transcript around them. */
const eventsPath = (sample: Json, at: string): string => `${at}${isNested(sample) ? '/transcript' : ''}/events`

/** All events of a sample, those inside of others too. */
function eventsOf(sample: Json): Generator<Json> {
  const { transcript } = sample
  return eventsUnder(isNested(sample) && isRecord(transcript) ? transcript['events'] : sample['events'])
}

/** The events and those inside of them: older logs put what a tool or a subtask did under its event. */
function* eventsUnder(events: unknown): Generator<Json> {
  const open: unknown[] = [events]
  while (open.length > 0) {
    const list = open.pop()
    for (const event of Array.isArray(list) ? list : []) {
      if (!isRecord(event)) continue
      yield event
      if (Array.isArray(event['events'])) open.push(event['events'])
    }
  }
}

function callIds(messages: readonly unknown[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const message of messages) {
    if (!isRecord(message)) continue
    if (typeof message['tool_call_id'] === 'string') ids.add(message['tool_call_id'])
    const calls = message['tool_calls']
    for (const call of Array.isArray(calls) ? calls : [])
      if (isRecord(call) && typeof call['id'] === 'string') ids.add(call['id'])
  }
  return ids
}

/** What Inspect's approvers did to calls that the messages do not tell: UKGovernmentBEIS/inspect_ai, src/inspect_ai/event/_approval.py. */
const DECISIONS: Readonly<Record<string, ActOutcome>> = { reject: 'rejected', terminate: 'rejected' }

/**
 * The calls that an approver turned down, by id. A call that was `modified` ran with other arguments than the messages have: that is
 * warned about.
 */
export function turnedDown(reading: Reading, sample: Json, at: string): ReadonlyMap<string, ActOutcome> {
  const outcomes = new Map<string, ActOutcome>()
  for (const { event, decision, call } of eventsOf(sample)) {
    const id = isRecord(call) ? call['id'] : null
    if (event !== 'approval' || typeof decision !== 'string' || typeof id !== 'string') continue
    if (Object.hasOwn(DECISIONS, decision)) outcomes.set(id, DECISIONS[decision] ?? 'unknown')
    if (decision === 'modify')
      reading.warnOnce(
        eventsPath(sample, at),
        'an approver changed tool calls: what was carried out is not what the messages say',
      )
  }
  return outcomes
}
