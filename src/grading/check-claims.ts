import { isLarge } from '../asking/turns.ts'
import { checkEvidence, type Evidence } from '../domain/evidence/evidence.ts'
import type { EvidenceQuestion } from '../domain/evidence/evidence-question.ts'
import type { Claims } from '../domain/rubric/claims.ts'
import { checkOnThread } from '../offload/large-runs.ts'
import { ThreadLost } from '../offload/offload.ts'

/**
 * Checks claims, those about a large run on a thread of its own. Null: the thread died or ran out of time, and nothing was
 * checked.
 */
export async function checkClaims(claims: Claims, question: EvidenceQuestion): Promise<Evidence | null> {
  if (!isLarge(question.rendering.trajectory)) return checkEvidence(claims, question)
  try {
    return await checkOnThread(claims, question)
  } catch (error) {
    // Anything else is a fault of our own code, as it is where no thread checks.
    if (error instanceof ThreadLost) return null
    throw error
  }
}
