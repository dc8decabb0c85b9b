/** What became of a call before it could run. Each harness says it in its own words. */
export const FATES = [
  'rejected',
  'denied',
  'ungranted',
  'hook',
  'interrupted',
  'invalid',
  'sibling',
  'blocked',
  'patch',
] as const
export type Fate = (typeof FATES)[number]

/** One turn of an agent, before a harness writes it down: words, at most one call, and what came back. */
export interface Turn {
  readonly think?: string
  readonly say?: string
  /** A command for the harness’s shell. */
  readonly shell?: string
  /** A call of another tool, by the harness’s own name. */
  readonly tool?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  readonly output?: string
  /** The code that a command ended with; by default 0. */
  readonly code?: number
  /** Members of the harness’s own answer, which replace those that the writer makes; null leaves the call unanswered. */
  readonly answer?: Readonly<Record<string, unknown>> | null
  /** Absent: the call ran. */
  readonly fate?: Fate
  /** Seconds since the beginning; by default 20 for each turn before it. */
  readonly at?: number
}

/** Writes runs as one harness does. */
export interface Harness {
  readonly id: string
  /** The fates that its logs can tell. */
  readonly fates: readonly Fate[]
  document(task: string, turns: readonly Turn[]): Record<string, unknown>
}

const START = Date.UTC(2026, 2, 4, 10)

/** The time of a turn as logs write it. */
export const timeOf = (turn: Turn, index: number, more = 0): string =>
  new Date(START + ((turn.at ?? (index + 1) * 20) + more) * 1000).toISOString()

/** An identifier like those of sessions and records; the same ones in every run of the suite. */
export const uuid = (number: number): string => `4f1c22d0-7b1e-4c53-9a60-${number.toString(16).padStart(12, '0')}`
