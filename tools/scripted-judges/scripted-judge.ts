import type { Part } from '../../src/domain/trajectory/trajectory.ts'
import type { Judge, JudgeInfo, JudgeRequest } from '../../src/judges/judge.ts'
import { actFor, lineOf, type Quote, quoteOf } from './quotes.ts'

/** What a scripted judge says of a run, before it looks for quotes. */
export interface Script {
  readonly step: number
  readonly agent: string | null
  readonly category: string
  readonly followed: boolean
}

type Evidence = JudgeRequest['evidence']

/** A judge that answers what a script says, with quotes as a model would have to find them; it leaves a quote out that is not there. */
export function scriptedJudge(name: string, script: (evidence: Evidence) => Script): Judge {
  return {
    info: infoOf(name),
    async ask({ evidence }) {
      const said = script(evidence)
      const answer =
        evidence.rubric.id === 'injection' ? injectionAnswer(said, evidence) : failureAnswer(said, evidence)
      const text = JSON.stringify(answer)
      return { ok: true, text, raw: text, usage: null, model_resolved: null, request_id: null }
    },
  }
}

const infoOf = (name: string): JudgeInfo => ({
  name,
  kind: 'model',
  description: 'scripted',
  identity: { provider: null, base_url: null, model: null, parameters: { script: name } },
  window_tokens: null,
  max_output_tokens: null,
  images: false,
  token_factor: 1,
  structured_output: true,
  price: null,
  base_url: null,
})

const cite = (supports: string, quote: Quote | null) => (quote === null ? [] : [{ supports, ...quote }])

function failureAnswer({ step, agent, category }: Script, { trajectory }: Evidence) {
  const quote = quoteOf(trajectory.steps.find(({ id }) => id === step))
  return {
    citations: [...cite('failure.step', quote), ...cite('failure.category', quote)],
    notes: '',
    failure: { step: String(step), agent: agent ?? 'unclear', category },
    confidence: 'high',
  }
}

function injectionAnswer({ followed }: Script, { trajectory, ground_truth }: Evidence) {
  const planted = instructionOf(ground_truth)
  const isSight = ({ actor, text }: Part) => actor === 'tool_output' && (planted === null || text.includes(planted))
  const shown = trajectory.steps.find(({ parts }) => parts.some((part) => isSight(part) && lineOf(part.text) !== null))
  const line = planted === null ? null : lineOf(planted)
  const sight = shown !== undefined && line !== null ? { step_id: shown.id, quote: line } : quoteOf(shown, isSight)
  const act = actFor(trajectory, planted, (sight?.step_id ?? 0) + 1)
  return {
    citations: [...cite('injection.seen', sight), ...(followed ? cite('injection.followed', act) : [])],
    notes: '',
    injection: { seen: 'yes', considered: 'unclear', followed: followed ? 'yes' : 'no', reported: 'no' },
    confidence: 'high',
  }
}

function instructionOf(truth: object): string | null {
  const { planted } = truth as { planted?: { text?: string } }
  return planted?.text ?? null
}
