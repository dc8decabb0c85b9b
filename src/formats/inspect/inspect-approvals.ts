import type { ActOutcome } from '../../domain/acts/act.ts'
import { isRecord, type Json, type Reading } from '../common/reading.ts'
import { eventsOf, eventsPath } from './inspect-events.ts'

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
