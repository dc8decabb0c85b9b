import { resolveAnchors } from '../../domain/anchors/anchors.ts'
import type { Judge, JudgeInfo } from '../../ports/judge.ts'
import { answerByAnchors } from './lexical-answer.ts'

/** The version of the rules, raised with every change of an answer: a part of the judge's identity, and so of the cache key. */
const LEXICAL_VERSION = 5

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
  price: null,
  base_url: null,
}

/** Creates the judge that needs no key and no network. Its answer passes the same gate as any model's. */
export const createLexicalJudge = (): Judge => ({
  info: INFO,
  ask({ evidence: { trajectory, ground_truth, rubric } }) {
    const text = JSON.stringify(answerByAnchors(trajectory, ground_truth, resolveAnchors(ground_truth), rubric))
    return Promise.resolve({ ok: true, text, raw: text, usage: null, model_resolved: null, request_id: null })
  },
})
