import type { ActOutcome } from '../../domain/acts/act.ts'
import { wordSet } from '../../domain/text/words.ts'
import { isAbsent, isRecord, type Json } from '../common/reading.ts'
import { asRecord, asText, type OpenStep, settle, warnUnknownOnce } from '../common/session.ts'
import { type Dialogue, outcomeOfOutput } from '../dialogue/dialogue.ts'

const CALL_FIELDS: ReadonlySet<string> = wordSet(`type toolName toolCallId state input output errorText rawInput
  approval title providerExecuted preliminary callProviderMetadata resultProviderMetadata toolMetadata`)
const INVOCATION_FIELDS: ReadonlySet<string> = new Set(['toolName', 'toolCallId', 'state', 'step', 'args', 'result'])

/** A `tool-<name>` or `dynamic-tool` part: a call with what became of it. */
export function readToolPart(dialogue: Dialogue, step: OpenStep, part: Json, path: string): void {
  const { type } = part
  warnUnknownOnce(dialogue.reading, part, path, CALL_FIELDS)
  const isStatic = type !== 'dynamic-tool'
  const tool = isStatic ? String(type).slice('tool-'.length) : asText(part['toolName'])
  const field = isAbsent(part['input']) && !isAbsent(part['rawInput']) ? 'rawInput' : 'input'
  const call = dialogue.call(step, {
    id: null,
    tool,
    namePath: isStatic ? `${path}/type` : `${path}/toolName`,
    ...(isStatic && { nameText: String(type) }),
    args: part[field],
    path: `${path}/${field}`,
  })
  settle(call, outcomeOfPart(call.tool, part))
  dialogue.output(step.outputs, part['output'], `${path}/output`, call.tool)
  const { errorText, approval } = part
  if (typeof errorText === 'string')
    dialogue.content(step.outputs, 'tool_output', errorText, `${path}/errorText`, `${call.tool}.error`)
  const { reason, isAutomatic } = asRecord(approval)
  if (typeof reason === 'string')
    dialogue.reading.add(step.outputs, {
      actor: isAutomatic === true ? 'system' : 'user',
      text: reason,
      path: `${path}/approval/reason`,
      name: 'approval.reason',
    })
  if (!isAbsent(part['output']) || typeof errorText === 'string') step.answered = true
}

/** By `state`: a call whose input was still coming, or that waits to be approved, has not been carried out. */
function outcomeOfPart(tool: string, part: Json): ActOutcome {
  const { state, approval, output, preliminary, errorText } = part
  // A call that brought something and is said not to have been carried out is unsure both ways.
  const notRun = (outcome: ActOutcome): ActOutcome => (isAbsent(output) ? outcome : 'interrupted')
  if (isRecord(approval) && approval['approved'] === false) return notRun('rejected')
  if (state === 'output-denied') return notRun('rejected')
  if (state === 'input-streaming' || state === 'approval-requested') return notRun('cancelled')
  if (state === 'output-available') return preliminary === true ? 'interrupted' : outcomeOfOutput(tool, output, null)
  if (state !== 'output-error') return 'unknown'
  // An input that did not fit the tool is kept as it came, and nothing was run.
  if (isAbsent(part['input']) && !isAbsent(part['rawInput'])) return 'rejected'
  return outcomeOfOutput(tool, errorText, true)
}

/** A tool invocation of version 4. */
export function readInvocation(dialogue: Dialogue, step: OpenStep, invocation: Json, path: string): void {
  const { toolName, state, args, result } = invocation
  warnUnknownOnce(dialogue.reading, invocation, path, INVOCATION_FIELDS)
  const call = dialogue.call(step, {
    id: null,
    tool: asText(toolName),
    namePath: `${path}/toolName`,
    args,
    path: `${path}/args`,
  })
  if (state === 'partial-call') settle(call, 'cancelled')
  if (state !== 'result') return
  settle(call, outcomeOfOutput(call.tool, result, null))
  dialogue.output(step.outputs, result, `${path}/result`, call.tool)
  step.answered = true
}
