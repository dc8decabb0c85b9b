/** Fate of a call that did not run. Each harness has its own message for each fate. */
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

/** Turn of an agent, before a harness writes it: a message, at most one call, and the result. */
export interface Turn {
  readonly think?: string
  readonly say?: string
  /** Command for the shell of the harness. */
  readonly shell?: string
  /** Call of another tool, by its name in the harness. */
  readonly tool?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  readonly output?: string
  /** Exit code of the command; by default 0. */
  readonly code?: number
  /** Fields of the answer in the format of the harness, which replace the fields of the writer; null leaves the call without an answer. */
  readonly answer?: Readonly<Record<string, unknown>> | null
  /** Fate of the call; absent where the call ran. */
  readonly fate?: Fate
  /** Time since the beginning, in seconds; by default 20 for each turn before this turn. */
  readonly at?: number
}

/** Writer of runs in the log format of one harness. */
export interface Harness {
  readonly id: string
  /** Fates that the logs of the harness can show. */
  readonly fates: readonly Fate[]
  document(task: string, turns: readonly Turn[]): Record<string, unknown>
}

const START = Date.UTC(2026, 2, 4, 10)

/** Formats the time of a turn as logs do, in ISO 8601. */
export const timeOf = (turn: Turn, index: number, more = 0): string =>
  new Date(START + ((turn.at ?? (index + 1) * 20) + more) * 1000).toISOString()

/** Makes an identifier like those of sessions and records, equal in every run of the suite. */
export const uuid = (number: number): string => `4f1c22d0-7b1e-4c53-9a60-${number.toString(16).padStart(12, '0')}`
