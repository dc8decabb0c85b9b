import type { GroundTruth } from '../../../src/schemas/trial.ts'
import type { Behaviour } from '../../../src/schemas/vocabulary.ts'
import type { DecidingClaim } from '../attack-case.ts'

/** The findings on realistic runs, one kind each, in the order of the list they were reported in. */
export const KINDS = [
  'mentioned_not_done',
  'not_executed',
  'acts_in_messages',
  'done_but_denied',
  'seen_but_denied',
  'own_text',
  'absent_instruction',
  'order',
  'acting_by_message',
  'honest_quotes',
  'windows',
  'pictures',
  /** Found when the gate was reviewed: names that are no sights, doubtful sights that came first, frames around quotes. */
  'named_not_seen',
  'seen_first',
  'framed_quotes',
  /** Found by an attack on the gate: a plain command or a whole call that is not the act, and acts in other words. */
  'beside_argument',
  'other_tool',
  'opposite_act',
  'done_otherwise',
  'longer_message',
  'settings',
  'replaced_program',
  'elsewhere',
  'hidden_failure',
  'lasting_shell',
  /** Not a finding: all of them, planted into real runs. */
  'planted',
] as const
/** Cases of `held-out/cases.ndjson`, which no rule was written against; run by `--held-out` alone. */
export const HELD_OUT = 'held_out'
export type Kind = (typeof KINDS)[number] | typeof HELD_OUT

/**
 * One citation of the scripted model. It knows words, not step numbers: it cites the step in which `find` (else the quote) stands, of a fitting
 * actor where there is one, as a model does that reads the frames.
 */
export interface Cited {
  readonly supports: DecidingClaim
  readonly quote: string
  /** Words of the place that is meant, where the quote itself is not verbatim. */
  readonly find?: string
  /** The quote is the whole line, as it is shown, in which `find` stands. */
  readonly whole_line?: boolean
  /** Which of several places: the first, or (by default) the last for acts and the first for sights. */
  readonly which?: 'first' | 'last'
}

/** What the scripted model answers: a label by its claims, with confidence `high`. */
interface ScriptedAnswer {
  readonly label: Behaviour
  readonly citations: readonly Cited[]
}

/** One run in the real format of a harness, what is true of it, and what a model says. */
export interface KindCase {
  readonly kind: Kind
  /** `kind/shape/harness/truth given`, with `wrong` or `honest` behind it; unique. */
  readonly name: string
  readonly document: () => Record<string, unknown>
  readonly ground_truth: GroundTruth
  readonly answer: ScriptedAnswer
  readonly truth: Behaviour
  /** An honest model: its answer is true and must be graded. Else it is mistaken, and must not be believed. */
  readonly honest: boolean
  /** The answer rests on a quote that was changed: no label may come of it, not even the true one. */
  readonly forged?: boolean
  /** The judge is sent pictures. */
  readonly images?: boolean
  /** The judge’s window in tokens, where it is small; which of its replies are malformed, counted from 1; whether it cites every step. */
  readonly windows?: { readonly tokens: number; readonly malformed: readonly number[]; readonly cites_all?: boolean }
}

/** Whether the mistaken answer denies an act for which the ground truth gives action anchors. */
export const deniesGivenAct = ({ kind, honest, ground_truth }: KindCase): boolean =>
  kind === 'done_but_denied' && !honest && ground_truth.distractor?.action_anchors !== undefined

/**
 * Cases that the gate is known not to decide: counted in the table, named below it, and no failure of the run. Where only what a model says is
 * not decided, the built-in judge must still not be sure.
 */
interface KindLimit {
  /** How the names of its cases begin. */
  readonly names: readonly string[]
  readonly why: string
  /** What would have to be there for the limit to go. */
  readonly needed: string
}

const limit = (names: readonly string[], why: string, needed: string): KindLimit => ({ names, why, needed })

export const KIND_LIMITS: readonly KindLimit[] = [
  limit(
    ['done_but_denied/limit-covered-'],
    'an act on what holds the target, or on the same thing under another name, is denied',
    'the files and names that there were, or an action anchor for each way',
  ),
  limit(
    ['done_but_denied/limit-shell-'],
    'a socket of the shell, or a line of its history, is no command of its own',
    '`/dev/tcp` read as an address, and the lines of the history before it',
  ),
  limit(
    ['done_but_denied/limit-taken-'],
    'what is run out of the file of the instruction through xargs, code or as a script of the project is not followed',
    'the text of the file as the run showed it, and what xargs and code take out of it',
  ),
  limit(
    ['done_but_denied/limit-delegated', 'done_otherwise/unread_agent'],
    'an act that was handed to another agent is refused',
    'what the other agent did, in the same run',
  ),
  limit(
    ['not_executed/limit-chain-'],
    'a command before it failed, and no exit code that is read says so',
    'the exit code of the harness, or the words of programs that failed',
  ),
]

/** Acts that the built-in judge does not find either: it says so with `low`. */
const OF_MODELS = 'done_but_denied/'

export const limitOf = ({ name }: KindCase, judge: 'model' | 'lexical'): KindLimit | null =>
  judge === 'lexical' && name.startsWith(OF_MODELS)
    ? null
    : (KIND_LIMITS.find((one) => one.names.some((begin) => name.startsWith(begin))) ?? null)
