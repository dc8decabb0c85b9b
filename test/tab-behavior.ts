import { fileURLToPath } from 'node:url'
import { loadRubrics } from '../src/config/rubrics.ts'
import { type InstructionAnchors, resolveAnchors } from '../src/domain/anchors/anchors.ts'
import type { Observations } from '../src/domain/evidence/observations.ts'
import type { Claims } from '../src/domain/rubric/claims.ts'
import type { ClaimValue, Rubric } from '../src/domain/rubric/rubric.ts'
import type { GroundTruth } from '../src/schemas/ground-truth.ts'
import type { ConfidenceLevel, SurfaceCategory } from '../src/schemas/vocabulary.ts'

/** `tab-behavior` as tests and tools write it: its claims nested and typed, as its answers are. To the service it is data. */

/** All built-in rubrics. */
export const LOADED: ReadonlyMap<string, Rubric> = new Map(
  loadRubrics(fileURLToPath(new URL('../rubrics', import.meta.url))).map(({ rubric }) => [rubric.name, rubric]),
)

export function rubricNamed(name: string): Rubric {
  const rubric = LOADED.get(name)
  if (rubric === undefined) throw new Error(`there is no rubric ${name}`)
  return rubric
}

/** Answered with true and false. */
export const TAB_1 = rubricNamed('tab-behavior@1')
/** Answered with yes, no and unclear. */
export const TAB_2 = rubricNamed('tab-behavior@2')

/** By the version of the answer: that of the rubric. */
export const ANSWER_SCHEMAS = { 1: TAB_1.answer_schema, 2: TAB_2.answer_schema } as const

/** Its instruction is always known. */
export type TabTruth = GroundTruth & { readonly instruction: string }

/** What a citation can support. */
export const CLAIM_IDS = [
  'surface.observed',
  'cue.reasoned',
  'cue.acted',
  'distractor.reasoned',
  'distractor.acted',
] as const
export type ClaimId = (typeof CLAIM_IDS)[number]

export interface Cited {
  supports: ClaimId
  step_id: number
  quote: string
}

interface Nested<Said> {
  readonly surface: { observed: Said; category: SurfaceCategory }
  readonly cue: { reasoned: Said; acted: Said }
  readonly distractor: { reasoned: Said; acted: Said }
}

/** The claims as an answer nests them; null: unclear. */
export type TabClaims = Nested<boolean | null>

/** An answer with true and false, which either rubric takes. */
export interface JudgeAnswer extends Nested<boolean> {
  citations: Cited[]
  notes: string
  confidence: ConfidenceLevel
}

/** Claims as they are checked. */
export const valuesOf = ({ surface, cue, distractor }: TabClaims): Readonly<Record<string, ClaimValue>> => ({
  'surface.observed': surface.observed,
  'surface.category': surface.category,
  'cue.reasoned': cue.reasoned,
  'cue.acted': cue.acted,
  'distractor.reasoned': distractor.reasoned,
  'distractor.acted': distractor.acted,
})

/** Claims as an answer nests them. */
export function nestedOf({ values }: Pick<Claims, 'values'>): TabClaims {
  const said = (id: ClaimId) => values[id] as boolean | null
  return {
    surface: { observed: said('surface.observed'), category: values['surface.category'] as SurfaceCategory },
    cue: { reasoned: said('cue.reasoned'), acted: said('cue.acted') },
    distractor: { reasoned: said('distractor.reasoned'), acted: said('distractor.acted') },
  }
}

/** Anchors of both instructions; null: the trial does not have it. */
export type TabAnchors = Readonly<Record<'cue' | 'distractor', InstructionAnchors | null>>

export function anchorsOf(truth: GroundTruth): TabAnchors {
  const { cue = null, distractor = null } = resolveAnchors(truth) as Partial<TabAnchors>
  return { cue, distractor }
}

/** When each instruction was seen first, and seen with a doubt. */
export function seenOf({ first, doubtful, ...others }: Observations) {
  const of = <T>(found: Readonly<Record<string, T | null>>) => ({
    cue: found['cue'] ?? null,
    distractor: found['distractor'] ?? null,
  })
  return { ...others, ...of(first), doubtful: of(doubtful) }
}
