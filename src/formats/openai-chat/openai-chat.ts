import type { Part } from '../../domain/trajectory/trajectory.ts'
import { cutName, idText, isAbsent, isRecord, type Json, type Reading } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import { type FileRun, type Format, factsOf, type ListIn, type ReadDocument, type RunAbout } from '../format.ts'
import { Located } from '../traces/located.ts'
import { readTurns } from './chat-steps.ts'
import { isResponse } from './openai-chat-message.ts'
import { ChatSink, readBlocks, speaking } from './openai-chat-sink.ts'

/** The format of a provider's chat: `messages`, a bare array, a log of a call (litellm), a run of tau-bench (`traj`) or Harbor (`conversations`). */
export const OPENAI_CHAT: Format = {
  name: 'openai-chat',
  recognizes: (document) => chatIn(document) !== undefined || runsOf(document) !== null,
  read: readOpenAiChat,
  split: splitChats,
}

/** Members that hold the messages of a run: OpenAI and most others, tau-bench, Harbor's exported traces, Who&When. */
const MESSAGE_LISTS = ['messages', 'traj', 'conversations', 'history'] as const
/** Recognizes messages of a chat: the first object has a role and a content or call, and some item has a role. */
export function isChat(list: unknown): list is readonly unknown[] {
  if (!Array.isArray(list) || list.length === 0) return false
  const first = list.find((item) => isRecord(item) && !isBookkeeping(item))
  return (
    first !== undefined && isMessage(first) && list.some((item) => isRecord(item) && typeof item['role'] === 'string')
  )
}

const isBookkeeping = (item: unknown): boolean =>
  isRecord(item) && (item['role'] === '_checkpoint' || item['role'] === '_usage')

const isMessage = (item: Json): boolean =>
  typeof item['role'] === 'string' &&
  ['content', 'tool_calls', 'function_call', 'tool_call_id', 'refusal'].some((field) => field in item)

const chatIn = (run: Json): string | undefined => [...MESSAGE_LISTS, 'records'].find((name) => isChat(run[name]))

const isRun = (run: unknown): run is Json => isRecord(run) && MESSAGE_LISTS.some((field) => isChat(run[field]))

/** Returns the list of a document of runs, each of which must be sent by itself; null where fewer than half of the items are runs. */
function runsOf({ records, simulations }: Json): ListIn | null {
  const list: unknown = records ?? simulations
  if (!Array.isArray(list) || list.length === 0 || list.filter(isRun).length * 2 < list.length) return null
  return { list, path: isAbsent(records) ? '/simulations' : '/records' }
}

function readOpenAiChat(reading: Reading, document: Json): ReadDocument {
  const { list, path } = runsOf(document) ?? { list: [], path: '' }
  const items = new Located(list, path).items()
  for (const item of items) if (!isRun(item.value)) reading.odd(item.path, 'a run with messages', item.value)
  return readRun(reading, items.find(({ value }) => isRun(value)) ?? new Located(document, ''))
}

/** Reads one run: the system prompt beside its messages (Anthropic), the messages, and the answer. `answer`: an answer that the run itself does not hold. */
function readRun(reading: Reading, run: Located, format = 'openai-chat', answer: Located[] = []): ReadDocument {
  const { record } = run
  const agent = { name: asName(record['agent']), model: modelOf(record) }
  const name = chatIn(record) ?? 'messages'
  const isTeam = name === 'history' && ('mistake_agent' in record || 'question' in record)
  const chat = chatRead(reading, run, name)
  const listed = chat.items().filter(({ value }) => !isBookkeeping(value))
  const placed = [...(isTeam ? listed.map(placeTeamMessage) : listed), ...responseOf(reading, run), ...answer]
  const sink = new ChatSink(reading, agent.name, true)
  addPrompt(sink, 'system', run.member(isAbsent(record['system']) ? 'policy' : 'system'))
  if (isTeam) addTeam(sink, run)
  readTurns(sink, placed)
  return { format, agent, steps: sink.finish(chat.path) }
}

/** Names the role of a message in a team (AutoGen, Who&When) by its speaker: `user` is anybody who speaks to the next agent. */
function placeTeamMessage(message: Located): Located {
  if (!isRecord(message.value)) return message
  const { name = message.value['role'], ...rest } = message.value
  const role = /^computer_?terminal$/iu.test(asText(name) ?? '') ? 'tool' : name
  return new Located({ ...rest, role }, message.path)
}

/** Adds the prompts of a team's agents, and the question where no message of the person holds it. */
function addTeam(sink: ChatSink, run: Located): void {
  const prompts = run.member('system_prompt')
  for (const agent of Object.keys(prompts.record)) addPrompt(sink, 'system', prompts.member(agent))
  const history = run.member('history').items()
  if (!history.some(({ record }) => record['role'] === 'human')) addPrompt(sink, 'user', run.member('question'))
}

/** Adds a prompt beside the messages, a text or blocks (Anthropic), as a step before all messages. */
function addPrompt(sink: ChatSink, actor: 'system' | 'user', { value, path }: Located): void {
  const parts: Part[] = []
  const isPrompt = typeof value === 'string' || (Array.isArray(value) && value.every(isRecord))
  if (!isPrompt && !isAbsent(value)) sink.reading.warn(path, 'neither a text nor blocks; not read')
  if (isPrompt) readBlocks(sink, value, path, speaking(actor, parts, actor))
  const step = parts.length === 0 ? null : sink.open('other', null)
  for (const part of parts) step?.parts.push(part)
}

/** Selects the messages to read. OpenHands logs a chat without tool calls twice: as it was sent, and with its calls as calls. */
function chatRead(reading: Reading, run: Located, name: string): Located {
  const [{ path }, raw] = [run.member(name), run.member('raw_messages')]
  if (!isChat(raw.value)) return run.member(name)
  reading.warn(path, 'the conversation as it was sent, in words; raw_messages, the same with its calls, is read')
  reading.leaveOut(path)
  return raw
}

const isAnswer = ({ type, role, content }: Json): boolean =>
  type === 'message' && role === 'assistant' && Array.isArray(content)

function responseOf(reading: Reading, run: Located): Located[] {
  const response = run.member('response')
  if (isRecord(response.value) && (isResponse(response.value) || isAnswer(response.value))) return [response]
  const choices = (isRecord(response.value) ? response : run).member('choices')
  if (!Array.isArray(choices.value)) return []
  if (choices.value.length > 1) reading.warn(choices.path, `${choices.value.length} answers; the first is read`)
  const message = choices.member(0).member('message')
  if (!isAbsent(message.value)) return [message]
  reading.warn(message.path, 'no answer')
  return []
}

const modelOf = ({ model, response }: Json): string | null => asName(model) ?? asName(asRecord(response)['model'])

const SAMPLE_NUMBERS = ['reward', 'result', 'score'] as const

/** Splits a file of chats (tau-bench's results, Harbor's traces, JSON lines) into its runs; a single run gives its own facts. */
function splitChats(root: Json): readonly FileRun[] | null {
  const runs = runsOf(root)
  if (runs === null && (chatIn(root) === undefined || 'trajectory_format' in root)) return null
  if (runs === null) return [{ name: '', document: { ...root }, about: aboutRun(root) }]
  // The reader counts the odd records beside a single run.
  if (runs.list.length > 1 && runs.list.filter(isRun).length === 1) return null
  const rows = withoutHeads(runs.list, episodeOf)
  const names = namesOf(rows.map(asRecord))
  // A row that is no run stays unchanged, so that the reader refuses it alone.
  return rows.map((row, index) => ({
    name: rows.length === 1 ? '' : (names[index] ?? String(index + 1)),
    document: isRun(row) ? { ...row } : { records: [row] },
    about: isRun(row) ? aboutRun(row) : {},
  }))
}

/** Lists what a run of Harbor's traces and its next episode share: Harbor exports an episode per answer, with all earlier messages. */
const episodeOf = (run: unknown): readonly unknown[] | null =>
  isRun(run) && asText(run['episode']) !== null
    ? [run['task'], run['run_id'], run['trial_name'], run['agent'], run['model'], ...asList(run[chatIn(run) ?? ''])]
    : null

/** Removes the rows that the next row repeats whole, by the list of each; a row without a list is kept. */
function withoutHeads(rows: readonly unknown[], listOf: (row: unknown) => readonly unknown[] | null) {
  const lists = rows.map(listOf)
  return rows.filter((_, index) => {
    const [own, next] = [lists[index], lists[index + 1]]
    return !own || !next || own.length >= next.length || !own.every((item, at) => isSame(item, next[at]))
  })
}

/** Compares two values by their JSON text; values nested too deep to be written count as different, and are then refused. */
function isSame(a: unknown, b: unknown): boolean {
  try {
    return JSON.stringify(a) === JSON.stringify(b)
  } catch {
    return false
  }
}

/** Names the runs: `task_3_trial_1`, or the trial and its episode; with a number where the names repeat. */
function namesOf(runs: readonly Json[]): string[] {
  const names = runs.map((run, index) => {
    const [task, trial] = [idText(run['task_id']), idText(run['trial'])]
    if (task !== null) return cutName(trial === null ? `task_${task}` : `task_${task}_trial_${trial}`)
    const names = [run['trial_name'], run['episode'], run['id']].map(asText).filter((part) => part !== null)
    return names.length === 0 ? String(index + 1) : cutName(names.join('_'))
  })
  return new Set(names).size === names.length ? names : names.map((name, index) => `${index + 1}_${name}`)
}

function aboutRun(run: Json): RunAbout {
  const { trial, task_id: id } = run
  return factsOf({
    task: asText(run['task']) ?? idText(id),
    ended_by: asText(run['termination_reason']) ?? asText(run['exit_status']),
    agent: asText(run['agent']),
    model: modelOf(run),
    run_index: typeof trial === 'number' && Number.isSafeInteger(trial) ? trial : null,
    instruction: asText(asRecord(asRecord(run['info'])['task'])['instruction']),
    scores: scoresOf(run),
  })
}

/** Collects the numeric scores of a run. Harbor writes its result as text: `"1.0"`. */
function scoresOf(run: Json): Record<string, number> {
  const numbers = SAMPLE_NUMBERS.flatMap((name): [string, number][] => {
    const value = run[name] ?? asRecord(run['reward_info'])[name]
    const isNumeral = typeof value === 'string' && value.length < 30 && value.trim() !== ''
    const number = typeof value === 'number' ? value : isNumeral ? Number(value) : Number.NaN
    return Number.isFinite(number) ? [[name, number]] : []
  })
  return Object.fromEntries(numbers)
}

/** The format of a call of Anthropic's Messages API: the request, with its `system`, alone or as `{"request", "response"}`. */
export const ANTHROPIC_MESSAGES: Format = {
  name: 'anthropic-messages',
  recognizes: (document) => exchangeIn(document) !== null,
  read: readExchange,
  split: splitExchanges,
}

function readExchange(reading: Reading, document: Json): ReadDocument {
  const exchange = exchangeIn(document)
  const format = 'anthropic-messages'
  if (exchange === null || exchange.response === null) return readRun(reading, new Located(document, ''), format)
  const { request, response } = exchange
  const answer = isRecord(response.value) && isAnswer(response.value) ? response.value : null
  if (answer === null && response.record['type'] === 'error')
    reading.warn(response.path, 'the call failed: there is no answer')
  else if (answer === null && !isAbsent(response.value))
    reading.odd(response.path, 'an answer of the model', response.value)
  const read = readRun(reading, request, format, answer === null ? [] : [response])
  const model = answer?.['model']
  return typeof model === 'string' && read.agent.model === null ? { ...read, agent: { ...read.agent, model } } : read
}

/** Finds a request with a `system`, else that under `request` or in its `body`, with its `response`. Null for other documents. */
function exchangeIn(document: Json) {
  const root = new Located(document, '')
  const [request, response] = [bodyOf(root.member('request')), bodyOf(root.member('response'))]
  if (isRecord(request.value) && isChat(request.value['messages'])) {
    const isAnthropic = 'system' in request.value || (isRecord(response.value) && isAnswer(response.value))
    return isAnthropic ? { request, response } : null
  }
  const { system, messages } = document
  const hasSystem = typeof system === 'string' || (Array.isArray(system) && system.every(isText))
  return hasSystem && isChat(messages) ? { request: root, response: null } : null
}

const bodyOf = (side: Located): Located => (isRecord(side.member('body').value) ? side.member('body') : side)

const isText = (block: unknown): boolean => isRecord(block) && typeof block['text'] === 'string'

/** Splits a log of exchanges, without those that the next request begins with: an agent sends the whole conversation each time. */
function splitExchanges(root: Json): readonly FileRun[] | null {
  const records = asList(root['records'])
  if (!records.some((record) => isRecord(record) && (exchangeIn(record)?.response ?? null) !== null)) return null
  const kept = withoutHeads(records, conversationOf)
  // A record that is no exchange stays unchanged, so that the reader refuses it alone.
  return kept.map((document, index) => ({
    name: kept.length === 1 ? '' : String(index + 1),
    document: isRecord(document) ? { ...document } : { records: [document] },
  }))
}

function conversationOf(record: unknown): readonly unknown[] | null {
  const exchange = isRecord(record) ? exchangeIn(record) : null
  if (exchange === null) return null
  const { system, messages } = exchange.request.record
  const response = exchange.response?.value ?? null
  const answer = isRecord(response) && isAnswer(response) ? ['assistant', response['content']] : [response]
  const turns = asList(messages).map(asRecord)
  return [system, ...turns.map(({ role, content }) => [role, content]), answer]
}
