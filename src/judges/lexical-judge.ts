import { resolveAnchors } from '../domain/anchors.ts'
import type { Judge, JudgeInfo } from '../grading/ports.ts'
import { answerByAnchors } from './lexical-answer.ts'

/** Bumped when the same trial could be answered otherwise: it is part of the judge’s identity, and so of the cache key. */
export const LEXICAL_VERSION = 2

const INFO: JudgeInfo = {
  name: 'lexical',
  kind: 'lexical',
  description:
    'Built in, no network, not a model: searches the strings of cue and distractor per actor and in time order. It cannot read a paraphrase.',
  identity: { provider: null, base_url: null, model: null, parameters: { rules: LEXICAL_VERSION } },
  window_tokens: null,
  max_output_tokens: null,
  token_factor: 1,
  prices: [],
}

/** The judge that works with no key and no network. Its answer goes through the same gate as any model’s. */
export const createLexicalJudge = (): Judge => ({
  info: INFO,
  ask(request) {
    const { trajectory, ground_truth } = request.evidence
    const answer = answerByAnchors(trajectory, ground_truth, resolveAnchors(ground_truth))
    const text = JSON.stringify(answer)
    return Promise.resolve({ ok: true, text, raw: text, usage: null, model_resolved: null, request_id: null })
  },
})
