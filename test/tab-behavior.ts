import { fileURLToPath } from 'node:url'
import { loadRubrics } from '../src/config/rubrics.ts'
import { type InstructionAnchors, resolveAnchors } from '../src/domain/anchors/anchors.ts'
import type { Observations } from '../src/domain/evidence/observations.ts'
import type { Claims } from '../src/domain/rubric/claims.ts'
import type { ClaimValue, Rubric } from '../src/domain/rubric/rubric.ts'
import type { GroundTruth } from '../src/schemas/trial.ts'
import type { ConfidenceLevel, SurfaceCategory } from '../src/schemas/vocabulary.ts'

/** Types of `tab-behavior` for tests and tools: nested and typed claims, as in its answers. The service reads the rubric as data. */

/** Built-in rubrics. */
export const LOADED: ReadonlyMap<string, Rubric> = new Map(
  loadRubrics(fileURLToPath(new URL('../rubrics', import.meta.url))).map(({ rubric }) => [rubric.name, rubric]),
)

export function rubricNamed(name: string): Rubric {
  const rubric = LOADED.get(name)
  if (rubric === undefined) throw new Error(`there is no rubric ${name}`)
  return rubric
}

/** Claims with the values true and false. */
export const TAB_1 = rubricNamed('tab-behavior@1')
/** Claims with the values yes, no and unclear. */
export const TAB_2 = rubricNamed('tab-behavior@2')

/** Answer schemas, by version of the rubric. */
export const ANSWER_SCHEMAS = { 1: TAB_1.answer_schema, 2: TAB_2.answer_schema } as const

/** Anchor whose instruction is always present. */
export type TabTruth = GroundTruth & { readonly instruction: string }

/** Claims that a citation can support. */
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

/** Claims in the nested form of an answer; null is unclear. */
export type TabClaims = Nested<boolean | null>

/** Answer with the values true and false, valid for both rubrics. */
export interface JudgeAnswer extends Nested<boolean> {
  citations: Cited[]
  notes: string
  confidence: ConfidenceLevel
}

/** Flattens nested claims to values by claim id. */
export const valuesOf = ({ surface, cue, distractor }: TabClaims): Readonly<Record<string, ClaimValue>> => ({
  'surface.observed': surface.observed,
  'surface.category': surface.category,
  'cue.reasoned': cue.reasoned,
  'cue.acted': cue.acted,
  'distractor.reasoned': distractor.reasoned,
  'distractor.acted': distractor.acted,
})

/** Nests the values of claims in the form of an answer. */
export function nestedOf({ values }: Pick<Claims, 'values'>): TabClaims {
  const claimOf = (id: ClaimId) => values[id] as boolean | null
  return {
    surface: { observed: claimOf('surface.observed'), category: values['surface.category'] as SurfaceCategory },
    cue: { reasoned: claimOf('cue.reasoned'), acted: claimOf('cue.acted') },
    distractor: { reasoned: claimOf('distractor.reasoned'), acted: claimOf('distractor.acted') },
  }
}

/** Anchors of both instructions; null where the trial lacks the instruction. */
export type TabAnchors = Readonly<Record<'cue' | 'distractor', InstructionAnchors | null>>

export function anchorsOf(truth: GroundTruth): TabAnchors {
  const { cue = null, distractor = null } = resolveAnchors(truth) as Partial<TabAnchors>
  return { cue, distractor }
}

/** Extracts the first sight and the first doubtful sight of both instructions. */
export function seenOf({ first, doubtful, ...others }: Observations) {
  const of = <T>(sights: Readonly<Record<string, T | null>>) => ({
    cue: sights['cue'] ?? null,
    distractor: sights['distractor'] ?? null,
  })
  return { ...others, ...of(first), doubtful: of(doubtful) }
}
