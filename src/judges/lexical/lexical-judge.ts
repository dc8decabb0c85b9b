import { isLarge } from '../../asking/turns.ts'
import { resolveAnchors } from '../../domain/evidence/anchors.ts'
import { answerOnThread } from '../../offload/large-runs.ts'
import type { JudgeInfo } from '../../ports/judge-ports.ts'
import type { Judge } from '../../ports/ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import { BY_DEFAULT } from '../../schemas/judge-info.ts'
import { answerByAnchors } from './lexical-answer.ts'

/** Bumped when the same trial could be answered otherwise: it is part of the judge’s identity, and so of the cache key. */
const LEXICAL_VERSION = 3

const INFO: JudgeInfo = {
  name: 'lexical',
  kind: 'lexical',
  description:
    'Built in, no network, not a model: searches the strings of cue and distractor per actor and in time order. It cannot read a paraphrase.',
  identity: { provider: null, base_url: null, model: null, parameters: { rules: LEXICAL_VERSION } },
  window_tokens: null,
  max_output_tokens: null,
  images: false,
  token_factor: 1,
  structured_output: true,
  prices: [],
  base_url: null,
  sources: BY_DEFAULT,
}

/** The judge that works with no key and no network. Its answer goes through the same gate as any model’s. */
export const createLexicalJudge = (): Judge => ({
  info: INFO,
  async ask(request) {
    const { trajectory, ground_truth, rubric } = request.evidence
    const told = { usage: null, model_resolved: null, request_id: null }
    try {
      const answer = isLarge(trajectory)
        ? await answerOnThread(trajectory, ground_truth, rubric)
        : answerByAnchors(trajectory, ground_truth, resolveAnchors(ground_truth), rubric)
      const text = JSON.stringify(answer)
      return { ok: true, text, raw: text, ...told }
    } catch (error) {
      if (!isLarge(trajectory)) throw error
      return { ok: false, failure: UNSEARCHED, raw: null, ...told }
    }
  },
})

/** Once more would take as long. */
const UNSEARCHED: Failure = {
  code: 'internal',
  message: 'the search of the run took too long or too much memory, and was ended',
  retryable: false,
  retry_after_s: null,
}
