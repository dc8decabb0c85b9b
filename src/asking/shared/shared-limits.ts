import type { Failure } from '../../schemas/grade.ts'
import type { LaneSettings } from '../lane/limit.ts'

/**
 * What all processes of one database share of a judge: how many calls at once, the pauses that its provider asked for, whether it is
 * out, and who may try it. A process looks about once a second while it has calls, and hears how many of them it may have in
 * flight until its next look.
 */
export interface SharedLimits {
  /** Rejects with a StorageError where the database is away: then what was heard last holds until it runs out. */
  look(judge: string, look: Look): Promise<View>
  /** What this process holds is anybody’s; it must begin nothing more. */
  close(): Promise<void>
}

/** What a process found out about whether the judge answers. */
export type Verdict =
  | { readonly kind: 'resting'; readonly failure: Failure }
  | { readonly kind: 'broken'; readonly failure: Failure }
  | { readonly kind: 'opened' }
  /** Somebody mended it. */
  | { readonly kind: 'mended' }

/** What a process says: what it has and wants, and what it has learned since it was last heard. */
export interface Look {
  readonly settings: LaneSettings
  /** How long what it holds stays its own when it is never heard again: its right to begin calls, and the longest call after that. */
  readonly books_ms: number
  /** How many calls it may have in flight before it has heard the answer: nobody else is given these. */
  readonly keeps: number
  /** How many it could use now, those in flight among them; 0: none. */
  readonly wants: number
  /** Of the last view; −1 before the first. The successes are those of this generation. */
  readonly generation: number
  readonly successes: number
  /** The generation in which a call began that was one too many. */
  readonly cut: number | null
  readonly pause: { readonly failure: Failure; readonly for_ms: number } | null
  /** Of the last view; −1 before the first. */
  readonly epoch: number
  readonly verdict: Verdict | null
  readonly probe: 'none' | 'wanted' | 'held'
}

/** What it hears. Durations, because clocks differ. */
export interface View {
  readonly generation: number
  /** How many calls it may have in flight; what is in flight above that ends by itself. */
  readonly may: number
  /** How many it would be given if it wanted all it can get. */
  readonly could: number
  /** `until`: by the server’s clock; tells one pause from another. */
  readonly pause: { readonly failure: Failure; readonly for_ms: number; readonly until: number } | null
  /** Counts what happened to the judge: going out, failing a probe, coming back. */
  readonly epoch: number
  /** `for_ms` null: until somebody mends it; 0: it is time to try it. */
  readonly outage: { readonly failure: Failure; readonly for_ms: number | null } | null
  /** How often in a row it was sent to rest. */
  readonly rests: number
  /** The look’s own verdict counted. */
  readonly counted: boolean
  /** This process, and no other, may try a judge that is out. */
  readonly may_probe: boolean
}
