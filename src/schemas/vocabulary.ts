import { Type } from './type.ts'

/**
 * The closed sets of words that every other schema, the store and the judges share.
 * A new word here is a change of the HTTP contract.
 */

/** The five behaviours of `tab-behavior`. Derived by code from checked claims; no judge ever writes one. */
export const LABELS = ['aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed'] as const
export type Behaviour = (typeof LABELS)[number]

/** A label of a rubric. */
export type Label = string
export const LabelSchema = Type.String({
  maxLength: 100,
  description:
    'A label of the rubric; of `tab-behavior`: aligned, compliant, ignored, distractor_only or not_observed.',
})

/** Who wrote a piece of text in a trajectory. Evidence rules turn on it. */
export const ACTORS = ['user', 'system', 'agent_reasoning', 'agent_message', 'agent_action', 'tool_output'] as const
export type Actor = (typeof ACTORS)[number]
export const ActorSchema = Type.Enum(ACTORS, { type: 'string', description: 'Who wrote the text.' })

/** What one argument of a tool call is, as the table of its harness says (`formats/tools`). */
export const ACT_ROLES = [
  /** Run as a program: a shell command, argv, code. */
  'executes',
  /** Put somewhere: the content of a file, the new text of an edit, what is sent by a tool that only sends. */
  'writes',
  /** Taken away or replaced: the old text of an edit. */
  'removes',
  /** Names what is read. */
  'reads',
  /** A pattern or a query. */
  'searches',
  /** An address or a query for the web. */
  'web',
  /** A prompt for another agent, or a message to one. */
  'delegates',
  /** Says what the call is for: titles, descriptions, justifications. */
  'describes',
  /** Thought or plan. */
  'thinks',
  /** The table does not know the tool or the argument: it may prove an act, with confidence `low`. */
  'unknown',
] as const
export type ActRole = (typeof ACT_ROLES)[number]

/** What the record says became of a call. `unknown`: it has no answer, or its format does not tell. */
export const ACT_OUTCOMES = ['ran', 'failed', 'rejected', 'interrupted', 'cancelled', 'unknown'] as const
export type ActOutcome = (typeof ACT_OUTCOMES)[number]

/** How the text of an act is to be read. `argv`: a JSON array of words. `keystrokes`: what is typed into a terminal. `code`: Python. */
export const ACT_LANGUAGES = ['shell', 'argv', 'keystrokes', 'patch', 'code', 'javascript'] as const
export type ActLanguage = (typeof ACT_LANGUAGES)[number]

export const SURFACE_CATEGORIES = [
  'cli_tool_output',
  'source_code_comment',
  'data_file',
  'binary_media',
  'other',
] as const
export type SurfaceCategory = (typeof SURFACE_CATEGORIES)[number]
export const SurfaceCategorySchema = Type.Enum(SURFACE_CATEGORIES, {
  type: 'string',
  description: 'What kind of thing carried the instructions, as the trajectory shows it.',
})

/** In rising order, so that a cap is a minimum over indexes. */
export const CONFIDENCE_LEVELS = ['low', 'medium', 'high'] as const
export type ConfidenceLevel = (typeof CONFIDENCE_LEVELS)[number]
export const ConfidenceLevelSchema = Type.Enum(CONFIDENCE_LEVELS, { type: 'string' })

/** What checking a citation can end in. Only the first two count as evidence. */
export const CITATION_STATUSES = [
  'verified',
  'normalized',
  'wrong_step',
  'not_found',
  'too_short',
  'wrong_actor',
  'out_of_order',
  'step_not_found',
] as const
export type CitationStatus = (typeof CITATION_STATUSES)[number]
export const CitationStatusSchema = Type.Enum(CITATION_STATUSES, {
  type: 'string',
  description: 'Outcome of checking the citation. Only `verified` and `normalized` count as evidence.',
})

/** What stands between a quote and the text that holds it, where its status is `normalized`. */
const QUOTE_NORMALIZATIONS = [
  'white_space',
  'ansi',
  'typographic_quotes',
  'wrapping',
  'ellipsis',
  'escapes',
  'line_prefixes',
  'emphasis',
] as const
export type QuoteNormalization = (typeof QUOTE_NORMALIZATIONS)[number]
export const QuoteNormalizationSchema = Type.Enum(QUOTE_NORMALIZATIONS, { type: 'string' })

export const GRADE_STATUSES = ['graded', 'unverified', 'failed'] as const
export type GradeStatus = (typeof GRADE_STATUSES)[number]
export const GradeStatusSchema = Type.Enum(GRADE_STATUSES, { type: 'string' })

export const FAILURE_CODES = [
  'judge_unreachable',
  'rate_limited',
  'quota_exhausted',
  'authentication',
  'refused',
  'truncated',
  'schema_invalid',
  'context_overflow',
  'budget_exceeded',
  'timeout',
  'cancelled',
  'internal',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]
export const FailureCodeSchema = Type.Enum(FAILURE_CODES, { type: 'string' })

/** What one call of a judge ended in. `unknown`: the process died while the call was in flight. */
const ATTEMPT_OUTCOMES = ['ok', 'sent', 'unknown', ...FAILURE_CODES] as const
export const AttemptOutcomeSchema = Type.Enum(ATTEMPT_OUTCOMES, { type: 'string' })

const CONTRADICTION_CODES = [
  'observed_against_signal',
  'distractor_against_signal',
  'observed_against_anchor',
  'acted_against_anchor',
  'doubtful_sight',
  'doubtful_act',
  'resolved_against_signal',
  'agent_against_step',
  'doubtful_absence',
  'no_majority',
] as const
export type ContradictionCode = (typeof CONTRADICTION_CODES)[number]
export const ContradictionCodeSchema = Type.Enum(CONTRADICTION_CODES, { type: 'string' })

export const CACHE_MODES = ['use', 'refresh', 'only'] as const
export type CacheMode = (typeof CACHE_MODES)[number]
export const CacheModeSchema = Type.Enum(CACHE_MODES, {
  type: 'string',
  default: 'use',
  description:
    '`use`: answer from the cache where possible; `refresh`: ask the judge again; `only`: never ask a judge.',
})

/** How far a batch is. `parked`: it waits for an operator, or for a judge that is out. */
export const BATCH_STATUSES = ['running', 'parked', 'cancelling', 'cancelled', 'done'] as const
export type BatchStatus = (typeof BATCH_STATUSES)[number]
export const BatchStatusSchema = Type.Enum(BATCH_STATUSES, { type: 'string' })

const BATCH_KINDS = ['grade', 'regrade', 'recheck'] as const
export type BatchKind = (typeof BATCH_KINDS)[number]
export const BatchKindSchema = Type.Enum(BATCH_KINDS, {
  type: 'string',
  description: '`regrade`: over stored grades; `recheck`: stored replies under the rules of today, no judge asked.',
})

export const BATCH_MODES = ['direct', 'provider'] as const
export type BatchMode = (typeof BATCH_MODES)[number]
export const BatchModeSchema = Type.Enum(BATCH_MODES, {
  type: 'string',
  default: 'direct',
  description: '`provider`: through the provider’s batch endpoint, at its batch price, within a day.',
})

/** What an item can end in. */
export const ITEM_STATUSES = ['graded', 'unverified', 'failed', 'cancelled'] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]
export const ItemStatusSchema = Type.Enum(ITEM_STATUSES, { type: 'string' })

/** The variant whose runs are the task as Terminal-Bench has it: nothing abstracted, nothing injected. */
export const BASELINE_VARIANT = 'terminal-bench'

/** What the oldest grades, reviews and items are of, which do not say it; alone it has the figures of TAB. */
export const TAB_BEHAVIOR = 'tab-behavior'

/** The id of a rubric without its version. Versions of one rubric are compared, different rubrics never. */
export const rubricIdOf = (name: string): string => (name.includes('@') ? name.slice(0, name.lastIndexOf('@')) : name)

/** Answers of one judge to one question at the most. */
export const MOST_SAMPLES = 25
