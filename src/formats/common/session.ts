import { type ActOutcome, NOT_RUN } from '../../domain/trajectory/act.ts'
import type { Part, Step } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { type OpenCall, openCall, type ToolTable } from '../tools/tool-table.ts'
import type { ContentSink } from './content.ts'
import { leavesOf } from './json-tree.ts'
import { cutName, idText, isRecord, type Json, type Reading } from './reading.ts'

/**
 * What the readers of session logs (claude-code, codex, cursor, gemini-cli, openhands) share: a log is a list of records in the
 * order of time, and steps are made of them.
 */

/** A step that still grows. Whatever the agent did in one reply stands before whatever its calls were answered. */
export interface OpenStep {
  readonly kind: 'agent' | 'output' | 'other'
  readonly name: string | null
  /** When its first record was written. */
  readonly at: number | null
  /** Which agent of several acted in it. */
  readonly agent: string | null
  readonly parts: Part[]
  readonly outputs: Part[]
  /** Some call of the step was answered, even with nothing. */
  answered: boolean
}

/** Where a tool's output goes, and the name of its tool. */
export interface OutputPlace {
  readonly parts: Part[]
  readonly tool: string
  /** The call that is answered; null where there is none, or where several that have no answer yet share the id. */
  readonly call: OpenCall | null
}

interface Made {
  readonly step: OpenStep
  readonly call: OpenCall
  /** Several calls have this id and none of them was answered: it cannot be told whose an answer is. */
  readonly shared: boolean
  answered: boolean
}

/**
 * The steps of a session. An output stands in the step of its call while nothing else has happened since, else in a step of its
 * own at its time: never before its call, and never before what happened before it.
 */
export class Session {
  readonly reading: Reading
  /** What the harness's tools take. */
  readonly tools: ToolTable
  /** When the record that is being read was written. */
  now: number | null = null
  /** Whose record is being read, in a log of several agents. */
  agent: string | null = null
  readonly #steps: OpenStep[] = []
  readonly #calls = new Map<string, Made>()
  /** Those that nothing has answered yet, and whose answer can be told. */
  readonly #waiting = new Set<Made>()

  constructor(reading: Reading, tools: ToolTable) {
    this.reading = reading
    this.tools = tools
  }

  get last(): OpenStep | undefined {
    return this.#steps.at(-1)
  }

  open(kind: OpenStep['kind'], name: string | null): OpenStep {
    const cut = name === null ? null : cutName(name)
    const step: OpenStep = { kind, name: cut, at: this.now, agent: this.agent, parts: [], outputs: [], answered: false }
    this.#steps.push(step)
    return step
  }

  /** The step of the agent's present turn: the open one until a call of it is answered or another speaks. */
  turn(name: string | null): OpenStep {
    const { last } = this
    return last?.kind === 'agent' && !last.answered ? last : this.open('agent', name)
  }

  /** A step of one text that is not the agent's. */
  note(actor: Actor, text: unknown, path: string, name: string, step: string | null = null): void {
    if (typeof text !== 'string' || text === '') return
    this.reading.add(this.open('other', step).parts, { actor, text, path, name })
  }

  hasCall(id: unknown): boolean {
    const key = idText(id)
    return key !== null && this.#calls.has(key)
  }

  /** A new call, remembered under its id. An id that comes back belongs to the later call: its answers can only follow. */
  call(step: OpenStep, id: unknown, tool: string): OpenCall {
    const call = openCall(tool, idText(id))
    this.remember(step, id, call)
    return call
  }

  /** Lets a call be answered under one more id. */
  remember(step: OpenStep, id: unknown, call: OpenCall): void {
    const key = idText(id)
    if (key === null) return
    const before = this.#calls.get(key)
    const shared = before !== undefined && before.call !== call && (before.shared || !before.answered)
    const made: Made = { step, call, shared, answered: false }
    this.#calls.set(key, made)
    if (before !== undefined) this.#waiting.delete(before)
    if (!shared) this.#waiting.add(made)
  }

  /** What a record beside the answers says became of the call of an id: it tells more plainly than a text can. */
  settle(id: unknown, outcome: ActOutcome): void {
    const key = idText(id)
    const made = key === null ? undefined : this.#calls.get(key)
    if (made !== undefined && !made.shared && outcome !== 'unknown') made.call.outcome = outcome
  }

  /** What becomes of the calls that nothing has answered yet. */
  settleOpen(outcome: ActOutcome): void {
    for (const { call } of this.#waiting) settle(call, outcome)
    this.#waiting.clear()
  }

  /** What was not answered by now ended some other way that the record does not tell. */
  endTurn(): void {
    this.#waiting.clear()
  }

  output(id: unknown, path: string, name: string | null): OutputPlace {
    const key = idText(id)
    const made = key === null ? undefined : this.#calls.get(key)
    const { last } = this
    if (made === undefined) this.reading.warn(path, 'answers no tool call before it; shown at its place')
    else {
      made.step.answered = true
      made.answered = true
      this.#waiting.delete(made)
    }
    const call = made === undefined || made.shared ? null : made.call
    const tool = made?.call.tool ?? 'observation'
    if (made !== undefined && made.step === last) return { parts: last.outputs, tool, call }
    const step = last?.kind === 'output' ? last : this.open('output', name)
    return { parts: step.outputs, tool, call }
  }

  /** The steps that hold something, numbered from 1. An error where there are none, or too many. */
  finish(path: string): Step[] {
    const steps = this.#steps.filter((step) => step.parts.length + step.outputs.length > 0)
    if (steps.length === 0) this.reading.error(path, 'holds no steps')
    if (!this.reading.takeSteps(steps.length, path)) return []
    return steps.map((step, index) => ({
      id: index + 1,
      name: step.name,
      at: step.at,
      ...(step.agent === null ? {} : { agent: step.agent }),
      copied: false,
      parts: [...step.parts, ...step.outputs],
    }))
  }
}

export const sinkTo = (reading: Reading, parts: Part[], actor: Actor, name: string): ContentSink => ({
  text: (text, path) => reading.add(parts, { actor, text, path, name }),
  media: (text, path, _kind, source) => reading.addMedia(parts, { actor, text, path, name }, source),
})

/** Notes what became of a call. Its first answer tells; a later one only where it says that nothing was carried out. */
export function settle(call: OpenCall | null, outcome: ActOutcome): void {
  if (call === null || outcome === 'unknown') return
  if (call.outcome === 'unknown' || (call.outcome === 'failed' && NOT_RUN.has(outcome))) call.outcome = outcome
}

export const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Every leaf of a value that no reader knows better, as parts: nothing of it is lost. */
export function addLeaves(sink: ContentSink, value: unknown, path: string): void {
  if (isEmpty(value)) return
  for (const leaf of leavesOf(value, path)) if (leaf.text !== 'null') sink.text(leaf.text, leaf.pointer)
}

const MAX_REFERENCE = 300

/** `[image: image/png]`. A data URL gives its media type only: the rest is the picture. */
export function mediaText(kind: string, reference: unknown): string {
  if (typeof reference !== 'string' || reference === '') return `[${kind}]`
  const head = reference.slice(0, MAX_REFERENCE)
  if (!head.startsWith('data:'))
    return `[${kind}: ${reference.length > MAX_REFERENCE ? `${head.toWellFormed()}…` : head}]`
  const ends = [head.indexOf(';'), head.indexOf(',')].filter((at) => at !== -1)
  return `[${kind}: ${head.slice('data:'.length, Math.min(...ends, head.length)).toWellFormed()}]`
}

export const asText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** The same as a name: cut where it is too long for one. */
export const asName = (value: unknown): string | null => {
  const text = asText(value)
  return text === null ? null : cutName(text)
}

export const asRecord = (value: unknown): Json => (isRecord(value) ? value : {})

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
