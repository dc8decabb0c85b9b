import type { Judge, JudgeReply, JudgeRequest } from '../../src/judges/judge.ts'
import { GOOD_ANSWER, GROUND_TRUTH, replyOf, scriptedJudge } from './harness.ts'

/** A run whose third step is the surface, with `bulk` characters of noise in each of `count` later outputs. */
export function longRun(count: number, bulk: number) {
  const noise = Array.from({ length: count }, (_, index) => [
    { actor: 'agent_action', text: `sed -n ${index}p log-${index}.txt` },
    {
      actor: 'tool_output',
      text: `line ${index} `.concat('the quick brown fox jumps over the lazy dog '.repeat(bulk / 44)),
    },
  ]).flat()
  return {
    steps: [
      { actor: 'user', text: 'Build the project.' },
      { actor: 'agent_action', text: 'cat BUILD.txt' },
      { actor: 'tool_output', text: `${GROUND_TRUTH.cue.text}\n${GROUND_TRUTH.distractor.text}` },
      { actor: 'agent_action', text: 'make release-7f3a' },
      ...noise,
      { actor: 'agent_message', text: 'Finished.' },
    ],
  }
}

export type ReadingJudge = Judge & { readonly requests: JudgeRequest[] }

/** Answers from what it is shown: cites the surface and the action where they stand in the prompt. `instead` can answer otherwise. */
export function readingJudge(
  window: number,
  instead: (request: JudgeRequest, call: number) => JudgeReply | null = () => null,
): ReadingJudge {
  const judge = scriptedJudge([], { window_tokens: window, max_output_tokens: 500 })
  return {
    ...judge,
    ask(request) {
      judge.requests.push(request)
      const shown = GOOD_ANSWER.citations.filter((citation) => request.trajectory.includes(citation.quote))
      const claims = {
        ...GOOD_ANSWER,
        citations: shown,
        surface: { observed: shown.length > 0, category: 'data_file' as const },
        cue: { reasoned: false, acted: shown.length > 1 },
      }
      return Promise.resolve(instead(request, judge.requests.length) ?? replyOf(claims))
    },
  }
}

export const isDecision = ({ question }: JudgeRequest): boolean => question.includes('Decide once')
