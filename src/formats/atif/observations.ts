import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import { openEnvelope, readAtifContent, readPreview, textOf } from '../common/content.ts'
import { memberName } from '../common/json-tree.ts'
import { type ContentSink, isAbsent, isRecord, type Json, objectsIn, type Reading } from '../common/reading.ts'
import { isScaffold, isTerminus } from '../protocols/terminus.ts'
import { harnessOf } from '../tools/harnesses.ts'
import { exitCodeInText, hasEnded, outcomeOfAgent, outcomeWithCode } from '../tools/outcomes.ts'
import type { OpenCall } from '../tools/tool-table.ts'

/** A call of a step, with the facts by which its result is matched. */
export interface StepCall {
  readonly id: string | null
  readonly call: OpenCall
  /** The converter's note beside the call. */
  readonly extra: unknown
}

/** The calls of one step, for its message and its results. */
export interface Calls {
  readonly parts: readonly Part[]
  readonly list: readonly StepCall[]
  readonly count: number
}

/** The reference of a result to another trajectory. */
export interface SubagentRef {
  readonly path: string
  readonly trajectory: string | null
  readonly file: string | null
}

export interface Observation {
  readonly parts: readonly Part[]
  readonly refs: readonly SubagentRef[]
}

/** The step of an observation: its calls, the open calls of the run, the agent, and `step.extra`. */
interface Answered {
  readonly calls: Calls
  readonly answers: CallAnswers
  readonly agent: string
  readonly extra: unknown
}

/** Reads the tool results of one step. */
export function readObservation(reading: Reading, observation: unknown, path: string, step: Answered): Observation {
  const { calls, answers, agent } = step
  const parts: Part[] = []
  const refs: SubagentRef[] = []
  const preview = resultSink(reading, parts, 'observation', false)
  if (readPreview(reading, observation, path, preview) || isAbsent(observation)) {
    answers.match([], calls.list)
    return { parts, refs }
  }
  const results = resultsOf(reading, observation, path)
  const called = answers.match(results, calls.list)
  for (const [result, at, index] of objectsIn(reading, results, `${path}/results`)) {
    refs.push(...readRefs(reading, result['subagent_trajectory_ref'], `${at}/subagent_trajectory_ref`))
    const answered = called[index] ?? []
    const name = toolName(reading, result, at, calls, answered)
    const own = resultSink(reading, parts, name, isTerminus(agent))
    readAtifContent(reading, result['content'], `${at}/content`, own)
    const extra = calls.count === 1 ? step.extra : null
    for (const call of answered) call.call.outcome = outcomeOf(result, call, extra, agent, own.exitCode)
  }
  return { parts, refs }
}

/**
 * Matches the results of an ATIF trajectory to its calls. An id may name several calls, in one step or over many steps: a result is then
 * assigned only where it can belong to no other call, so that no call gets another call's outcome or name.
 */
export class CallAnswers {
  /** Calls of earlier steps without a result, by id. */
  readonly #open = new Map<string, StepCall[]>()

  /** Returns the answered calls of each result of a step: none, one, or all calls of a step with one shared result. */
  match(results: readonly unknown[], calls: readonly StepCall[]): readonly (readonly StepCall[])[] {
    if (calls.length === 0 && results.length === 0) return []
    const id = calls.length === 1 && results.length === 1 ? calls[0]?.id : null
    if (typeof id === 'string' && isRecord(results[0]) && results[0]['source_call_id'] === id) return [calls]
    const own = Map.groupBy(
      calls.filter((call) => call.id !== null),
      (call) => call.id ?? '',
    )
    const counts = new Map<string, number>()
    const ids = results.map((result) => (isRecord(result) ? result['source_call_id'] : null))
    for (const id of ids) if (typeof id === 'string') counts.set(id, (counts.get(id) ?? 0) + 1)
    const used = new Map<string, number>()
    const matched = ids.map((id): readonly StepCall[] => {
      // ATIF: a result that names no call belongs to the whole step.
      if (typeof id !== 'string') return isAbsent(id) && (results.length === 1 || calls.length === 1) ? calls : []
      const named = own.get(id)
      if (named === undefined) return this.#takeEarlier(id, counts.get(id) ?? 0)
      const next = used.get(id) ?? 0
      used.set(id, next + 1)
      const call = named[next]
      return call !== undefined && named.length === counts.get(id) ? [call] : []
    })
    const answered = new Set(matched.flat())
    for (const [id, named] of own) {
      const left = named.filter((call) => !answered.has(call))
      const open = this.#open.get(id)
      if (open !== undefined) open.push(...left)
      else if (left.length > 0) this.#open.set(id, left)
    }
    return matched
  }

  #takeEarlier(id: string, results: number): readonly StepCall[] {
    const earlier = this.#open.get(id)
    if (earlier === undefined || earlier.length !== 1 || results !== 1) return []
    this.#open.delete(id)
    return earlier
  }
}

function resultsOf(reading: Reading, observation: unknown, path: string): readonly unknown[] {
  if (!isRecord(observation)) {
    reading.odd(path, 'an object', observation)
    return []
  }
  const results = observation['results']
  if (Array.isArray(results)) return results
  if (!isAbsent(results)) reading.odd(`${path}/results`, 'an array', results)
  return []
}

/** Names the tool that a result answers, or `observation` where several tools are possible. */
function toolName(reading: Reading, result: Json, path: string, calls: Calls, answered: readonly StepCall[]): string {
  const id = result['source_call_id']
  const only = answered[0]?.call.tool
  const inStep = answered.some((call) => calls.list.includes(call))
  // A corpus that cut the calls of a step also cut their ids.
  const hasIds = () => calls.list.some((call) => call.id !== null) || calls.count === 0
  if (!isAbsent(id) && !inStep && hasIds() && !calls.list.some((call) => call.id === id))
    reading.warn(`${path}/source_call_id`, 'names no tool call of this step')
  return only !== undefined && inStep && answered.every(({ call }) => call.tool === only) ? only : 'observation'
}

interface ResultSink extends ContentSink {
  /** Exit code of the command, from the envelope of the result. */
  exitCode: number | null
}

const resultSink = (reading: Reading, parts: Part[], name: string, isOfTerminus: boolean): ResultSink => ({
  exitCode: null,
  text(text, path) {
    const scaffold = isOfTerminus && isScaffold(text)
    const leaves = scaffold ? null : openEnvelope(text)
    if (leaves === null) reading.add(parts, { actor: scaffold ? 'system' : 'tool_output', text, path, name })
    for (const leaf of leaves ?? []) {
      const full = memberName(name, leaf.name)
      if (EXIT_CODES.has(leaf.name) && /^-?\d{1,10}$/.test(leaf.text)) this.exitCode = Number(leaf.text)
      reading.add(parts, { actor: 'tool_output', text: leaf.text, path: `${path}#${leaf.pointer}`, name: full })
    }
  },
  media: (text, path, _kind, source) => reading.addMedia(parts, { actor: 'tool_output', text, path, name }, source),
})

const EXIT_CODES: ReadonlySet<string> = new Set(['returncode', 'return_code', 'exit_code'])

/** Outcomes by the status words that converters to ATIF write. */
const STATUSES: Readonly<Record<string, ActOutcome>> = {
  ...{ success: 'ran', completed: 'answered', ok: 'ran', done: 'answered' },
  ...{ error: 'failed', failed: 'failed', failure: 'failed' },
  ...{ rejected: 'rejected', denied: 'rejected', declined: 'rejected', blocked: 'rejected' },
  ...{ cancelled: 'cancelled', canceled: 'cancelled', interrupted: 'interrupted', aborted: 'interrupted' },
  ...{ pending: 'cancelled', awaiting_approval: 'cancelled', running: 'interrupted', timeout: 'interrupted' },
}
/** The suffix that Harbor's converter of Claude Code appends to the text of a failed result. */
const FAILURE = '[error] tool reported failure'

/** Derives the outcome of an answered call: from the fields of the file, then from the harness's words. `step`: `extra` of a step with one call. */
function outcomeOf(result: Json, call: StepCall, step: unknown, agent: string, exitCode: number | null): ActOutcome {
  let status: ActOutcome | undefined
  let noted: boolean | undefined
  for (const note of [result['extra'], call.extra, step]) {
    if (!isRecord(note)) continue
    status ??= statusOf(note)
    noted ??= flagOf(note)
  }
  if (status !== undefined && status !== 'failed') return outcomeWithCode(status, exitCode)
  const text = textOf(result['content'])
  const flag = status === 'failed' ? true : noted
  const harness = harnessOf(agent)
  // A failed program also sets the flag; only these two harnesses begin such a result with words of their own.
  const isSure = flag === false || harness === 'claude-code' || harness === 'gemini-cli'
  // An MCP server writes its own text, so the server could claim a rejection.
  const isServers = call.call.tool.startsWith('mcp__') && harness !== null
  const flagged = isSure ? (flag ?? null) : null
  const inWords = isServers ? outcomeOfFlag(flag) : outcomeOfAgent(agent, call.call.tool, text, flagged)
  const outcome = hasEnded(inWords) && flag === true ? 'failed' : inWords
  // A program can print the suffix, too: the suffix proves a failure, never that the call did not run.
  const isMarked = hasEnded(outcome) && flag === undefined && harness === 'claude-code' && text.endsWith(FAILURE)
  return flag === false
    ? outcomeWithCode(outcome, exitCode)
    : outcomeWithCode(isMarked ? 'failed' : outcome, exitCode ?? exitCodeInText(harness, text))
}

const outcomeOfFlag = (flag: boolean | undefined): ActOutcome => (flag === false ? 'ran' : 'answered')

function statusOf(note: Json): ActOutcome | undefined {
  const { status } = note
  const word = typeof status === 'string' ? status.toLowerCase() : ''
  return Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined
}

function flagOf(note: Json): boolean | undefined {
  const { metadata } = note
  const flags = [note['tool_result_is_error'], note['is_error'], isRecord(metadata) ? metadata['is_error'] : undefined]
  return flags.find((flag) => typeof flag === 'boolean')
}

function readRefs(reading: Reading, refs: unknown, path: string): SubagentRef[] {
  return [...objectsIn(reading, refs, path)].map(([{ trajectory_id: id, trajectory_path: file }, at]) => ({
    ...{ path: at, trajectory: typeof id === 'string' ? id : null, file: typeof file === 'string' ? file : null },
  }))
}
