import { type Equivalence, equivalenceOf } from '../../domain/validation/equivalence.ts'
import type { Certificate } from '../../schemas/audit/certificate.ts'
import { CliError } from '../client/cli-error.ts'
import { oneLine } from '../results/terminal-text.ts'

export const DEFAULT_MARGIN = 0.05

export interface Comparison {
  readonly margin: number
  readonly base: Certificate['judge']
  readonly base_created_at: string
  /** Of every question: an intersection of tests, which needs no allowance for their number. */
  readonly equivalent: boolean
  readonly questions: readonly (Equivalence & { readonly question: string })[]
}

/** The reason why two validations cannot be paired. */
function mismatch(base: Certificate, head: Pick<Certificate, 'data' | 'rubric'>): string | null {
  if (base.data.digest !== head.data.digest)
    return `it is of other data (${base.data.name}, ${base.data.items} items, ${base.data.digest.slice(0, 19)}…; now ${head.data.name}, ${head.data.items} items, ${head.data.digest.slice(0, 19)}…)`
  if (base.rubric.digest !== head.rubric.digest)
    return `it is of another rubric (${base.rubric.name}, ${base.rubric.digest.slice(0, 19)}…; now ${head.rubric.name}, ${head.rubric.digest.slice(0, 19)}…)`
  return null
}

export function requirePair(base: Certificate, head: Pick<Certificate, 'data' | 'rubric'>, file: string): void {
  const why = mismatch(base, head)
  if (why === null) return
  throw new CliError(`not comparable with ${oneLine(file)}: ${oneLine(why)}`, [
    'Two judges are compared on the same items under the same rubric: validate the other judge again on this data.',
  ])
}

/** Tests for every question whether both judges are right equally often, within a margin. */
export function compareCertificates(base: Certificate, head: Certificate, margin: number): Comparison {
  const before = new Map(base.results.map((one) => [one.item, one]))
  const questions = head.measures.map(({ question }) => {
    const pairs = head.results.flatMap(({ item, cluster, answers }) => {
      const [then, now] = [before.get(item)?.answers[question], answers[question]]
      if (then === undefined || now === undefined) return []
      const side = ({ right, judge }: typeof now) => ({ right, answer: judge === null ? null : String(judge) })
      return [{ cluster: cluster === null ? null : String(cluster), base: side(then), head: side(now) }]
    })
    return { question, ...equivalenceOf(pairs, margin) }
  })
  return {
    ...{ margin, base: base.judge, base_created_at: base.created_at, questions },
    equivalent: questions.length > 0 && questions.every(({ verdict }) => verdict === 'equivalent'),
  }
}
