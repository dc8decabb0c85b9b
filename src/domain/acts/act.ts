import type { ActLanguage, ActOutcome, ActRole } from '../../schemas/vocabulary.ts'

export type { ActLanguage, ActOutcome, ActRole } from '../../schemas/vocabulary.ts'

/** One tool call; all parts made of its arguments share it. */
export interface Call {
  /** The tool's name as the source has it. */
  readonly tool: string
  readonly outcome: ActOutcome
}

/** What a part of the actor `agent_action` is. */
export interface Act {
  readonly role: ActRole
  /** Null: plain text. */
  readonly language: ActLanguage | null
  /** The file that the call writes, edits or reads, where it names one. */
  readonly target: string | null
  readonly call: Call
}

/** Nothing came of it: turned down before it ran, or taken back. A call that failed may have done something before it did. */
export const NOT_RUN: ReadonlySet<ActOutcome> = new Set(['rejected', 'cancelled'])
