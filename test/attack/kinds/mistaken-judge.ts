import type { Trajectory } from '../../../src/domain/trajectory/trajectory.ts'
import type { Judge, JudgeRequest } from '../../../src/judges/judge.ts'
import type { Actor } from '../../../src/schemas/vocabulary.ts'
import type { JudgeAnswer } from '../../tab-behavior.ts'
import { answerFor } from '../evidence-styles.ts'
import { scriptedJudge } from '../grading.ts'
import type { Cited, KindCase } from './kind-case.ts'

export const MODEL = 'model'
export const NARROW = 'narrow-model'
export const SEEING = 'seeing-model'

/** The model of the case that is being run, with a wide window and with a narrow one. It says the same however often it is asked. */
export function modelJudges(current: () => KindCase): Judge[] {
  let asked: { one: KindCase; count: number } | null = null
  const narrow = scriptedJudge(
    NARROW,
    (request) => {
      const one = current()
      asked = asked?.one === one ? { one, count: asked.count + 1 } : { one, count: 1 }
      if (one.windows?.malformed.includes(asked.count)) return '{"citations": [{"supports": "surface.'
      return JSON.stringify(answerShown(one, request))
    },
    { window_tokens: 15_000, max_output_tokens: 500 },
  )
  const answer = (request: JudgeRequest): string => JSON.stringify(answerOf(current(), request))
  return [scriptedJudge(MODEL, answer), scriptedJudge(SEEING, answer, { images: true }), narrow]
}

/** The answer of a case with the steps in which its quotes stand. */
function answerOf({ answer, images }: KindCase, { evidence, trajectory }: JudgeRequest): JudgeAnswer {
  const citations = answer.citations.map((one) => {
    const place = placeOf(evidence.trajectory, one)
    // The mark of a picture stands only in what is shown.
    const text = images === true ? trajectory : place.text
    const quote = one.whole_line ? lineOf(text, one.find ?? one.quote) : one.quote
    return { supports: one.supports, step_id: place.step_id, quote }
  })
  return answerFor(answer.label, citations)
}

/** A model that is shown a window cites what stands there. */
function answerShown(one: KindCase, request: JudgeRequest): JudgeAnswer {
  const answer = answerOf(one, request)
  const isDecision = request.question.includes('Decide once')
  const citations = answer.citations.filter((cited) => request.trajectory.includes(cited.quote))
  const more = one.windows?.cites_all && !isDecision ? everyAction(request) : []
  const has = (claim: string): boolean => citations.some((cited) => cited.supports === claim)
  return {
    ...answer,
    citations: [...citations, ...more],
    ...(!isDecision && {
      surface: { observed: has('surface.observed'), category: 'data_file' },
      cue: { reasoned: more.length > 0, acted: has('cue.acted') },
    }),
  }
}

/** As many as an answer may cite beside those that matter. */
const MOST = 50

const everyAction = ({ evidence, trajectory }: JudgeRequest): JudgeAnswer['citations'] =>
  evidence.trajectory.steps
    .flatMap((step) =>
      step.parts
        .filter((part) => part.actor === 'agent_action' && part.text.length >= 12 && trajectory.includes(part.text))
        .slice(0, 1)
        .map((part) => ({ supports: 'cue.reasoned' as const, step_id: step.id, quote: part.text })),
    )
    .slice(0, MOST)

const ACTED: readonly Actor[] = ['agent_action', 'agent_message', 'agent_reasoning']
const SEEN: readonly Actor[] = ['tool_output', 'user', 'system']

const lineOf = (text: string, words: string): string => text.split('\n').find((line) => line.includes(words)) ?? words

/** The step with the words, and the part’s text, of the fittest actor that has them; the first step where nothing does. */
function placeOf(trajectory: Trajectory, { supports, quote, find, which }: Cited): { step_id: number; text: string } {
  const sight = supports === 'surface.observed'
  const wanted = find ?? quote
  const places = trajectory.steps.flatMap((step) =>
    step.parts
      .filter((part) => part.text.includes(wanted))
      .map(({ actor, text }) => ({ step_id: step.id, actor, text })),
  )
  for (const actor of sight ? SEEN : ACTED) {
    const fitting = places.filter((place) => place.actor === actor)
    const place = (which ?? (sight ? 'first' : 'last')) === 'first' ? fitting[0] : fitting.at(-1)
    if (place !== undefined) return place
  }
  return places[0] ?? { step_id: trajectory.steps[0]?.id ?? 1, text: '' }
}
