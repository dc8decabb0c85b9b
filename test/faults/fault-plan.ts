/** Where a process can be hit: a statement that writes, a commit, a file that is written, an exchange with a provider. */
export interface Point {
  /** From 1, in the order in which the process came by. */
  readonly n: number
  readonly kind: 'begin' | 'statement' | 'commit' | 'file' | 'http'
  readonly phase: 'before' | 'after'
  /** The first words of the statement, the call of the file system, the step of the exchange. */
  readonly what: string
}

/** `kill`: SIGKILL. The others are thrown once, as SQLite or the file system would. `none` counts and does nothing. */
export const ACTS = ['none', 'kill', 'full', 'ioerr', 'busy'] as const
export type Act = (typeof ACTS)[number]

/** What `inject.ts` finds in the environment of the process that it is loaded into. */
export interface FaultPlan {
  /** A file that gets one line for each point that is met: what has happened is known also of a process that is gone. */
  readonly log: string
  /** From when on points count: from the start, or once the service listens. */
  readonly from: 'start' | 'listening'
  readonly act: Act
  /** The point that is hit. */
  readonly at: number
}

/** The variable of the environment with the plan as JSON; `inject.ts` removes it, so that no child is hit too. */
export const PLAN_VARIABLE = 'FAULT_PLAN'

/** Whether an act can be played at a point: an error comes instead of the work, so only before it. */
export function isOpenTo(act: Act, { kind, phase }: Point): boolean {
  if (act === 'kill' || act === 'none') return true
  if (phase === 'after' || kind === 'http') return false
  if (act === 'busy') return kind === 'begin'
  return kind !== 'begin'
}
