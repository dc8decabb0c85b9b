import type { Json } from '../../src/formats/common/reading.ts'
import { type Converted, LabelFault, listField, numberField, recordOf, textField } from './labelled-item.ts'
import { stepDocument, turnsOfTeam } from './team-turns.ts'

export const RUBRIC = 'failure-attribution@1'

/**
 * A run of Who&When (Zhang et al., ICML 2025; github.com/ag2ai/Agents_Failure_Attribution): an entry of `history` is a step. Steps are numbered from
 * 1, as plain step lists are, so that `mistake_step` 0 is step 1.
 */
export function readWhoAndWhen(value: unknown, group: string): Converted {
  const run = recordOf(value, '')
  const history = listField(run, 'history', '')
  const index = numberField(run, 'mistake_step', '')
  if (index >= history.length)
    throw new LabelFault('/mistake_step', `is ${index}, and history has ${history.length} entries`)
  const expected = expectedOf(run)
  return {
    request: {
      rubric: RUBRIC,
      trajectory: stepDocument(turnsOfTeam(history, '/history')),
      ground_truth: { instruction: textField(run, 'question', ''), ...(expected !== null && { expected }) },
      metadata: {
        variant: group,
        ...(typeof run['question_ID'] === 'string' && { task: run['question_ID'].slice(0, 300) }),
      },
    },
    human: { claims: { 'failure.step': index + 1, 'failure.agent': textField(run, 'mistake_agent', '') } },
    group,
  }
}

const MOST_EXPECTED = 20_000

function expectedOf(run: Json): string | null {
  const { ground_truth: truth } = run
  const text = typeof truth === 'number' ? String(truth) : truth
  return typeof text === 'string' && text !== '' ? text.slice(0, MOST_EXPECTED) : null
}
