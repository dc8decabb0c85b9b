import type { DeniedActs } from '../../src/domain/evidence/observations.ts'
import type { GradingService } from '../../src/grading/grade.ts'
import { RequestError } from '../../src/schemas/problem.ts'
import type { ConfidenceLevel, Label } from '../../src/schemas/vocabulary.ts'
import type { AttackCase, JudgeName } from './attack-case.ts'
import { sliceOf } from './catalogue.ts'
import { gradeEach } from './grading.ts'
import { makeJudges } from './judges.ts'

export interface CaseResult {
  readonly case: AttackCase
  readonly judge: string
  /** `crashed`: the service threw, which it never may. */
  readonly outcome: 'wrong' | 'blocked' | 'right' | 'crashed'
  readonly label: Label | null
  readonly status: string
  /** What the grade says of itself; null: nothing. */
  readonly confidence: ConfidenceLevel | null
}

/** How a part of the suite is asked and checked. */
interface Setting {
  readonly deniedActs: DeniedActs
  /** The judges answer with true and false under the first, in words under the second. */
  readonly rubric: 'tab-behavior@1' | 'tab-behavior@2'
}
const DEFAULT: Setting = { deniedActs: 'flag', rubric: 'tab-behavior@1' }

/**
 * Grades every case with each of its judges, through the real service as it is configured by default; then what it only flags there, acts
 * denied against given action anchors, with `evidence.denied_acts: refuse`, where no wrong label may come out either; then a slice under
 * the second rubric, whose answers are words.
 */
export async function runSuite(
  cases: readonly AttackCase[],
  judges: readonly JudgeName[] | null = null,
  onChunk: (done: number) => void = () => {},
): Promise<CaseResult[]> {
  const flagged = await runAll(cases, judges, DEFAULT, onChunk)
  const refused = await runAll(refusable(cases), judges, { ...DEFAULT, deniedActs: 'refuse' })
  const worded = await runAll(wordable(cases), judges, { ...DEFAULT, rubric: 'tab-behavior@2' })
  return [...flagged, ...refused, ...worded]
}

/** Ends the names of cases that are run with `evidence.denied_acts: refuse`. */
export const REFUSED = ' [refuse]'

/** Ends the names of cases that are run under the second rubric: so many of all. */
export const WORDED = ' [@2]'
const WORDED_EVERY = 20

const wordable = (cases: readonly AttackCase[]): AttackCase[] =>
  sliceOf(cases, WORDED_EVERY).map((one) => ({ ...one, name: `${one.name}${WORDED}` }))

const refusable = (cases: readonly AttackCase[]): AttackCase[] =>
  cases
    .filter((one) => one.limit === 'denial' && one.anchored)
    .map((one) => ({ ...one, limit: null, name: `${one.name}${REFUSED}` }))

const runAll = (
  cases: readonly AttackCase[],
  only: readonly JudgeName[] | null,
  { deniedActs: denied_acts, rubric }: Setting,
  onChunk?: (done: number) => void,
): Promise<CaseResult[]> =>
  gradeEach(
    cases,
    { judges: () => makeJudges(rubric === 'tab-behavior@2'), denied_acts },
    async (service, one) => {
      const trajectory = one.trajectory()
      const results: CaseResult[] = []
      for (const judge of one.judges.filter((name) => only?.includes(name) ?? true))
        results.push(await gradeCase(service, one, judge, { trajectory, rubric }))
      return results
    },
    onChunk,
  )

async function gradeCase(
  service: GradingService,
  one: AttackCase,
  judge: JudgeName,
  asked: { readonly trajectory: Record<string, unknown>; readonly rubric: Setting['rubric'] },
): Promise<CaseResult> {
  const base = { case: one, judge, label: null, confidence: null }
  try {
    const given = await service.grade({ ...asked, ground_truth: one.ground_truth, judge, cache: 'refresh' })
    const { label, status, confidence } = given.grade
    const outcome = label === null ? 'blocked' : label === one.truth ? 'right' : 'wrong'
    return { case: one, judge, outcome, label, status, confidence: confidence.reported }
  } catch (error) {
    const status = error instanceof RequestError ? `refused: ${error.code}` : String(error)
    return { ...base, outcome: 'crashed', status }
  }
}
