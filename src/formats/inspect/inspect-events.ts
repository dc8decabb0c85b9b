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
export const eventsPath = (sample: Json, at: string): string => `${at}${isNested(sample) ? '/transcript' : ''}/events`

/** All events of a sample, those inside of others too. */
export function eventsOf(sample: Json): Generator<Json> {
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
