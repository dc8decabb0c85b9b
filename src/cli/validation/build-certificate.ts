import type { JudgedItem, Question } from '../../domain/validation/judged-item.ts'
import { isRight, provedAnswer } from '../../domain/validation/judged-item.ts'
import { measuresOf } from '../../domain/validation/measure.ts'
import { shareOf } from '../../domain/validation/share.ts'
import { VERSION } from '../../grading/software.ts'
import { CERTIFICATE_KIND, type Certificate } from '../../schemas/audit/certificate.ts'
import type { Batch } from '../../schemas/batch.ts'
import type { Grade } from '../../schemas/grade.ts'
import { CONFIDENCE_LEVELS } from '../../schemas/vocabulary.ts'
import type { Judged } from './judged.ts'

interface Facts {
  readonly batch: Batch
  readonly data: Certificate['data']
  readonly rubric: Certificate['rubric']
  /** As it was asked for; null: the default one. */
  readonly judge: string | null
  readonly questions: readonly Question[]
}

/** Everything that was found of one judge on one set of labelled runs. */
export function buildCertificate(
  judged: readonly Judged[],
  { batch, data, rubric, judge, questions }: Facts,
): Certificate {
  const items = judged.map(({ item }) => item)
  const asked = questions.filter(({ id }) => items.some(({ human }) => human[id] !== undefined))
  const made = [
    ...new Map(judged.flatMap(({ grade }) => (grade === null ? [] : [[grade.id, grade] as const]))).values(),
  ]
  return {
    kind: CERTIFICATE_KIND,
    version: 1,
    created_at: batch.finished_at ?? new Date().toISOString(),
    software: `veridict ${VERSION}`,
    ...{ data, rubric },
    judge: judgeOf(judge ?? judged.find(({ result }) => result.judge !== null)?.result.judge ?? 'unknown', made),
    ends: tally(items.map(({ status }) => status)),
    failures: tally(judged.flatMap(({ result }) => result.failure?.code ?? [])),
    unmet: tally(judged.flatMap(({ grade }) => [...new Set((grade?.unmet ?? []).map(({ claim }) => claim))])),
    citations: tally(made.flatMap(({ citations }) => citations.map(({ status }) => status))),
    contradictions: tally(
      judged.flatMap(({ grade }) => [...new Set((grade?.contradictions ?? []).map(({ code }) => code))]),
    ),
    cost: costOf(made, batch),
    measures: asked.map((question) => ({
      question: question.id,
      type: question.type,
      of: measuresOf(question, items),
      confidence: confidenceOf(question, items),
    })),
    results: resultsOf(items, asked),
  }
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of [...words].sort()) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

function judgeOf(name: string, grades: readonly Grade[]): Certificate['judge'] {
  const receipt = grades[0]?.receipt
  const resolved = Map.groupBy(grades, (grade) => grade.receipt.model_resolved)
  return {
    name,
    provider: receipt?.provider ?? null,
    model_requested: receipt?.model_requested ?? null,
    models_resolved: [...resolved].map(([model, some]) => ({ model, grades: some.length })),
    samples: receipt?.samples ?? 1,
    settings: receipt?.settings ?? null,
  }
}

function costOf(grades: readonly Grade[], batch: Batch): Certificate['cost'] {
  const attempts = grades.flatMap(({ receipt }) => receipt.attempts)
  const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0)
  const costs = grades.map(({ receipt }) => receipt.cost_usd)
  return {
    calls: attempts.length,
    input_tokens: sum(attempts.map(({ usage }) => usage?.input_tokens ?? 0)),
    output_tokens: sum(attempts.map(({ usage }) => usage?.output_tokens ?? 0)),
    cost_usd: costs.includes(null) ? null : sum(costs.filter((cost) => cost !== null)),
    paid_usd: batch.cost_usd,
  }
}

const confidenceOf = (question: Question, items: readonly JudgedItem[]) =>
  CONFIDENCE_LEVELS.map((level) => {
    const said = items.filter(
      (item) =>
        item.human[question.id] !== undefined && provedAnswer(item, question.id) !== null && item.confidence === level,
    )
    return { level, right: shareOf(said, (item) => isRight(item, question.id)) }
  })

/** Clusters by number: a certificate holds nothing of the runs’ text. */
function resultsOf(items: readonly JudgedItem[], questions: readonly Question[]): Certificate['results'] {
  const numbers = new Map<string, number>()
  const numberOf = (cluster: string | null): number | null => {
    if (cluster === null) return null
    const number = numbers.get(cluster) ?? numbers.size
    numbers.set(cluster, number)
    return number
  }
  return items.map((item) => {
    const answers = questions.flatMap(({ id }) => {
      const human = item.human[id]
      return human === undefined
        ? []
        : [[id, { human, judge: provedAnswer(item, id), right: isRight(item, id) }] as const]
    })
    const { status, cluster } = item
    return { item: item.item, cluster: numberOf(cluster), status, answers: Object.fromEntries(answers) }
  })
}
