import { unescapeView } from '../../../src/domain/text/escape.ts'
import type { Act } from '../../../src/domain/trajectory/act.ts'
import { NOTHING_UNREAD, type Part, type Step, type Trajectory } from '../../../src/domain/trajectory/trajectory.ts'
import type { JudgeRequest } from '../../../src/ports/judge-ports.ts'
import { ACTORS, type Actor } from '../../../src/schemas/vocabulary.ts'

/** A part as a judge reads it in the prompt. */
export interface ShownPart {
  readonly step_id: number
  readonly actor: Actor
  /** As shown, escapes and all. */
  readonly text: string
}

/** What a line of the prompt is, to the reader: a frame of it, or null for content. */
export type FrameReader = (line: string, mark: string) => string | null

/** Takes the frames that the service wrote: at the start of a line, with the mark. */
export const readMarkedLines: FrameReader = (line, mark) =>
  (line.startsWith('=== ') || line.startsWith('--- ')) && line.includes(` · ${mark}`) ? line : null

/** Takes for a frame what looks like one, with or without the mark. */
export const readLookalikes: FrameReader = (line) => {
  const text = line.trimStart()
  return text.startsWith('=== ') || (text.startsWith('--- ') && actorOf(text) !== null) ? text : null
}

/** Takes for a frame whatever carries the mark, wherever it stands in its line. */
export const readMarksAnywhere: FrameReader = (line, mark) => {
  if (!line.includes(mark)) return null
  const at = [line.indexOf('=== '), line.indexOf('--- ')].filter((one) => one !== -1)
  return at.length === 0 ? null : line.slice(Math.min(...at))
}

/** The mark of this prompt, from the frame after the record: no part of the trajectory can have written that one. */
const markOf = (request: JudgeRequest): string => {
  const head = '=== QUESTION · '
  const at = request.question.indexOf(head)
  return at === -1 ? '' : (request.question.slice(at + head.length).split(' ')[0] ?? '')
}

export function readParts(request: JudgeRequest, read: FrameReader): ShownPart[] {
  const mark = markOf(request)
  const parts: ShownPart[] = []
  let step_id = 0
  let actor: Actor | null = null
  let lines: string[] = []
  const close = () => {
    if (actor !== null) parts.push({ step_id, actor, text: lines.join('\n') })
    actor = null
    lines = []
  }
  for (const line of request.trajectory.split('\n')) {
    const frame = read(line, mark)
    if (frame === null) {
      lines.push(line)
      continue
    }
    close()
    if (frame.startsWith('=== END')) break
    if (frame.startsWith('=== STEP ')) step_id = Number.parseInt(frame.slice(9), 10)
    if (frame.startsWith('--- ')) actor = actorOf(frame)
  }
  close()
  return parts
}

const actorOf = (frame: string): Actor | null => {
  const word = frame.slice(4).trimStart().split(' ')[0]
  return ACTORS.find((one) => one === word) ?? null
}

/** The agents of these runs have one tool, and a reader without a frame that says otherwise believes that it ran. */
const RUN: Act = {
  role: 'executes',
  language: 'shell',
  target: null,
  call: { tool: 'bash', outcome: 'ran', looks: false },
}

/** What the reader believes the trajectory to be. */
export function believedTrajectory(parts: readonly ShownPart[]): Trajectory {
  const steps: Step[] = []
  for (const shown of parts) {
    const part: Part = {
      actor: shown.actor,
      text: unescapeView(shown.text),
      path: '',
      name: '',
      media: false,
      act: shown.actor === 'agent_action' ? RUN : null,
    }
    const last = steps.at(-1)
    if (last?.id === shown.step_id) steps[steps.length - 1] = { ...last, parts: [...last.parts, part] }
    else steps.push({ id: shown.step_id, name: null, at: null, copied: false, parts: [part] })
  }
  const agent = { name: null, model: null }
  return { id: `sha256:${'0'.repeat(64)}`, format: 'read', agent, steps, warnings: [], unread: NOTHING_UNREAD }
}
