import type { ActLanguage, ActOutcome, ActRole } from '../../schemas/vocabulary.ts'

export type { ActLanguage, ActOutcome, ActRole } from '../../schemas/vocabulary.ts'

/** One tool call; all parts made of its arguments share it. */
export interface Call {
  /** The tool's name as the source has it. */
  readonly tool: string
  readonly outcome: ActOutcome
  /**
   * True where a word of the tool's name is of looking, planning or trying (`search_mail`, `createDraft`). Such a name only lowers confidence, and only
   * where no table knows the tool; a name without such a word proves nothing.
   */
  readonly looks: boolean
  /** The id under which the source has the call: a later call of the same words under it may be a copy. */
  readonly id?: string
}

/** The kind of a part of the actor `agent_action`. */
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
/** The act began and did not come to its end. */
export const FAILED: ReadonlySet<ActOutcome> = new Set(['failed', 'interrupted'])

/** Notes in the frame of an action, beside its name; empty: none. */
const ROLE_NOTES: Readonly<Record<ActRole, string>> = {
  executes: '',
  writes: 'writes text',
  removes: 'removed text',
  reads: 'names what is read',
  searches: 'searched for, not run',
  web: 'web address or query',
  delegates: 'message to another agent',
  describes: 'describes, not run',
  thinks: 'thought, not run',
  unknown: 'kind of tool not known',
}

const OUTCOME_NOTES: Readonly<Record<ActOutcome, string>> = {
  ran: '',
  failed: 'failed',
  rejected: 'rejected, not run',
  interrupted: 'interrupted',
  cancelled: 'cancelled, not run',
  unknown: '',
}

/** Renders the kind and the outcome of an action for the frame of its part: ` · describes, not run`. Empty for what was plainly run. */
export function renderActNotes(act: Act | null): string {
  if (act === null) return ''
  return [ROLE_NOTES[act.role], OUTCOME_NOTES[act.call.outcome]]
    .filter((note) => note !== '')
    .map((note) => ` · ${note}`)
    .join('')
}
