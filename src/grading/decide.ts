import { renderComplaint } from '../domain/evidence/complaint.ts'
import { checkEvidence, type Evidence } from '../domain/evidence/evidence.ts'
import type { EvidenceQuestion } from '../domain/evidence/evidence-question.ts'
import { mendable } from '../domain/evidence/evidence-unmet.ts'
import type { Issue } from '../domain/result.ts'
import type { Claims } from '../domain/rubric/claims.ts'
import { flatten } from '../domain/rubric/entries.ts'
import { renderFormComplaint } from '../domain/rubric/prompt.ts'
import type { Rendering } from '../domain/trajectory/rendering.ts'
import type { JudgeRequest } from '../ports/judge.ts'
import type { Coverage, Failure } from '../schemas/grade.ts'
import { NOTHING_STORED, type SampleCalls, type SampleResult, schemaInvalid } from './sample-calls.ts'

/** A decision over claims, with its sources. */
interface Decision {
  readonly request: JudgeRequest
  /** The rendering in which quotes are looked up. */
  readonly rendering: Rendering
  readonly coverage: Coverage
}

export type Decided =
  | SampleResult
  /** The prompt was longer than the provider takes, or has no stored reply. */
  | { readonly kind: 'overflow'; readonly failure: Failure }

/** Repairs that are left; those of a decision that is tried again with less text are not given back. */
interface Repairs {
  used: number
  readonly most: number
}

/** Question, answer, check, repair. The last answer in the right form counts when the repairs are used up. */
export async function decide(
  calls: SampleCalls,
  { request: first, rendering, coverage }: Decision,
  repairs: Repairs,
  round: number,
): Promise<Decided> {
  const question: EvidenceQuestion = { ...calls.question, rendering }
  let request = first
  let issues: readonly Issue[] = []
  let judged: { claims: Claims; evidence: Evidence } | null = null
  let asked = await calls.ask(request, round, 'decide')
  if (asked === null) return { kind: 'overflow', failure: NOTHING_STORED }
  while (asked !== null) {
    if (!asked.reply.ok) {
      const { failure } = asked.reply
      if (failure.code === 'context_overflow') return { kind: 'overflow', failure }
      return calls.end({ kind: 'failed', failure }, coverage)
    }
    const claims = calls.read(asked.reply.text)
    let complaint: string
    if (claims.ok) {
      await new Promise(setImmediate)
      const evidence = checkEvidence(claims.value, question)
      judged = { claims: claims.value, evidence }
      const mend = mendable(evidence.unmet, flatten(claims.value, calls.question.rubric).claims)
      if (mend.length === 0) break
      complaint = renderComplaint(mend, evidence.citations, rendering)
    } else {
      issues = claims.error
      complaint = renderFormComplaint(issues)
    }
    if (repairs.used === repairs.most) break
    request = { ...request, repairs: [...request.repairs, { answer: asked.reply.text, complaint }] }
    asked = await calls.ask(request, ++repairs.used, 'repair')
  }
  return judged === null
    ? calls.end({ kind: 'failed', failure: schemaInvalid(issues, calls.question) }, coverage)
    : calls.end({ kind: 'judged', ...judged }, coverage)
}
