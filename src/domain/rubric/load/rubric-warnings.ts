import type { Issue } from '../../result.ts'
import { splitClaim } from '../answer-schema.ts'
import { allClaims, instructionBefore, type Rubric, sightClaim } from '../rubric.ts'
import { readTemplate } from '../template.ts'

/** Lists statements of a rubric that its author hardly means. */
export function rubricWarnings(rubric: Rubric): Issue[] {
  const { question, system, claims, truth } = rubric
  const used = readTemplate(question).variables.map(({ name }) => name)
  const text = `${question}\n${system}`
  const inQuestion = (message: string): Issue => ({ path: '/question.md/1', message })
  return [
    ...allClaims(claims).flatMap(({ id, type, values, runs_of }): Issue[] => {
      if (runs_of !== null || type === 'list') return []
      if (!text.includes(`\`${id}\``) && !text.includes(`\`${splitClaim(id)[1]}\``))
        return [inQuestion(`never mentions \`${id}\`: say what it asks, and when each answer is right`)]
      const silent = values.filter((value) => !text.includes(`\`${value}\``))
      return silent.length === 0
        ? []
        : [inQuestion(`never says when \`${id}\` is ${silent.map((one) => `\`${one}\``).join(', ')}`)]
    }),
    ...truth.members
      .filter((name) => !used.includes(name))
      .map((name) => inQuestion(`never uses {{${name}}}: the judge does not learn what the truth says of it`)),
    ...(used.includes('answer_schema')
      ? []
      : [inQuestion(`never uses {{answer_schema}}: a judge whose provider holds it to no form is not told the form`)]),
    ...unreachable(rubric),
  ]
}

/** Lists labels of which every row claims something that is known only after the sight, and denies the sight. */
function unreachable(rubric: Rubric): Issue[] {
  const { claims, outcome } = rubric
  const sight = sightClaim(rubric)
  if (outcome.kind !== 'table' || sight === null) return []
  const after = claims.filter((claim) => claim !== sight && instructionBefore(claim) !== null)
  const isIdle = ({ when }: (typeof outcome.rows)[number]): boolean =>
    when[sight.id] === false && after.some(({ id }) => when[id] === true)
  return outcome.labels.flatMap((label): Issue[] => {
    const rows = outcome.rows.flatMap((row, at) => (row.label === label ? [{ row, at }] : []))
    if (!rows.every(({ row }) => isIdle(row))) return []
    const message = `hardly any grade is ${label}: its rows have ${sight.id} false, and true what counts only after a sight`
    return [{ path: `/outcome/table/${rows[0]?.at ?? 0}`, message }]
  })
}

/** Variables and sections that every question may use; each has a value for every request. */
export const VARIABLES = ['nonce', 'signals', 'steps', 'agents', 'claims', 'answer_schema'] as const
export const SECTIONS = [
  /** All instructions of the rubric are given. */
  'both',
  /** An instruction is carried out by saying something. */
  'by_message',
  /** The rubric tells what the harness measured. */
  'signals',
  /** The judge is not held to the schema by its provider: it has to be told the form. */
  'written_form',
] as const

/** Lists the names that the question of a rubric may use: the common names, and those of its ground truth. */
export function promptNames({ truth }: Pick<Rubric, 'truth'>): { variables: string[]; sections: string[] } {
  const { instructions, members } = truth
  const named = [...members, ...instructions]
  return {
    variables: [...VARIABLES, ...named, ...instructions.map((name) => `${name}_acted_by`), 'acted_by'],
    sections: [...SECTIONS, ...named, ...named.map((name) => `no_${name}`)],
  }
}
