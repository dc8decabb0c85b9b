import { isRecord, type Json } from '../../formats/common/reading.ts'
import type { TrialMetadata } from '../../schemas/trial.ts'
import { findFile, type Place, readJson } from '../unpack/place.ts'

/** A harness's facts of one trial, in a form common to all harnesses. */
export interface TrialFacts {
  readonly harness: 'harbor' | 'terminal-bench' | null
  /** Exact names by which a row of ground truth may refer to the task, the fullest first. */
  readonly tasks: readonly string[]
  readonly trials: readonly string[]
  readonly agent: string | null
  readonly model: string | null
  /** The start as the harness writes it, by which the trials of a task are ordered. */
  readonly startedAt: string | null
  readonly runIndex: number | null
  readonly instruction: string | null
  readonly rewards: Readonly<Record<string, number | boolean>>
  /** The reason why no reward of the trial is used; null: its rewards agree. */
  readonly conflict: string | null
  /** Further facts for metadata: `job`, `dataset`, `exception`, `reward`, … */
  readonly more: Readonly<Record<string, string | number | boolean>>
}

export const NO_FACTS: TrialFacts = {
  harness: null,
  tasks: [],
  trials: [],
  agent: null,
  model: null,
  startedAt: null,
  runIndex: null,
  instruction: null,
  rewards: {},
  conflict: null,
  more: {},
}

const MAX_NAME = 300

export const cutText = (text: string): string => text.slice(0, MAX_NAME).toWellFormed()

/** Builds the metadata of a trial: the harness's facts, else those of the run's own file; `set`, from the caller, takes precedence. */
export function metadataOf(
  facts: TrialFacts,
  about: { readonly [Name in keyof TrialMetadata]: TrialMetadata[Name] | undefined },
  set: { readonly variant?: string; readonly metadata?: TrialMetadata },
): TrialMetadata {
  const named = {
    agent: facts.agent ?? about.agent,
    model: facts.model ?? about.model,
    task: facts.tasks[0] ?? about.task,
    trial: facts.trials[0] ?? about.trial,
  }
  const names = Object.entries(named).flatMap(([field, name]) =>
    name === undefined || name === '' ? [] : [[field, cutText(name)] as const],
  )
  const runIndex = facts.runIndex ?? about.run_index
  const variant = set.variant ?? about.variant
  return {
    ...facts.more,
    ...Object.fromEntries(names),
    ...(runIndex !== undefined && { run_index: runIndex }),
    ...(variant !== undefined && { variant }),
    ...set.metadata,
  }
}

export const textAt = (value: unknown, ...keys: readonly string[]): string | null => {
  const member = valueIn(value, keys)
  return typeof member === 'string' && member !== '' ? member : null
}

export const recordAt = (value: unknown, ...keys: readonly string[]): Json | null => {
  const member = valueIn(value, keys)
  return isRecord(member) ? member : null
}

const valueIn = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce((record, key) => (isRecord(record) && Object.hasOwn(record, key) ? record[key] : undefined), value)

/** Returns the members that are numbers or booleans, by name. */
export function rewardsIn(record: unknown): Record<string, number | boolean> {
  if (!isRecord(record)) return {}
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) =>
      typeof value === 'boolean' || Number.isFinite(value) ? [[key, value as number | boolean] as const] : [],
    ),
  )
}

const MAX_RESULT_BYTES = 16 * 1024 * 1024

/** Reads the facts of a Terminal-Bench 1 trial (`<run>/<task>/<trial>/results.json`), else null. A test is a reward `tests.<name>`; resolved is 1. */
export async function terminalBenchFacts(folder: Place, run: RunFacts | null): Promise<TrialFacts | null> {
  const result = await readJson(await findFile(folder, 'results.json'), MAX_RESULT_BYTES)
  if (!isRecord(result) || typeof result['task_id'] !== 'string' || !('is_resolved' in result)) return null
  const task = result['task_id']
  const trial = textAt(result, 'trial_name')
  const tests = isRecord(result['parser_results']) ? Object.entries(result['parser_results']) : []
  const resolved = result['is_resolved']
  const failure = textAt(result, 'failure_mode')
  return {
    ...NO_FACTS,
    harness: 'terminal-bench',
    tasks: [task],
    trials: trial === null ? [] : [trial],
    agent: textAt(result, 'agent_name') ?? run?.agent ?? null,
    model: textAt(result, 'model_name') ?? run?.model ?? null,
    startedAt: textAt(result, 'trial_started_at'),
    runIndex: attemptOf(trial),
    instruction: textAt(result, 'instruction'),
    rewards: {
      ...rewardsIn(result),
      ...Object.fromEntries(tests.map(([name, outcome]) => [`tests.${name}`, outcome === 'passed' ? 1 : 0])),
      ...(typeof resolved === 'boolean' && { reward: resolved ? 1 : 0 }),
    },
    more: failure === null || failure === 'none' || failure === 'unset' ? {} : { exception: cutText(failure) },
  }
}

/** Facts of a run's folder that hold for all trials below it. */
export interface RunFacts {
  readonly agent: string | null
  readonly model: string | null
}

export async function runFactsIn(folder: Place): Promise<RunFacts | null> {
  const metadata = await readJson(await findFile(folder, 'run_metadata.json'), MAX_RESULT_BYTES)
  return isRecord(metadata) ? { agent: textAt(metadata, 'agent_name'), model: textAt(metadata, 'model_name') } : null
}

/** Returns the index of an attempt from `<task>.<k>-of-<n>.<run>`, numbered from 1: no other harness numbers its attempts. */
function attemptOf(trial: string | null): number | null {
  const part = trial?.split('.').find((piece) => piece.includes('-of-'))
  const [number] = part?.split('-of-') ?? []
  const attempt = number === undefined || number.length > 6 ? Number.NaN : Number(number)
  return Number.isInteger(attempt) && attempt > 0 ? attempt - 1 : null
}
