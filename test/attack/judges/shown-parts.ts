import type { JudgeRequest } from '../../../src/judges/judge.ts'
import { ACTORS, type Actor } from '../../../src/schemas/vocabulary.ts'

/** A part as a judge reads it in the prompt. */
export interface ShownPart {
  readonly step_id: number
  readonly actor: Actor
  /** As shown, escapes and all. */
  readonly text: string
}

/** Takes the frames that the service wrote: at the start of a line, with the mark. */
const isFrame = (line: string, mark: string): boolean =>
  (line.startsWith('=== ') || line.startsWith('--- ')) && line.includes(` · ${mark}`)

/** The mark of this prompt, from the frame after the record: no part of the trajectory can have written that one. */
const markOf = (request: JudgeRequest): string => {
  const head = '=== QUESTION · '
  const at = request.question.indexOf(head)
  return at === -1 ? '' : (request.question.slice(at + head.length).split(' ')[0] ?? '')
}

export function readParts(request: JudgeRequest): ShownPart[] {
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
  for (const frame of request.trajectory.split('\n')) {
    if (!isFrame(frame, mark)) {
      lines.push(frame)
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
