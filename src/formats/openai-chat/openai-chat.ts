import { wordsOf } from '../common/content.ts'
import { cutName, isAbsent, isRecord, itemsIn, type Json, type Reading } from '../common/reading.ts'
import { asName, asRecord, asText } from '../common/session.ts'
import { type FileRun, type Format, factsOf, type ListIn, listIn, type ReadDocument, type RunAbout } from '../format.ts'
import { Located, type Tree } from '../traces/located.ts'
import { readLocatedChat, withMembers } from './chat-steps.ts'
import { isResponse } from './openai-chat-message.ts'

/**
 * The format of a provider's chat: `{"messages": [{"role", "content", "tool_calls"}]}`, a bare array of such messages, a log of one
 * provider call (litellm: `messages` and `response`), one run of tau-bench (`traj`) or of Harbor's traces (`conversations`).
 */
export const OPENAI_CHAT: Format = {
  name: 'openai-chat',
  recognizes: (document) => chatOf(document) !== null || runsOf(document) !== null,
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

/** Recognizes a record of Kimi CLI about its own state. */
const isBookkeeping = (item: unknown): boolean =>
  isRecord(item) && (item['role'] === '_checkpoint' || item['role'] === '_usage')

const isMessage = (item: Json): boolean =>
  typeof item['role'] === 'string' &&
  ['content', 'tool_calls', 'function_call', 'tool_call_id', 'refusal'].some((field) => field in item)

/** Recognizes a scored row of verifiers (PrimeIntellect-ai/verifiers, `results.jsonl`): the completion's messages follow the prompt's. */
const isRollout = ({ prompt, completion }: Json): boolean => isChat(prompt) && Array.isArray(completion)

const chatOf = (run: Json): ListIn | null =>
  listIn(run, [...MESSAGE_LISTS, 'records'], isChat) ?? (isRollout(run) ? listIn(run, ['prompt'], isChat) : null)

const isRun = (run: unknown): run is Json =>
  isRecord(run) && (isRollout(run) || MESSAGE_LISTS.some((field) => isChat(run[field])))

/** Members that hold several runs: any list, tau2-bench's results, the transcripts of Docent's AgentRun. */
const RUN_LISTS = ['records', 'simulations', 'transcripts'] as const

/** Returns the list of a document of runs, each of which must be sent by itself; null where fewer than half of the items are runs. */
const runsOf = (document: Json): ListIn | null =>
  listIn(document, RUN_LISTS, (list) => list.length > 0 && list.filter(isRun).length * 2 >= list.length)

function readOpenAiChat(reading: Reading, document: Json): ReadDocument {
  const { list, path } = runsOf(document) ?? { list: [], path: '' }
  const items = [...itemsIn(list, path)]
  const [run, at] = items.find(([item]) => isRun(item)) ?? [document, '']
  for (const [item, place] of items) if (!isRun(item)) reading.odd(place, 'a run with messages', item)
  return readRun(reading, new Located(run, at), 'openai-chat')
}

/** Reads one run: the prompts beside its messages, the messages, and the model's answer. `answers`: those that the run itself does not hold. */
export function readRun(
  reading: Reading,
  run: Located,
  format: string,
  answers: readonly Located[] = [],
): ReadDocument {
  const record = asRecord(run.value)
  const agent = {
    name: asName(record['agent']),
    model: modelOf(record) ?? asName(asRecord(answers[0]?.value)['model']),
  }
  const chat = chatOf(record)
  if (chat === null) reading.refuse(run.path, 'holds no messages')
  const isTeam = chat?.path === '/history' && ('mistake_agent' in record || 'question' in record)
  const list = listRead(reading, run, (chat?.path ?? '/messages').slice(1))
  const completion = chat?.path === '/prompt' ? run.member('completion').items() : []
  const listed = [...list.items(), ...completion].filter(({ value }) => !isBookkeeping(value))
  const prompts = [run.member(isAbsent(record['system']) ? 'policy' : 'system')]
  const trees: Tree[] = [
    ...prompts.filter(isPrompt).map((content) => ({ role: 'system', content })),
    ...(isTeam ? [...promptsOfTeam(run, listed), ...listed.map(messageOfTeam)] : listed),
    ...answersOf(reading, run),
    ...answers,
  ]
  return readLocatedChat(reading, list.path, agent, format, () => trees.map((tree) => ({ tree })), true)
}

const isPrompt = ({ value }: Located): boolean => wordsOf(value) !== ''

/** Returns the prompts of a team's agents, and the question where no message of the person holds it. */
function promptsOfTeam(run: Located, messages: readonly Located[]): readonly Tree[] {
  const prompts = run.member('system_prompt')
  const byAgent = Object.keys(asRecord(prompts.value)).map((agent) => prompts.member(agent))
  const asks = messages.some(({ value }) => asRecord(value)['role'] === 'human')
  const question = asks ? [] : [run.member('question')]
  return [
    ...byAgent.filter(isPrompt).map((content) => ({ role: 'system', content })),
    ...question.filter(isPrompt).map((content) => ({ role: 'user', content })),
  ]
}

/** Names the role of a message in a team (AutoGen, Who&When) by its speaker: `user` is anybody who speaks to the next agent. */
function messageOfTeam(message: Located): Tree {
  if (!isRecord(message.value)) return message
  const { name = message.value['role'] } = message.value
  const isTerminal = /^computer_?terminal$/iu.test(asText(name) ?? '')
  const role = isTerminal ? 'tool' : message.member('name' in message.value ? 'name' : 'role')
  return withMembers(message, { role, name: undefined })
}

/** Selects the messages to read. OpenHands logs a chat without tool calls twice: as it was sent, and with its calls as calls. */
function listRead(reading: Reading, run: Located, name: string): Located {
  const [list, raw] = [run.member(name), run.member('raw_messages')]
  if (!isChat(raw.value)) return list
  reading.warn(list.path, 'the conversation as it was sent, in words; raw_messages, the same with its calls, is read')
  reading.leaveOut(list.path)
  return raw
}

/** Recognizes an answer of Anthropic's: the message itself. */
export const isAnswer = (answer: unknown): answer is Json =>
  isRecord(answer) && answer['type'] === 'message' && answer['role'] === 'assistant' && Array.isArray(answer['content'])

/** Returns the answer in a log of a provider call: its first choice. */
function answersOf(reading: Reading, run: Located): readonly Located[] {
  const response = run.member('response')
  if (isRecord(response.value) && (isResponse(response.value) || isAnswer(response.value))) return [response]
  const choices = (isRecord(response.value) ? response : run).member('choices')
  const [first, ...others] = choices.items()
  if (first === undefined) return []
  if (others.length > 0) reading.warn(choices.path, `${others.length + 1} answers; the first is read`)
  const message = first.member('message')
  if (isAbsent(message.value)) reading.warn(message.path, 'no answer')
  return isAbsent(message.value) ? [] : [message]
}

const modelOf = ({ model, response }: Json): string | null => asName(model) ?? asName(asRecord(response)['model'])

const SAMPLE_NUMBERS = ['reward', 'result', 'score'] as const

/**
 * Splits files of chats into one document per run: a list of runs (tau-bench's results, Harbor's exported traces, JSON lines of
 * conversations). A single run gives its own facts. The document is the run as it stands in the file.
 */
function splitChats(root: Json): readonly FileRun[] | null {
  const runs = runsOf(root)
  if (runs === null && (chatOf(root) === null || 'trajectory_format' in root)) return null
  if (runs === null) return [{ name: '', document: { ...root }, about: aboutRun(root) }]
  // The reader counts the odd records beside a single run.
  if (runs.list.length > 1 && runs.list.filter(isRun).length === 1) return null
  const rows = withoutHeads(runs.list)
  const names = namesOf(rows.map(asRecord))
  // A row that is no run stays unchanged, so that the reader refuses it alone.
  return rows.map((row, index) => ({
    name: rows.length === 1 ? '' : (names[index] ?? String(index + 1)),
    document: isRun(row) ? { ...row } : { records: [row] },
    about: isRun(row) ? aboutRun(row) : {},
  }))
}

/** Removes the episodes that the next one repeats: Harbor exports one episode per answer, with all earlier messages. */
function withoutHeads(rows: readonly unknown[]): unknown[] {
  return rows.filter((run, index) => {
    const next = rows[index + 1]
    if (!isRun(run) || !isRun(next) || asText(run['episode']) === null) return true
    const isSame = (['task', 'run_id', 'trial_name', 'agent', 'model'] as const).every(
      (field) => run[field] === next[field],
    )
    return !isSame || !isHead(chatOf(run)?.list ?? [], chatOf(next)?.list ?? [])
  })
}

const isHead = (head: readonly unknown[], list: readonly unknown[]): boolean =>
  head.length <= list.length && head.every((item, index) => isSameMessage(item, list[index]))

/** Compares two plain messages of texts; other messages count as different, so that nothing is left out by mistake. */
function isSameMessage(a: unknown, b: unknown): boolean {
  if (!isRecord(a) || !isRecord(b)) return false
  const keys = Object.keys(a)
  const isPlain = keys.every((key) => a[key] === null || typeof a[key] !== 'object')
  return (
    isPlain && keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  )
}

/** Names the runs: `task_3_trial_1`, or the trial and its episode; with a number where the names repeat. */
function namesOf(runs: readonly Json[]): string[] {
  const names = runs.map((run, index) => {
    const { task_id: task, trial } = run
    if (isName(task)) return cutName(isName(trial) ? `task_${task}_trial_${trial}` : `task_${task}`)
    const names = [run['trial_name'], run['episode'], run['id']].map(asText).filter((part) => part !== null)
    return names.length === 0 ? String(index + 1) : cutName(names.join('_'))
  })
  return new Set(names).size === names.length ? names : names.map((name, index) => `${index + 1}_${name}`)
}

const isName = (value: unknown): value is string | number =>
  (typeof value === 'string' && value !== '') || typeof value === 'number'

function aboutRun(run: Json): RunAbout {
  const { trial, task_id: id } = run
  return factsOf({
    task: asText(run['task']) ?? (isName(id) ? String(id) : null),
    ended_by:
      ['termination_reason', 'exit_status', 'stop_condition'].map((name) => asText(run[name])).find(Boolean) ?? null,
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
