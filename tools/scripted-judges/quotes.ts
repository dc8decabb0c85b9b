import type { Part, Step, Trajectory } from '../../src/domain/trajectory/trajectory.ts'

export interface Quote {
  readonly step_id: number
  readonly quote: string
}

const LEAST_VISIBLE = 12
const MOST_CHARS = 300

const visible = (text: string): number => text.replace(/\s/g, '').length

/** The longest line of a text, shortened; null where none is long enough to prove anything. */
export function lineOf(text: string): string | null {
  const longest = text.split('\n').reduce((best, line) => (visible(line) > visible(best) ? line : best), '')
  const cut = longest.trim().slice(0, MOST_CHARS)
  const whole = cut.isWellFormed() ? cut : cut.slice(0, -1)
  return visible(whole) >= LEAST_VISIBLE ? whole : null
}

/** A quote of a step: of the part with the longest line. */
export function quoteOf(step: Step | undefined, fits: (part: Part) => boolean = () => true): Quote | null {
  const lines = (step?.parts ?? []).filter(fits).flatMap(({ text }) => lineOf(text) ?? [])
  const best = lines.reduce((longest, line) => (line.length > longest.length ? line : longest), '')
  return step === undefined || best === '' ? null : { step_id: step.id, quote: best }
}

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/\w{3,}/g) ?? [])

/** The line of an action, or of the agent’s words where there is none, with the most words of an instruction; without one the last. */
export function actFor(trajectory: Trajectory, instruction: string | null, after: number): Quote | null {
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
