import { isRecord, type Json } from '../../formats/common/reading.ts'
import type { TrialMetadata } from '../../schemas/grade-request.ts'

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

function valueIn(value: unknown, keys: readonly string[]): unknown {
  let current = value
  for (const key of keys) current = isRecord(current) && Object.hasOwn(current, key) ? current[key] : undefined
  return current
}

/** Returns the members that are numbers or booleans, by name. */
export function rewardsIn(record: unknown): Record<string, number | boolean> {
  if (!isRecord(record)) return {}
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) =>
      typeof value === 'boolean' || Number.isFinite(value) ? [[key, value as number | boolean] as const] : [],
    ),
  )
}
