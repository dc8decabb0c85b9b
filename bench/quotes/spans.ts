import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import type { Span } from './writings.ts'

const SHORTEST = 20
const LONGEST = 400
/** Two lines of a listing, a diff or a quotation. */
const LISTED = /\n(?:\+.*\n\+|>.*\n>| *\d+[\t|:→].*\n *\d+[\t|:→])/

/** Lines, pieces of lines and several lines of parts that differ in what they are, as a judge picks them. */
export function pickSpans(trajectory: Trajectory, count: number, random: (below: number) => number): Span[] {
  const parts = trajectory.steps.flatMap((step, index) =>
    step.parts.flatMap((part) => (part.media || part.text.length < SHORTEST ? [] : [{ part, step: index }])),
  )
  const spans: Span[] = []
  for (let tries = 0; tries < count * 4 && spans.length < count; tries++) {
    const chosen = parts[random(parts.length)]
    if (chosen === undefined) break
    const { part, step } = chosen
    const [start, end] = pickRange(part.text, random)
    const text = part.text.slice(start, end)
    const lead = text.length - text.trimStart().length
    const trimmed = text.trim()
    const visible = [...trimmed].filter((one) => one.trim() !== '').length
    if (visible < SHORTEST || trimmed.length > LONGEST || !trimmed.isWellFormed()) continue
    spans.push({ part, step, start: start + lead, end: start + lead + trimmed.length, text: trimmed })
  }
  return spans
}

function pickRange(text: string, random: (below: number) => number): [number, number] {
  const at = random(text.length)
  const start = text.lastIndexOf('\n', at) + 1
  const kind = random(4)
  const listed = kind === 3 ? text.slice(at).search(LISTED) : -1
  if (listed !== -1) return lines(text, at + listed + 1, 1 + random(5))
  if (kind === 0) return [start, lineEnd(text, at)]
  if (kind === 1) return [at, Math.min(text.length, at + SHORTEST + random(200))]
  return lines(text, start, 1 + random(5))
}

function lines(text: string, start: number, more: number): [number, number] {
  let end = lineEnd(text, start)
  for (let left = more; left > 0 && end < text.length; left--) end = lineEnd(text, end + 1)
  return [start, end]
}

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}
