import { wordSet } from '../../domain/words.ts'
import { isRecord, type Json, objectsIn, type Reading, timeOf } from '../common/reading.ts'
import { asRecord, asText, Session } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { OPENHANDS_TOOLS } from '../tools/harness-tools.ts'
import { OldEvents } from './openhands-events.ts'
import { SdkEvents } from './openhands-sdk.ts'

/**
 * The format of OpenHands: the event list of the application (`action`, `observation`), also as the `history` of its evaluations, and the
 * event list of the software-agent SDK (`kind`).
 *
 * An observation is placed in the step of its action while nothing else happens, else in a step of its own. A step is named by the id of
 * its first event.
 */
export const OPENHANDS: Format = {
  name: 'openhands',
  recognizes: (document) => LISTS.some((list) => Array.isArray(document[list]) && document[list].some(isTelling)),
  read: readOpenHands,
  holdsSubagents: true,
  // The harness's own words about an event, and its forms of a call.
  asides: wordSet(`message translated_ipython_code tool_call_metadata test_result llm_completions instance
    diff old_content new_content formatted_output_and_error`),
}

const LISTS = ['records', 'history', 'events'] as const
const KINDS: ReadonlySet<unknown> = wordSet(`ActionEvent ObservationEvent MessageEvent SystemPromptEvent
  ConversationStateUpdateEvent AgentErrorEvent UserRejectObservation ACPToolCallEvent`)

const ROOT_FIELDS: ReadonlySet<string> = new Set([
  ...LISTS,
  ...wordSet(`instance_id instance instruction metadata
  metrics error test_result git_patch llm_completions`),
])
const EVENT_FIELDS: ReadonlySet<string> = wordSet(`id timestamp source kind message action args observation content
  extras cause tool_call_metadata llm_metrics timeout success tool_name tool_call_id tool_call action_id thought
  reasoning_content thinking_blocks responses_reasoning_item llm_response_id security_risk critic_result summary
  llm_message sender activated_skills activated_microagents extended_content system_prompt dynamic_context tools
  rejection_reason rejection_source error key value code detail additional_context forgotten_event_ids summary_offset
  title tool_kind raw_input status raw_output is_error hook_event_type hook_command stdout stderr exit_code blocked
  reason`)

function isTelling(event: unknown): boolean {
  if (!isRecord(event)) return false
  if (KINDS.has(event['kind'])) return true
  const { action, observation } = event
  if (!('source' in event)) return false
  if (typeof action === 'string') return isRecord(event['args'])
  return typeof observation === 'string' && 'extras' in event
}

function readOpenHands(reading: Reading, document: Json): ReadDocument {
  const list = LISTS.find((name) => Array.isArray(document[name])) ?? 'records'
  const events = Array.isArray(document[list]) ? document[list] : []
  const session = new Session(reading, OPENHANDS_TOOLS)
  const old = new OldEvents(session)
  const sdk = new SdkEvents(session)
  const readEvent = (event: Json, path: string): void => {
    reading.warnUnknownOnce(event, path, EVENT_FIELDS)
    session.now = timeOf(event['timestamp'])
    if (typeof event['kind'] === 'string') sdk.read(event, path)
    else old.read(event, path)
  }
  reading.warnUnknown(document, '', ROOT_FIELDS)
  for (const [event, path] of objectsIn(reading, events, `/${list}`, 'an event')) {
    readEvent(event, path)
  }
  const model = asText(asRecord(asRecord(document['metadata'])['llm_config'])['model']) ?? old.model ?? sdk.model
  return { format: 'openhands', agent: { name: 'openhands', model }, steps: session.finish(`/${list}`) }
}
