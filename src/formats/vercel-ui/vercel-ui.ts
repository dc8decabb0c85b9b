import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { isAbsent, isRecord, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asRecord, asText } from '../common/session.ts'
import { mayAct } from '../common/unread-acts.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'
import { type LocatedMessage, readLocatedChat } from '../openai-chat/chat-steps.ts'
import { Located, PLACE, type Tree } from '../traces/located.ts'

/**
 * The format of the AI SDK's `useChat` (vercel/ai): `UIMessage` with `parts` (packages/ai/src/ui/ui-messages.ts, since version 5), as
 * `{"messages": […]}`, an array, or a line each.
 */
export const VERCEL_UI: Format = {
  name: 'vercel-ui',
  recognizes: (document) => messagesIn(document) !== null,
  read: readVercelUi,
}

const LISTS = ['messages', 'records'] as const
const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant'])

const messagesIn = (document: Json) => listIn(document, LISTS, (list) => list.some(isTelling))

const isTelling = (item: unknown): boolean =>
  isRecord(item) && ROLES.has(item['role']) && Array.isArray(item['parts']) && item['parts'].some(isUiPart)

/** Tells whether a part can only belong to these messages: other formats have a `text` or a `type`, too. */
function isUiPart(part: unknown): boolean {
  if (!isRecord(part) || typeof part['type'] !== 'string') return false
  const { type, text } = part
  if (type === 'text' || type === 'reasoning') return typeof text === 'string'
  return OWN.has(type) || isTool(part) || (type.startsWith('data-') && 'data' in part)
}

const OWN: ReadonlySet<unknown> = new Set(['step-start', 'source-url', 'source-document'])

const isTool = (part: unknown): part is Json & { readonly type: string; readonly toolCallId: string } => {
  const { type, toolCallId } = asRecord(part)
  return typeof toolCallId === 'string' && typeof type === 'string' && (type === DYNAMIC || type.startsWith(TOOL))
}

const DYNAMIC = 'dynamic-tool'
const TOOL = 'tool-'

function readVercelUi(reading: Reading, document: Json): ReadDocument {
  const { list, path } = messagesIn(document) ?? { list: [], path: '/messages' }
  const agent = { name: null, model: asText(document['model']) }
  return readLocatedChat(reading, path, agent, 'vercel-ui', () =>
    new Located(list, path).items().flatMap((message) => messagesOf(reading, message)),
  )
}

/** Returns the messages of a message; a reply of the agent gives as many as its parts show. */
function messagesOf(reading: Reading, message: Located): readonly LocatedMessage[] {
  const { role, id, createdAt } = asRecord(message.value)
  const parts = message.member('parts')
  if (!isRecord(message.value)) reading.odd(message.path, 'an object', message.value)
  else if (!ROLES.has(role)) reading.unreadRecord(message.path, 'role of a message', role, message.value)
  else if (!isAbsent(parts.value) && !Array.isArray(parts.value)) reading.odd(parts.path, 'an array', parts.value)
  else {
    const others = (): Tree => ({ role: message.member('role'), content: othersBlocks(reading, parts) })
    const isReply = role === 'assistant' && !isAbsent(parts.value)
    const messages = isReply ? [...repliesOf(reading, parts)] : [{ tree: isAbsent(parts.value) ? message : others() }]
    return messages.map((one) => ({ ...one, name: asText(id), at: timeOf(createdAt), path: message.path }))
  }
  return []
}

/** Returns the blocks of another speaker's message, none of which is an act of the agent. */
const othersBlocks = (reading: Reading, parts: Located): readonly Tree[] =>
  parts.items().flatMap((part): readonly Tree[] => {
    const { type } = asRecord(part.value)
    if (type === 'text' || !isRecord(part.value)) return [part]
    if (type === 'file') return [fileOf(part)]
    const warning = 'a part that only the agent’s messages have, or data for the page; not read'
    if (type !== 'step-start') reading.unread(part.path, warning, mayAct(part.value))
    return []
  })

/**
 * Yields the replies in the parts of a message, each with the results behind it. A `step-start` begins the output of one model call: its calls
 * precede all their results. Without marks, consecutive calls count as made together.
 */
function* repliesOf(reading: Reading, parts: Located): Generator<LocatedMessage> {
  const isMarked = parts.items().some(({ value }) => asRecord(value)['type'] === 'step-start')
  let content: Tree[] = []
  let settles: [string, ActOutcome][] = []
  let results: Tree[] = []
  let reasons: Tree[] = []
  const reply = (): LocatedMessage[] => {
    const trees = [...(content.length > 0 ? [{ role: 'assistant', content }] : []), ...results, ...reasons]
    const messages = trees.map((tree, index) => ({ tree, ...(index === trees.length - 1 && { settles }) }))
    content = []
    settles = []
    results = []
    reasons = []
    return messages
  }
  for (const part of parts.items()) {
    const { value } = part
    const { type } = asRecord(value)
    const isCall = isTool(value)
    if (isMarked ? type === 'step-start' : !isCall && results.length > 0) yield* reply()
    if (isCall && !isMarked && results.length > 0)
      reading.warnOnce(part.path, 'calls without a mark of their step are taken to have been made together')
    if (isCall) {
      content.push(callOf(part, value))
      settles.push([value.toolCallId, outcomeOf(value)])
      results.push(...resultOf(part, value))
      reasons.push(...reasonOf(part, value))
    } else if (type === 'source-url' || type === 'source-document') results.push(sourceOf(part))
    else content.push(...blocksOf(reading, part, type))
  }
  yield* reply()
}

function blocksOf(reading: Reading, part: Located, type: unknown): readonly Tree[] {
  if (type === 'text' || !isRecord(part.value)) return [part]
  if (type === 'reasoning') return [{ type, reasoning: part.member('text') }]
  if (type === 'file' || type === 'reasoning-file') return [fileOf(part)]
  if (typeof type === 'string' && type.startsWith('data-')) {
    const warning = 'data for the page, which the model may never have seen; not read'
    reading.unread(part.path, warning, mayAct(part.value['data']))
  } else if (type !== 'step-start') reading.unreadRecord(part.path, 'type of part', type, part.value)
  return []
}

/** Returns the source from a provider's search that the reply rests on. */
const sourceOf = (part: Located): Tree => ({
  ...{ role: 'tool', name: 'source' },
  content: ['url', 'title', 'filename']
    .map((name) => part.member(name))
    .filter(({ value }) => typeof value === 'string')
    .map((text) => ({ type: 'text', text })),
})

const KINDS = ['image', 'audio', 'video'] as const

/** Returns the file of a message: a link or a data URL. */
function fileOf(part: Located): Tree {
  const media = asText(asRecord(part.value)['mediaType']) ?? ''
  const type = KINDS.find((name) => media === name || media.startsWith(`${name}/`)) ?? 'file'
  return { [PLACE]: part.path, type, source: { url: part.member('url'), media_type: part.member('mediaType') } }
}

/** Returns the call of a `tool-<name>` or `dynamic-tool` part. */
function callOf(part: Located, { type, input, rawInput }: Json & { readonly type: string }): Tree {
  const at = `${part.path}/type#char=${TOOL.length},${type.length}`
  const name = type === DYNAMIC ? part.member('toolName') : new Located(type.slice(TOOL.length), at)
  const field = isAbsent(input) && !isAbsent(rawInput) ? 'rawInput' : 'input'
  return { type: 'tool_use', id: part.member('toolCallId'), name, input: part.member(field) }
}

function resultOf(part: Located, { output, errorText }: Json): readonly Tree[] {
  const [tool_call_id, content, error] = ['toolCallId', 'output', 'errorText'].map((name) => part.member(name))
  return isAbsent(output) && typeof errorText !== 'string' ? [] : [{ role: 'tool', tool_call_id, content, error }]
}

/** Returns the reason for which a person or a rule approved of a call, or did not. */
function reasonOf(part: Located, { approval }: Json): readonly Tree[] {
  const content = part.member('approval').member('reason')
  const role = asRecord(approval)['isAutomatic'] === true ? 'system' : 'user'
  return typeof content.value === 'string' ? [{ role, content }] : []
}

/** Tells the outcome of a call by its `state`: a call with unfinished input, or one that waits for approval, did not run. */
function outcomeOf({ state, approval, output, preliminary, input, rawInput }: Json): ActOutcome {
  // A call with an output whose state denies a run is uncertain either way.
  const notRun = (outcome: ActOutcome): ActOutcome => (isAbsent(output) ? outcome : 'interrupted')
  if (asRecord(approval)['approved'] === false || state === 'output-denied') return notRun('rejected')
  if (state === 'input-streaming' || state === 'approval-requested') return notRun('cancelled')
  if (state === 'output-available' && preliminary === true) return 'interrupted'
  // A rejected input is kept unparsed, and no tool ran.
  return state === 'output-error' && isAbsent(input) && !isAbsent(rawInput) ? 'rejected' : 'unknown'
}
