import type { ActOutcome } from '../../domain/acts/act.ts'
import type { Json } from '../common/reading.ts'
import { asRecord } from '../common/session.ts'
import { outcomeOfResult as outcomeInWords, outcomeWithCode, soundsTimedOut } from '../tools/outcomes.ts'

/**
 * What became of an action of OpenHands: the application's observations (All-Hands-AI/OpenHands, openhands/events/observation) and
 * those of OpenHands/software-agent-sdk (openhands-sdk/openhands/sdk/event).
 */

/** By an observation of the application. Exit code -1: the command still runs, or ran into a limit of time. */
export function outcomeOfObservation({ observation, content, extras, success }: Json): ActOutcome {
  if (observation === 'user_rejected') return 'rejected'
  if (typeof content === 'string' && soundsTimedOut(content)) return 'interrupted'
  const words = typeof content === 'string' ? content : ''
  const error = outcomeInWords('openhands', words, true)
  const said = observation === 'error' ? error : success === false ? 'failed' : 'ran'
  const { metadata, exit_code: code } = asRecord(extras)
  return outcomeWithCode(said, codeOf(asRecord(metadata)['exit_code'] ?? code))
}

const codeOf = (code: unknown): number | null => (typeof code === 'number' && code > 0 ? code : null)

/** By an event of the SDK that answers an action. */
export function outcomeOfSdk({ kind, observation, error }: Json): ActOutcome {
  if (kind === 'UserRejectObservation') return 'rejected'
  // The agent's own server writes these, so no program can have printed the words.
  if (kind === 'AgentErrorEvent') return outcomeInWords('openhands', typeof error === 'string' ? error : '', true)
  const { is_error: isError, exit_code: code, metadata } = asRecord(observation)
  return outcomeWithCode(isError === true ? 'failed' : 'ran', codeOf(code ?? asRecord(metadata)['exit_code']))
}

/** By a call of another agent, which tells its status. */
export const outcomeOfForeign = ({ status, is_error: isError }: Json): ActOutcome =>
  status === 'failed' || isError === true
    ? 'failed'
    : status === 'completed' || status === undefined
      ? 'ran'
      : 'unknown'
