import type { Disagreement } from '../../src/schemas/audit/disagreement.ts'
import type { Report } from '../../src/schemas/audit/report.ts'
import type { AgreementAnswer } from '../../src/schemas/audit/stored-agreement.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Behaviour } from '../../src/schemas/vocabulary.ts'
import type { Batches } from './grading.ts'
import { type Known, RATER } from './human.ts'
import { heading, say, sayAgreement, sayConfusion, sayShares } from './printing.ts'
import type { Service } from './service.ts'

export async function sayDifferences(service: Service, { lexical, played }: Batches): Promise<void> {
  const compared = await service.veridict('compare', lexical, played)
  say(`$ veridict compare ${lexical} ${played}`)
  // Without the list of the flips.
  say(`${compared.slice(0, compared.lastIndexOf('\n\n'))}\n`)
  const queue = await readQueue(service)
  say(`the disagreement queue has ${queue.length} questions:`)
  const kinds = new Map<string, number>()
  for (const { kinds: of } of queue) kinds.set(of[0] ?? '', (kinds.get(of[0] ?? '') ?? 0) + 1)
  say(`  by their most telling kind: ${[...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ')}`)
  for (const why of queue[0]?.why ?? []) say(`  the first: ${why}`)
}

async function readQueue(service: Service): Promise<readonly Disagreement[]> {
  const { items } = await service.get<{ items: Disagreement[] }>('/v1/disagreements?limit=200')
  return items
}

export async function saySettled(service: Service): Promise<string> {
  const queue = await readQueue(service)
  return `settled now: ${queue.filter(({ settled }) => settled).length} of ${queue.length} questions of the queue`
}

/** What the correction rests on now: more reviews of another design can change that. */
export async function sayCorrection(service: Service): Promise<void> {
  const { overall } = await service.get<Report>('/v1/reports?judge=played&group_by=none')
  const { estimator, reason, n_reviews } = overall?.corrected ?? {}
  say(`correction of all trials: ${estimator ?? 'none'}, ${n_reviews} reviews: ${reason}`)
}

/** Agreement of judges, samples and the human; then the shares, raw, corrected and true. */
export async function sayNumbers(
  service: Service,
  known: Known,
  grades: readonly Grade[],
  sample: readonly Grade[],
): Promise<void> {
  say(await saySettled(service))
  heading('Agreement')
  const ask = (raters: readonly string[], query: object) =>
    service.post<AgreementAnswer>('/v1/agreement', { stored: { raters, query } })
  const all = { batch: grades[0] === undefined ? '' : await batchOf(service, 'played') }
  const random = { ids: sample.map(({ id }) => id) }
  sayAgreement('The two judges', await ask(['judge:lexical', 'judge:played'], all))
  sayAgreement('Three samples of the played judge', await ask(['samples:played'], all))
  const human = await ask([`human:${RATER}`, 'judge:played'], random)
  sayAgreement('Human and the played judge, on the random sample', human)
  sayAgreement('Human and lexical, on the random sample', await ask([`human:${RATER}`, 'judge:lexical'], random))
  sayAgreement(
    'Human and both judges, on the random sample',
    await ask([`human:${RATER}`, 'judge:lexical', 'judge:played'], random),
  )
  say('\nConfusion on the random sample')
  sayConfusion(human)
  heading('Shares of the played judge, corrected by the random sample')
  await sayCorrected(service, known, grades)
}

async function batchOf(service: Service, name: string): Promise<string> {
  const { items } = await service.get<{ items: { id: string; name: string | null }[] }>('/v1/batches?limit=50')
  return items.find((one) => one.name === name)?.id ?? ''
}

async function sayCorrected(service: Service, known: Known, grades: readonly Grade[]): Promise<void> {
  const held = { raw: 0, corrected: 0, intervals: 0 }
  for (const by of ['agent', 'variant'] as const) {
    const report = await service.get<Report>(`/v1/reports?judge=played&group_by=${by}`)
    const groups = by === 'agent' ? [report.overall, ...report.groups] : report.groups
    for (const group of groups) {
      if (group === null) continue
      const whole = group === report.overall
      const own = grades.filter(({ label, metadata }) => label !== null && (whole || metadata[by] === group.key))
      const { raw, corrected, intervals } = sayShares(whole ? 'all' : `${by} ${group.key}`, group, truthOf(known, own))
      held.raw += raw
      held.corrected += corrected
      held.intervals += intervals
    }
  }
  say(
    `\nThe true share of the graded trials (✓) is in ${held.corrected} of ${held.intervals} corrected intervals, and in ${held.raw} of the judge’s own. These`,
  )
  say('are no independent tries: the groups overlap, and all share one sample of reviews.')
}

/** True shares among the trials that the judge gave a label: those that raw and corrected shares are of. */
function truthOf(known: Known, grades: readonly Grade[]): Readonly<Record<Behaviour, number>> {
  const count = (label: Behaviour): number =>
    grades.filter(({ receipt }) => known.get(receipt.trajectory)?.label === label).length
  const [not_observed, aligned, compliant, ignored, distractor_only] = (
    ['not_observed', 'aligned', 'compliant', 'ignored', 'distractor_only'] as const
  ).map((label) => count(label) / grades.length) as [number, number, number, number, number]
  return { not_observed, aligned, compliant, ignored, distractor_only }
}

export async function sayReport(service: Service): Promise<void> {
  const words = 'report -j played --group-by variant --pair-by variant --base tab --head tab-defended'
  say(`$ veridict ${words}`)
  say((await service.veridict(...words.split(' '))).trimEnd())
}
