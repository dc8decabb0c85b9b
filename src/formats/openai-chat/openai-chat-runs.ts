import { cutName, isRecord, type Json } from '../common/reading.ts'
import { asRecord, asText } from '../common/session.ts'
import { type FileRun, type Format, factsOf, type RunAbout } from '../format.ts'
import { chatOf, isRun, modelOf, readOpenAiChat, runsOf } from './openai-chat.ts'

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
