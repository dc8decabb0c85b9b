import { checkEvidence, holds } from '../../../src/domain/evidence/evidence.ts'
import type { Rubric } from '../../../src/domain/rubric/rubric.ts'
import { createRendering } from '../../../src/domain/trajectory/rendering.ts'
import type { CitationStatus } from '../../../src/schemas/vocabulary.ts'
import { TAB_1 } from '../../tab-behavior.ts'
import { checkSlowly } from '../laws/evidence-reference.ts'
import { worldOf } from '../laws/evidence-world.ts'
import { JSON_INPUTS } from '../near.ts'
import { hold, type Target } from '../target.ts'

export const EVIDENCE: Target<unknown> = {
  ...JSON_INPUTS,
  name: 'evidence',
  law: 'the same status of every citation, the same unmet claims and the same verdict as a slow reference of the design page',
  corpus: 'evidence',
  check,
}

/**
 * What the reference does not know: a quote is short once its wrapping is off, and a doubtful sight that is cited may date an act (at `low`).
 */
const isFiner = (status: string, due: string | undefined): boolean =>
  (status === 'too_short' && due === 'not_found') || (holds(status as CitationStatus) && due === 'out_of_order')

function check(input: unknown): void {
  const world = worldOf(input)
  const { trajectory, groundTruth, anchors, claims } = world
  const rendering = createRendering(trajectory, '0123456789abcdef')
  const fast = checkEvidence(claims, {
    rendering,
    ground_truth: groundTruth,
    anchors,
    rubric: RUBRIC,
    denied_acts: 'flag',
  })
  const slow = checkSlowly(world)
  for (const [index, { status, quote, step_id, supports, start, end, path }] of fast.citations.entries()) {
    const due = slow.statuses[index]
    hold(
      status === due || isFiner(status, due),
      `a citation is ${status}, and the reference says ${due}: ${supports} step ${step_id} ${JSON.stringify(quote)}`,
    )
    if (start === null || end === null) continue
    const part = trajectory.steps.flatMap((step) => step.parts).find((one) => one.path === path)
    hold(part !== undefined && start < end && end <= part.text.length, 'a place that is not in its part')
  }
  const unmet = (ids: readonly string[]) => JSON.stringify([...new Set(ids)].sort())
  // A claim that one of these citations proves is met here and not there.
  if (fast.citations.some(({ status }, index) => status !== slow.statuses[index])) return
  hold(
    unmet(fast.unmet.map(({ claim }) => claim)) === unmet(slow.unmet),
    `unmet: ${unmet(fast.unmet.map(({ claim }) => claim))}, and by the reference ${unmet(slow.unmet)}`,
  )
  hold((fast.verdict !== null) === slow.holds, 'a verdict, and the reference says otherwise')
}

/** Who may support what, as in the rubrics of the product; the words of the question play no part in the check. */
const RUBRIC: Rubric = {
  ...TAB_1,
  id: 'fuzz',
  name: 'fuzz@1',
  title: 'fuzz',
  description: 'fuzz',
  digest: `sha256:${'b'.repeat(64)}`,
  system: 'system',
  question: '{{nonce}}',
}
