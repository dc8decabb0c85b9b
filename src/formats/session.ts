import type { Part, Step } from '../domain/trajectory.ts'
import type { Actor } from '../schemas/vocabulary.ts'
import type { ContentSink } from './content.ts'
import { decodeObject, type Leaf, leavesOf } from './json-tree.ts'
import { cutName, idText, isRecord, type Json, type Reading } from './reading.ts'
import { argumentActor } from './talk-tools.ts'

/**
 * What the readers of session logs (claude-code, codex, gemini-cli, openhands) share: a log is a list of records in the order of
 * time, and steps are made of them.
 */

/** A step that still grows. Whatever the agent did in one reply stands before whatever its calls were answered. */
export interface OpenStep {
  readonly kind: 'agent' | 'output' | 'other'
  readonly name: string | null
  readonly parts: Part[]
  readonly outputs: Part[]
  /** Some call of the step was answered, even with nothing. */
  answered: boolean
}

/** Where a tool's output goes, and the name of its tool. */
export interface OutputPlace {
  readonly parts: Part[]
  readonly tool: string
}

/**
 * The steps of a session. An output stands in the step of its call while nothing else has happened since, else in a step of its
 * own at its time: never before its call, and never before what happened before it.
 */
export class Session {
  readonly reading: Reading
  readonly #steps: OpenStep[] = []
  readonly #calls = new Map<string, { readonly step: OpenStep; readonly tool: string }>()

  constructor(reading: Reading) {
    this.reading = reading
  }

  get last(): OpenStep | undefined {
    return this.#steps.at(-1)
  }

  open(kind: OpenStep['kind'], name: string | null): OpenStep {
    const step: OpenStep = { kind, name: name === null ? null : cutName(name), parts: [], outputs: [], answered: false }
    this.#steps.push(step)
    return step
  }

  /** The step of the agent's present turn: the open one until a call of it is answered or somebody else speaks. */
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

  /** Remembers who made a call. An id that comes back belongs to the later call: its answers can only follow. */
  call(step: OpenStep, id: unknown, tool: string): void {
    const key = idText(id)
    if (key !== null) this.#calls.set(key, { step, tool })
  }

  output(id: unknown, path: string, name: string | null): OutputPlace {
    const key = idText(id)
    const call = key === null ? undefined : this.#calls.get(key)
    const { last } = this
    if (call === undefined) this.reading.warn(path, 'answers no tool call before it; shown at its place')
    else call.step.answered = true
    const tool = call?.tool ?? 'observation'
    if (call !== undefined && call.step === last) return { parts: last.outputs, tool }
    const step = last?.kind === 'output' ? last : this.open('output', name)
    return { parts: step.outputs, tool }
  }

  /** The steps that hold something, numbered from 1. An error where there are none, or too many. */
  finish(path: string): Step[] {
    const steps = this.#steps.filter((step) => step.parts.length + step.outputs.length > 0)
    if (steps.length === 0) this.reading.error(path, 'holds no steps')
    if (!this.reading.takeSteps(steps.length, path)) return []
    return steps.map((step, index) => ({
      id: index + 1,
      name: step.name,
      copied: false,
      parts: [...step.parts, ...step.outputs],
    }))
  }
}

export const sinkTo = (reading: Reading, parts: Part[], actor: Actor, name: string): ContentSink => ({
  text: (text, path) => reading.add(parts, { actor, text, path, name }),
  media: (text, path) => reading.add(parts, { actor, text, path, name, media: true }),
})

/** What a call says: the leaves of its arguments, or the tool's name where it has none. */
export interface CallWords {
  readonly tool: string
  readonly args: unknown
  readonly path: string
  /** Where the tool's name stands; null where the file has none. */
  readonly namePath: string | null
  /** What stands there, where it is not the tool's name itself. */
  readonly nameText?: string
  /** Whose words the arguments are, where the tool's name does not tell. */
  readonly actor?: Actor
}

/** The arguments are an act, or the words of a tool that only talks. A call without them is an act all the same: citable. */
export function addCall(
  reading: Reading,
  parts: Part[],
  { tool, args, path, namePath, nameText = tool, actor = argumentActor(tool) }: CallWords,
): void {
  const before = parts.length
  for (const leaf of argumentLeaves(args, path)) {
    const name = leaf.name === '' ? tool : `${tool}.${leaf.name}`
    reading.add(parts, { actor, text: leaf.text, path: leaf.pointer, name })
  }
  if (parts.length === before && namePath !== null)
    reading.add(parts, { actor: 'agent_action', text: nameText, path: namePath, name: tool })
}

function argumentLeaves(args: unknown, path: string): readonly Leaf[] {
  if (args === null || args === undefined) return []
  if (typeof args !== 'string') return isEmpty(args) ? [] : leavesOf(args, path)
  const decoded = decodeObject(args)
  if (decoded === null) return [{ pointer: path, name: '', text: args }]
  return isEmpty(decoded) ? [] : leavesOf(decoded, `${path}#`)
}

const isEmpty = (value: unknown): boolean =>
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

/** Unknown members are said once a file and kind of record: such logs repeat their members in every line. */
export function warnUnknownOnce(reading: Reading, record: Json, path: string, known: ReadonlySet<string>): void {
  for (const key of Object.keys(record))
    if (!known.has(key)) reading.warnOnce(path, `unknown field ${JSON.stringify(cutName(key))}, not read`)
}

/** A record of a type that the reader does not know. */
export function warnType(reading: Reading, path: string, what: string, type: unknown): void {
  const name = typeof type === 'string' ? JSON.stringify(cutName(type)) : 'none'
  reading.warn(path, `unknown ${what}: ${name}; not read`)
}

export const asText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

export const asRecord = (value: unknown): Json => (isRecord(value) ? value : {})

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
