import type { Measure } from '../../schemas/audit/certificate.ts'
import { agreement } from '../statistics/agreement/agreement.ts'
import { labelScores } from '../statistics/agreement/label-scores.ts'
import { type Answer, isRight, type JudgedItem, provedAnswer, type Question } from './judged-item.ts'
import { shareOf } from './share.ts'

/** How far from the labelled step a judge's step still counts, beside exactly there. */
const NEAR_STEPS = [1, 3, 5] as const

/** The measures of a question: of all items, then, where there are several groups, of each. */
export function measuresOf(question: Question, items: readonly JudgedItem[]): Measure[] {
  const answered = items.filter(({ human }) => human[question.id] !== undefined)
  const groups = [...new Set(answered.flatMap(({ group }) => group ?? []))].sort()
  const parts = groups.length > 1 ? groups : []
  return [
    measure(question, answered, null),
    ...parts.map((group) =>
      measure(
        question,
        answered.filter((one) => one.group === group),
        group,
      ),
    ),
  ]
}

const textOf = (value: Answer): string => String(value)
const humanOf = ({ human }: JudgedItem, { id }: Question): Answer => human[id] as Answer

function measure(question: Question, items: readonly JudgedItem[], group: string | null): Measure {
  const { id } = question
  const right = (item: JudgedItem) => isRight(item, id)
  const graded = items.filter((item) => provedAnswer(item, id) !== null)
  const refused = items.filter((item) => item.status === 'unverified' && item.claimed[id] === humanOf(item, question))
  return {
    group,
    right: shareOf(items, right),
    right_of_graded: shareOf(graded, right),
    refused_right: refused.length,
    majority: majorityOf(question, items),
    chance: meanOf(items.map((item) => chanceOf(question, item, 0))),
    near: question.type === 'step' ? NEAR_STEPS.map((within) => nearOf(question, items, within)) : [],
    ...closedMeasures(question, items, graded),
  }
}

function majorityOf(question: Question, items: readonly JudgedItem[]): Measure['majority'] {
  const counts = Map.groupBy(items, (item) => humanOf(item, question))
  const [first] = [...counts].sort(([, a], [, b]) => b.length - a.length)
  if (first === undefined) return null
  const [value] = first
  return { value: textOf(value), right: shareOf(items, (item) => humanOf(item, question) === value) }
}

function nearOf(question: Question, items: readonly JudgedItem[], within: number): Measure['near'][number] {
  const isNear = (item: JudgedItem): boolean => {
    const said = provedAnswer(item, question.id)
    return typeof said === 'number' && Math.abs(said - Number(humanOf(item, question))) <= within
  }
  return {
    within,
    right: shareOf(items, isNear),
    chance: meanOf(items.map((item) => chanceOf(question, item, within))),
  }
}

/** What one of the possible answers, drawn at random, is right with. */
function chanceOf(question: Question, item: JudgedItem, within: number): number | null {
  const human = humanOf(item, question)
  const { steps, agents } = item
  if (question.type === 'boolean') return 1 / 2
  if (question.type === 'step') {
    if (steps === null || steps.length === 0) return null
    return steps.filter((step) => Math.abs(step - Number(human)) <= within).length / steps.length
  }
  if (question.type === 'agent') {
    if (agents === null || agents.length === 0) return null
    return agents.includes(textOf(human)) ? 1 / agents.length : 0
  }
  return question.values.length === 0 ? null : 1 / question.values.length
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 || known.length < values.length
    ? null
    : known.reduce((sum, value) => sum + value, 0) / known.length
}

type Closed = Pick<Measure, 'cohen_kappa' | 'gwet_ac1' | 'classes' | 'confusion'>

function closedMeasures(question: Question, items: readonly JudgedItem[], graded: readonly JudgedItem[]): Closed {
  const { id, values } = question
  if (values.length === 0) return { cohen_kappa: null, gwet_ac1: null, classes: [], confusion: null }
  const place = new Map(values.map((value, index) => [value, index]))
  const counts = values.map(() => new Array<number>(values.length + 1).fill(0))
  for (const item of items) {
    const row = counts[place.get(textOf(humanOf(item, question))) ?? -1]
    const said = provedAnswer(item, id)
    const column = said === null ? values.length : (place.get(textOf(said)) ?? -1)
    if (row !== undefined && column !== -1) row[column] = (row[column] ?? 0) + 1
  }
  const square = counts.map((row) => row.slice(0, values.length))
  return {
    ...coefficientsOf(question, graded),
    classes: labelScores(values, square).map(({ label, n_judged, n_hit, precision }, index) => {
      // What was left without a verdict was not found: recall is of all.
      const n_human = (counts[index] ?? []).reduce((sum, one) => sum + one, 0)
      const recall = n_human === 0 ? null : n_hit / n_human
      const f1 = n_human + n_judged === 0 ? null : (2 * n_hit) / (n_human + n_judged)
      return {
        ...{ value: label, n_human, n_judge: n_judged, n_both: n_hit },
        ...{ precision: precision.value, recall, f1 },
      }
    }),
    confusion: { values: [...values], counts },
  }
}

function coefficientsOf(question: Question, graded: readonly JudgedItem[]): Pick<Closed, 'cohen_kappa' | 'gwet_ac1'> {
  const ratings = graded.flatMap((item, index) => {
    const common = { item: String(index), ...(item.cluster !== null && { cluster: item.cluster }) }
    return [
      { ...common, rater: 'human', label: textOf(humanOf(item, question)) },
      { ...common, rater: 'judge', label: String(provedAnswer(item, question.id)) },
    ]
  })
  const answered = agreement({ ratings, labels: [...question.values] })
  if (!answered.ok) return { cohen_kappa: null, gwet_ac1: null }
  const { cohen_kappa, gwet_ac1 } = answered.value
  return { cohen_kappa, gwet_ac1 }
}
