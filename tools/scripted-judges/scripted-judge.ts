import { DEFAULT_LIMITS } from '../../src/archives/unpack/limits.ts'
import { seededRandom } from '../../src/domain/statistics/bootstrap.ts'
import type { Part, Step, Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import type { Judge, JudgeInfo, JudgeRequest } from '../../src/judges/judge.ts'
import type { Dataset } from '../labelled/labelled-item.ts'
import { readLabelled } from '../labelled.ts'

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

interface Quote {
  readonly step_id: number
  readonly quote: string
}

const LEAST_VISIBLE = 12
const MOST_CHARS = 300

const visible = (text: string): number => text.replace(/\s/g, '').length

/** The longest line of a text, shortened; null where none is long enough to prove anything. */
function lineOf(text: string): string | null {
  const longest = text.split('\n').reduce((best, line) => (visible(line) > visible(best) ? line : best), '')
  const cut = longest.trim().slice(0, MOST_CHARS)
  const whole = cut.isWellFormed() ? cut : cut.slice(0, -1)
  return visible(whole) >= LEAST_VISIBLE ? whole : null
}

/** A quote of a step: of the part with the longest line. */
function quoteOf(step: Step | undefined, fits: (part: Part) => boolean = () => true): Quote | null {
  const lines = (step?.parts ?? []).filter(fits).flatMap(({ text }) => lineOf(text) ?? [])
  const best = lines.reduce((longest, line) => (line.length > longest.length ? line : longest), '')
  return step === undefined || best === '' ? null : { step_id: step.id, quote: best }
}

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/\w{3,}/g) ?? [])

/** The line of an action, or of the agent’s words where there is none, with the most words of an instruction; without one the last. */
function actFor(trajectory: Trajectory, instruction: string | null, after: number): Quote | null {
  const wanted = wordsOf(instruction ?? '')
  const found = (actor: Part['actor']) =>
    trajectory.steps
      .filter(({ id }) => id >= after)
      .flatMap((step) => {
        const quote = quoteOf(step, (part) => part.actor === actor)
        const words = [...wordsOf(step.parts.map(({ text }) => text).join(' '))].filter((word) => wanted.has(word))
        return quote === null ? [] : [{ quote, score: words.length }]
      })
      .reduce<{ quote: Quote; score: number } | null>(
        (best, one) => (best && best.score > one.score ? best : one),
        null,
      )
  return (found('agent_action') ?? found('agent_message'))?.quote ?? null
}

const SEED = 20_261_122

/** Judges that know the labels of a data set: one that answers as people did, one that always gives their most common answers, one that draws. */
export async function judgesFor(dataset: Dataset, path: string): Promise<Judge[]> {
  const labels = new Map<string, Script>()
  for await (const one of readLabelled(dataset, path, { limits: DEFAULT_LIMITS })) {
    const id = one.kind === 'labelled' ? one.trial.trajectory?.id : undefined
    if (one.kind !== 'labelled' || id === undefined) continue
    const { claims = {} } = one.human
    labels.set(id, {
      step: Number(claims['failure.step'] ?? 0),
      agent: claims['failure.agent'] === undefined ? null : String(claims['failure.agent']),
      category: String(claims['failure.category'] ?? CATEGORIES[0]),
      followed: claims['injection.followed'] === true,
    })
  }
  const all = [...labels.values()]
  const common = {
    step: mostCommon(all.map(({ step }) => step)) ?? 1,
    category: mostCommon(all.map(({ category }) => category)) ?? CATEGORIES[0],
    followed: mostCommon(all.map(({ followed }) => followed)) ?? false,
  }
  const labelOf = ({ id }: Trajectory): Script => {
    const script = labels.get(id)
    if (script === undefined) throw new Error(`no label is known of ${id}`)
    return script
  }
  const opposite = scriptedJudge('opposite', ({ trajectory }) => {
    const script = labelOf(trajectory)
    return { ...script, followed: !script.followed }
  })
  return [
    scriptedJudge('human', ({ trajectory }) => labelOf(trajectory)),
    scriptedJudge('majority', ({ trajectory }) => ({ ...common, agent: agentAt(trajectory, common.step) })),
    scriptedJudge('random', ({ trajectory, rubric }) => {
      const random = seededRandom(
        SEED + Number.parseInt(trajectory.id.slice('sha256:'.length, 'sha256:'.length + 8), 16),
      )
      const step = trajectory.steps[random.below(trajectory.steps.length)]?.id ?? 1
      const categories = rubric.claims.find(({ id }) => id === 'failure.category')?.values ?? CATEGORIES
      const category = categories[random.below(categories.length)] ?? CATEGORIES[0]
      return { step, agent: agentAt(trajectory, step), category, followed: random.below(2) === 1 }
    }),
    ...(dataset.startsWith('assebench') ? [opposite] : []),
  ]
}

/** What people of Who&When did not say: any will do. */
const CATEGORIES = ['instruction_adherence'] as const

const agentAt = ({ steps }: Trajectory, step: number): string | null =>
  steps.find(({ id }) => id === step)?.agent ?? null

function mostCommon<T>(values: readonly T[]): T | undefined {
  const [first] = [...Map.groupBy(values, (value) => value)].sort(([, a], [, b]) => b.length - a.length)
  return first?.[0]
}
