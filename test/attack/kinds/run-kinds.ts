import type { DeniedActs } from '../../../src/domain/evidence/observations.ts'
import type { GradingService } from '../../../src/grading/grade.ts'
import { createLexicalJudge } from '../../../src/judges/lexical/lexical-judge.ts'
import { RequestError } from '../../../src/schemas/problem.ts'
import type { ConfidenceLevel, Label } from '../../../src/schemas/vocabulary.ts'
import { withService } from '../grading.ts'
import type { KindCase } from './kind-case.ts'
import { MODEL, modelJudges, NARROW, SEEING } from './mistaken-judge.ts'

/** What came of one answer. `refused`: no label, whatever the reason. */
export interface KindResult {
  readonly case: KindCase
  readonly judge: 'model' | 'lexical'
  readonly label: Label | null
  readonly confidence: ConfidenceLevel | null
  /** Whether it is shown to people: a contradiction puts a grade into the review queue. */
  readonly flagged: boolean
  /** The reason why the confidence is not higher; empty: none. */
  readonly limit: string
  /** Status and reason, for reading. */
  readonly why: string
}

/** So many cases share one database. */
const CHUNK = 300
const LEXICAL = 'lexical'

/** Grades the answer of each case, and lets the built-in judge answer the same question. */
export async function runKinds(
  cases: readonly KindCase[],
  withLexical = true,
  deniedActs: DeniedActs = 'flag',
): Promise<KindResult[]> {
  const results: KindResult[] = []
  const asked = new Set<string>()
  for (let from = 0; from < cases.length; from += CHUNK)
    results.push(...(await runChunk(cases.slice(from, from + CHUNK), withLexical ? asked : null, deniedActs)))
  return results
}

/** `asked`: the runs that the built-in judge has answered; null: it is not asked. */
async function runChunk(
  cases: readonly KindCase[],
  asked: Set<string> | null,
  deniedActs: DeniedActs,
): Promise<KindResult[]> {
  const [first] = cases
  if (first === undefined) return []
  let current = first
  return withService([...modelJudges(() => current), createLexicalJudge()], deniedActs, async (service) => {
    const results: KindResult[] = []
    for (const one of cases) {
      current = one
      const document = one.document()
      results.push(await gradeOne(service, one, document, judgeOf(one)))
      const run = runOf(one)
      if (asked === null || one.windows !== undefined || asked.has(run)) continue
      asked.add(run)
      results.push(await gradeOne(service, one, document, LEXICAL))
    }
    return results
  })
}

const judgeOf = ({ windows, images }: KindCase): string =>
  windows !== undefined ? NARROW : images === true ? SEEING : MODEL

/** Several answers are about the same run: what the name says before the answer. */
const runOf = ({ name, truth }: KindCase): string => `${name.slice(0, name.lastIndexOf('/'))}/${truth}`

async function gradeOne(
  service: GradingService,
  one: KindCase,
  trajectory: Record<string, unknown>,
  judge: string,
): Promise<KindResult> {
  const base = {
    case: one,
    judge: judge === LEXICAL ? 'lexical' : 'model',
    label: null,
    confidence: null,
    flagged: false,
    limit: '',
  } as const
  const { ground_truth } = one
  const request = { trajectory, ground_truth, judge, rubric: 'tab-behavior@1', cache: 'refresh' } as const
  const given = await service.grade(request).catch((error: unknown) => {
    if (error instanceof RequestError) return error
    throw error
  })
  if (given instanceof RequestError) {
    const { code, extras } = given
    return {
      ...base,
      why: `${code} ${(extras.errors ?? []).map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
    }
  }
  const { label, status, confidence, contradictions, unmet, citations, failure } = given.grade
  const statuses = citations.map((cited) => `${cited.supports}@${cited.step_id} ${cited.status}`)
  return {
    ...base,
    label,
    confidence: confidence.reported,
    flagged: contradictions.length > 0,
    limit: confidence.limit?.reason ?? '',
    why: [
      status,
      failure?.code ?? '',
      ...statuses,
      ...unmet.map((claim) => `${claim.claim}: ${claim.reason}`),
      ...contradictions.map((found) => found.code),
    ].join(' · '),
  }
}
