import type { AttemptSummary, Usage } from '../../schemas/grade.ts'

/** Output of the newest stored answers of a judge. */
export interface OutputHistory {
  /** Calls that were answered. */
  readonly answers: number
  /** Of these, answers to a first question, not to a repair. */
  readonly questions: number
  /** Tokens of all of them together. */
  readonly output_tokens: number
}

export const NO_HISTORY: OutputHistory = { answers: 0, questions: 0, output_tokens: 0 }

/** Bounds the answers that count and the calls among which they are looked for: neither grows with the database. */
export const MOST_ANSWERS = 200
export const MOST_CALLS = 20_000

export function historyOf(
  answers: readonly { readonly purpose: AttemptSummary['purpose']; readonly usage: Usage }[],
): OutputHistory {
  const outputs = answers.map(({ usage }) => usage.output_tokens)
  return {
    answers: answers.length,
    questions: answers.filter(({ purpose }) => purpose !== 'repair').length,
    output_tokens: outputs.reduce((sum, tokens) => sum + tokens, 0),
  }
}

/** Output tokens of a call by a judge that has answered nothing yet: an assumption, and shown as one. */
const ASSUMED_OUTPUT_TOKENS = 2000

/** Estimates the output tokens of a call by the answers of this judge so far. */
export const likelyOutput = ({ answers, output_tokens }: OutputHistory): number =>
  answers === 0 ? ASSUMED_OUTPUT_TOKENS : output_tokens / answers

/** Estimates the calls for a question, its repairs included. */
export const callsPerQuestion = ({ answers, questions }: OutputHistory): number =>
  questions === 0 ? 1 : answers / questions
