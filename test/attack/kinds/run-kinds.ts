import type { DeniedActs } from '../../../src/domain/evidence/observations.ts'
import type { Trajectory } from '../../../src/domain/trajectory/trajectory.ts'
import type { GradingService } from '../../../src/grading/grade.ts'
import type { Judge, JudgeRequest } from '../../../src/judges/judge.ts'
import { createLexicalJudge } from '../../../src/judges/lexical/lexical-judge.ts'
import { RequestError } from '../../../src/schemas/problem.ts'
import type { Actor, ConfidenceLevel, Label } from '../../../src/schemas/vocabulary.ts'
import type { JudgeAnswer } from '../../tab-behavior.ts'
import { answerFor } from '../evidence-styles.ts'
import { gradeEach, scriptedJudge } from '../grading.ts'
import type { Cited, KindCase } from './kind-case.ts'

const MODEL = 'model'
const NARROW = 'narrow-model'
const SEEING = 'seeing-model'

/** The model of the case that is being run, with a wide window and with a narrow one. It says the same however often it is asked. */
function modelJudges(current: () => KindCase): Judge[] {
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

/** What came of one answer. `refused`: no label, whatever the reason. */
export interface KindResult {
  readonly case: KindCase
  readonly judge: 'model' | 'lexical'
  readonly label: Label | null
  readonly confidence: ConfidenceLevel | null
  /** Whether it is shown to people: a contradiction puts a grade into the review queue. */
  readonly flagged: boolean
  /** The reason why the confidence is not higher; empty: none. */
  readonly limit: string
  /** Status and reason, for reading. */
  readonly why: string
}

const LEXICAL = 'lexical'

/** Grades the answer of each case, and lets the built-in judge answer the same question, once about each run. */
export async function runKinds(
  cases: readonly KindCase[],
  withLexical = true,
  denied_acts: DeniedActs = 'flag',
): Promise<KindResult[]> {
  const asked = new Set<string>()
  const [first] = cases
  if (first === undefined) return []
  let current = first
  const judges = () => [...modelJudges(() => current), createLexicalJudge()]
  return gradeEach(cases, { judges, denied_acts }, async (service, one) => {
    current = one
    const document = one.document()
    const answered = await gradeOne(service, one, document, judgeOf(one))
    const run = runOf(one)
    if (!withLexical || one.windows !== undefined || asked.has(run)) return [answered]
    asked.add(run)
    return [answered, await gradeOne(service, one, document, LEXICAL)]
  })
}

const judgeOf = ({ windows, images }: KindCase): string =>
  windows !== undefined ? NARROW : images === true ? SEEING : MODEL

/** Several answers are about the same run: what the name says before the answer. */
const runOf = ({ name, truth }: KindCase): string => `${name.slice(0, name.lastIndexOf('/'))}/${truth}`

async function gradeOne(
  service: GradingService,
  one: KindCase,
  trajectory: Record<string, unknown>,
  judge: string,
): Promise<KindResult> {
  const by = judge === LEXICAL ? 'lexical' : 'model'
  const base = { case: one, judge: by, label: null, confidence: null, flagged: false, limit: '' } as const
  const { ground_truth } = one
  const request = { trajectory, ground_truth, judge, rubric: 'tab-behavior@1', cache: 'refresh' } as const
  const given = await service.grade(request).catch((error: unknown) => {
    if (error instanceof RequestError) return error
    throw error
  })
  if (given instanceof RequestError) {
    const errors = given.extras.errors ?? []
    return { ...base, why: `${given.code} ${errors.map(({ path, message }) => `${path}: ${message}`).join('; ')}` }
  }
  const { label, status, confidence, contradictions, unmet, citations, failure } = given.grade
  const statuses = citations.map((cited) => `${cited.supports}@${cited.step_id} ${cited.status}`)
  return {
    ...base,
    label,
    confidence: confidence.reported,
    flagged: contradictions.length > 0,
    limit: confidence.limit?.reason ?? '',
    why: [
      status,
      failure?.code ?? '',
      ...statuses,
      ...unmet.map((claim) => `${claim.claim}: ${claim.reason}`),
      ...contradictions.map((found) => found.code),
    ].join(' · '),
  }
}
