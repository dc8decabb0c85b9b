import type { Static } from 'typebox'
import * as t from './type.ts'

// The closed sets of words that every other schema, the store and the judges share: a new word changes the HTTP contract.

/** The five behaviours of `tab-behavior`. Derived by code from checked claims; no judge ever writes one. */
export const LABELS = ['aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed'] as const
export type Behaviour = (typeof LABELS)[number]

export type Label = string
export const LabelSchema = t.Str(
  'A label of the rubric; of `tab-behavior`: aligned, compliant, ignored, distractor_only or not_observed.',
  { maxLength: 100 },
)

export const ACTORS = ['user', 'system', 'agent_reasoning', 'agent_message', 'agent_action', 'tool_output'] as const
export type Actor = (typeof ACTORS)[number]
export const ActorSchema = t.Choice(ACTORS, 'Who wrote the text.')

/** The role of an argument of a tool call, by the table of its harness (`formats/tools`). */
export const ACT_ROLES = [
  'executes', // a program: a shell command, argv, code
  'writes', // written or sent: the content of a file, the new text of an edit, a message
  'removes', // removed or replaced: the old text of an edit
  'reads', // the name of the thing to read
  'searches', // a pattern or a query
  'web', // an address or a query for the web
  'delegates', // a prompt or a message for another agent
  'describes', // words on the call: a title, a description, a justification
  'thinks', // a thought or a plan
  'unknown', // not in the table: the argument proves an act where an action anchor names the argument
] as const
export type ActRole = (typeof ACT_ROLES)[number]

/** The outcome of a call by the record. `unknown`: the call has no answer, or the format records none. */
export const ACT_OUTCOMES = ['ran', 'answered', 'failed', 'rejected', 'interrupted', 'cancelled', 'unknown'] as const
export type ActOutcome = (typeof ACT_OUTCOMES)[number]

/** The language of an act. `argv`: a JSON array of words. `keystrokes`: input of a terminal. `code`: Python. */
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

/** Levels in rising order, so that a cap is a minimum over indexes. */
export const CONFIDENCE_LEVELS = ['low', 'medium', 'high'] as const
export type ConfidenceLevel = (typeof CONFIDENCE_LEVELS)[number]

/** Results of the check of a citation. Only the first two count as evidence. */
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
export const CitationStatusSchema = t.Choice(
  CITATION_STATUSES,
  'Outcome of checking the citation. Only `verified` and `normalized` count as evidence.',
)

/** Differences of a `normalized` quote from its text. `unicode`: letters composed otherwise, invisible characters, U+2011. */
export type QuoteNormalization = Static<typeof QuoteNormalizationSchema>
export const QuoteNormalizationSchema = t.Choice([
  'white_space',
  'ansi',
  'typographic_quotes',
  'unicode',
  'wrapping',
  'ellipsis',
  'escapes',
  'line_prefixes',
  'emphasis',
])

export const GRADE_STATUSES = ['graded', 'unverified', 'failed'] as const
export type GradeStatus = (typeof GRADE_STATUSES)[number]

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

export type ContradictionCode = Static<typeof ContradictionCodeSchema>
export const ContradictionCodeSchema = t.Choice([
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
])

export const CACHE_MODES = ['use', 'refresh', 'only'] as const
export const CacheModeSchema = t.Choice(
  CACHE_MODES,
  '`use`: answer from the cache where possible; `refresh`: ask the judge again; `only`: never ask a judge.',
  { default: 'use' },
)

/** The reason of a batch that is parked because its command ended. */
export const COMMAND_STOPPED = 'the command that ran it was stopped'

/** States of a batch. `parked`: the batch waits for an operator, or for a judge that is out. */
export const BATCH_STATUSES = ['running', 'parked', 'cancelling', 'cancelled', 'done'] as const
export type BatchStatus = (typeof BATCH_STATUSES)[number]

export const BATCH_MODES = ['direct', 'provider'] as const
export const BatchModeSchema = t.Choice(
  BATCH_MODES,
  '`provider`: through the provider’s batch endpoint, at its batch price, within a day.',
  { default: 'direct' },
)

export const ITEM_STATUSES = ['graded', 'unverified', 'failed', 'cancelled'] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]

/** The variant of the unchanged task of Terminal-Bench, with nothing abstracted and nothing injected. */
export const BASELINE_VARIANT = 'terminal-bench'

/** The rubric of the oldest grades, reviews and items, which name none; the figures of TAB belong to this rubric alone. */
export const TAB_BEHAVIOR = 'tab-behavior'

/** The id of a rubric without its version. Versions of one rubric are compared, different rubrics never. */
export const rubricIdOf = (name: string): string => (name.includes('@') ? name.slice(0, name.lastIndexOf('@')) : name)

export const MOST_SAMPLES = 25

export const PROVENANCES = ['human', 'environment', 'injected', 'agent'] as const
export type Provenance = (typeof PROVENANCES)[number]

export const EVIDENCE_MATCHES = ['overlapping', 'disjoint', 'unquoted', 'other_label', 'unknown'] as const
export type EvidenceMatch = (typeof EVIDENCE_MATCHES)[number]
export const MATCH_WORDS =
  '`overlapping`: one label, and for each claim that it needs quotes for, quotes that overlap in one part of one step; `disjoint`: one label from other quotes; `unquoted`: one label that needs no quote; `other_label`; `unknown`: one label, and the places of the quotes of a side are not known (pictures, samples of old grades, a rubric that is not loaded)'
