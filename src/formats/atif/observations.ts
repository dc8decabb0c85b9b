import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import { type ContentSink, openEnvelope, previewOf, readContent, readPreview, textOf } from '../common/content.ts'
import { memberName } from '../common/json-tree.ts'
import { isAbsent, isRecord, type Json, objectsIn, pointer, type Reading, typeName } from '../common/reading.ts'
import { isScaffold, isTerminus } from '../protocols/terminus.ts'
import { harnessOf } from '../tools/lookup.ts'
import { exitCodeInText, outcomeOfAgent, outcomeWithCode } from '../tools/outcomes.ts'
import type { CallAnswers, Calls, StepCall } from './calls.ts'

const OBSERVATION_FIELDS = new Set(['results', 'extra'])
const RESULT_FIELDS = new Set(['source_call_id', 'content', 'subagent_trajectory_ref', 'extra'])
const REF_FIELDS = new Set(['trajectory_id', 'trajectory_path', 'session_id', 'extra'])

/** The reference of a result to another trajectory. */
export interface SubagentRef {
  readonly path: string
  readonly trajectory: string | null
  readonly file: string | null
}

export interface Observation {
  readonly parts: readonly Part[]
  readonly refs: readonly SubagentRef[]
  /** Count of results that name no call in a step of several calls. Terminus is not counted: its calls share one screen. */
  readonly unlinked: number
  readonly linked: number
}

/** The facts of the step that holds the observation: its calls, and the answers that its agent and converter note for them. */
interface Answered {
  readonly calls: Calls
  readonly answers: CallAnswers
  readonly agent: string
  /** `step.extra`. */
  readonly extra: unknown
}

/** Reads the tool results of one step. */
export function readObservation(
  reading: Reading,
  observation: unknown,
  path: string,
  { calls, answers, agent, extra }: Answered,
): Observation {
  const parts: Part[] = []
  const refs: SubagentRef[] = []
  let [unlinked, linked] = [0, 0]
  const isCut = previewOf(observation) !== null
  if (isCut) readPreview(reading, observation, path, resultSink(reading, parts, 'observation', false))
  if (isCut || isAbsent(observation)) {
    answers.match([], calls.list)
    return { parts, refs, unlinked, linked }
  }
  const results = resultsOf(reading, observation, path)
  const called = answers.match(results, calls.list)
  for (const [result, at, index] of objectsIn(reading, results, `${path}/results`, 'a result')) {
    reading.warnUnknown(result, at, RESULT_FIELDS)
    refs.push(...readRefs(reading, result['subagent_trajectory_ref'], `${at}/subagent_trajectory_ref`))
    const answered = called[index] ?? []
    const name = toolName(reading, result, at, { calls, answered })
    if (!isAbsent(result['source_call_id'])) linked++
    else if (calls.count > 1 && !isTerminus(agent)) unlinked++
    const own = resultSink(reading, parts, name, isTerminus(agent))
    readContent(reading, result['content'], `${at}/content`, own)
    const step = calls.count === 1 ? extra : null
    for (const call of answered) call.call.outcome = outcomeOf(result, call, step, agent, own.exitCode)
  }
  return { parts, refs, unlinked, linked }
}

function resultsOf(reading: Reading, observation: unknown, path: string): readonly unknown[] {
  if (!isRecord(observation)) {
    reading.error(path, `must be an object, not ${typeName(observation)}`)
    return []
  }
  reading.warnUnknown(observation, path, OBSERVATION_FIELDS)
  const results = observation['results']
  if (Array.isArray(results)) return results
  if (isAbsent(results)) reading.warn(`${path}/results`, 'an observation must have results')
  else reading.error(`${path}/results`, `must be an array, not ${typeName(results)}`)
  return []
}

/** Names the tool that a result answers, or `observation` where several tools are possible. */
function toolName(
  reading: Reading,
  result: Json,
  path: string,
  { calls, answered }: { readonly calls: Calls; readonly answered: readonly StepCall[] },
): string {
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
      if (EXIT_CODES.has(leaf.name) && leaf.text.length < 12) this.exitCode = Number(leaf.text)
      reading.add(parts, { actor: 'tool_output', text: leaf.text, path: `${path}#${leaf.pointer}`, name: full })
    }
  },
  media: (text, path, _kind, source) => reading.addMedia(parts, { actor: 'tool_output', text, path, name }, source),
})

const EXIT_CODES: ReadonlySet<string> = new Set(['returncode', 'return_code', 'exit_code'])

/** Outcomes by the status words that converters to ATIF write. */
const STATUSES: Readonly<Record<string, ActOutcome>> = {
  ...{ success: 'ran', completed: 'ran', ok: 'ran', done: 'ran' },
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
  if (status !== undefined && status !== 'failed') return status
  const text = textOf(result['content'])
  const flag = status === 'failed' ? true : noted
  const harness = harnessOf(agent)
  // A failed program also sets the flag; only these two harnesses begin such a result with words of their own.
  const isSure = flag === false || harness === 'claude-code' || harness === 'gemini-cli'
  // An MCP server writes its own text, so the server could claim a rejection.
  const isServers = call.call.tool.startsWith('mcp__') && harness !== null
  const inWords = isServers ? 'ran' : outcomeOfAgent(agent, call.call.tool, text, isSure ? (flag ?? null) : null)
  const outcome = inWords === 'ran' && flag === true ? 'failed' : inWords
  // A program can print the suffix, too: the suffix proves a failure, never that the call did not run.
  const isMarked = outcome === 'ran' && flag === undefined && harness === 'claude-code' && text.endsWith(FAILURE)
  return flag === false
    ? outcome
    : outcomeWithCode(isMarked ? 'failed' : outcome, exitCode ?? exitCodeInText(harness, text))
}

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
  if (isAbsent(refs)) return []
  if (!Array.isArray(refs)) {
    reading.unread(path, `must be an array, not ${typeName(refs)}; not read`, true)
    return []
  }
  return refs.flatMap((ref, index) => {
    const at = pointer(path, index)
    if (!isRecord(ref)) {
      reading.unread(at, `must be an object, not ${typeName(ref)}; not read`, true)
      return []
    }
    reading.warnUnknown(ref, at, REF_FIELDS)
    const { trajectory_id: id, trajectory_path: file } = ref
    return [{ path: at, trajectory: typeof id === 'string' ? id : null, file: typeof file === 'string' ? file : null }]
  })
}
