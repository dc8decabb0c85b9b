import { type ActOutcome, NOT_RUN, type Part, type Step } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { type OpenCall, openCall, own, specOf, type ToolSpec, type ToolTable } from '../tools/tool-table.ts'
import { leavesOf } from './json-tree.ts'
import { type ContentSink, cutName, idText, isRecord, type Json, type Reading } from './reading.ts'

/** A step under construction: the agent's parts of one reply come before the results of its calls. */
export interface OpenStep {
  readonly kind: 'agent' | 'output' | 'other'
  readonly name: string | null
  /** The time of its first record, in milliseconds since 1970. */
  readonly at: number | null
  readonly agent: string | null
  readonly parts: Part[]
  readonly outputs: Part[]
  /** True once a call of the step has a result, even an empty one. */
  answered: boolean
}

type Outcome = ActOutcome | ((tool: string) => ActOutcome)

export type PlacedText = { readonly text: string; readonly path: string }

/** Returns a text and its path, from elsewhere where a log keeps a reference in its place; a picture does not count as unfolded text. */
export type Resolve = (text: string, path: string, isPicture?: boolean) => PlacedText

interface SessionCall {
  readonly step: OpenStep | null
  readonly call: OpenCall
  /** True when several calls share this id and none had a result: a result cannot be assigned to one of them. */
  readonly shared: boolean
  answered: boolean
}

/** Builds the steps of a session. An output stands in the step of its call until anything else happens, then in a step of its own at its time. */
export class Session {
  readonly reading: Reading
  /** The argument tables of the harness's tools; null: the name of the agent picks them. */
  readonly tools: ToolTable | null
  readonly agent: string | null
  readonly isList: boolean
  now: number | null = null
  /** The agent of the record that is being read, in a log of several agents. */
  subagent: string | null = null
  readonly #steps: OpenStep[] = []
  readonly #calls = new Map<string, SessionCall>()
  /** Calls without a result whose id only they have. */
  readonly #waiting = new Set<SessionCall>()

  locate: Resolve = (text, path) => ({ text, path })

  constructor(reading: Reading, tools: ToolTable | null, agent: string | null = null, isList = false) {
    this.reading = reading
    this.tools = tools
    this.agent = agent
    this.isList = isList
  }

  specOf(tool: string): ToolSpec | undefined {
    return this.tools === null ? specOf(this.agent, tool) : own(this.tools, tool)
  }

  get last(): OpenStep | undefined {
    return this.#steps.at(-1)
  }

  open(kind: OpenStep['kind'], name: string | null, agent = this.subagent): OpenStep {
    const cut = name === null ? null : cutName(name)
    const step: OpenStep = { kind, name: cut, at: this.now, agent, parts: [], outputs: [], answered: false }
    this.#steps.push(step)
    return step
  }

  /** Returns the step of the agent's present turn: the open step, until one of its calls has a result or another speaker follows. */
  turn(name: string | null): OpenStep {
    const { last } = this
    return last?.kind === 'agent' && !last.answered ? last : this.open('agent', name)
  }

  say(parts: Part[], actor: Actor, text: unknown, path: string, name?: string): void {
    if (typeof text === 'string') this.sink(parts, actor, name).text(text, path)
  }

  note(actor: Actor, text: unknown, path: string, name: string, step: string | null = null): void {
    if (typeof text !== 'string' || text === '') return
    this.reading.add(this.open('other', step).parts, { actor, text, path, name })
  }

  sink(parts: Part[], actor: Actor, name = actor === 'agent_reasoning' ? 'reasoning' : 'message'): ContentSink {
    return sinkTo(this.reading, parts, actor, name)
  }

  hasCall(id: unknown): boolean {
    return this.#made(id) !== undefined
  }

  #made(id: unknown): SessionCall | undefined {
    const key = idText(id)
    return key === null ? undefined : this.#calls.get(key)
  }

  toolOf(id: unknown): string | undefined {
    return this.#made(id)?.call.tool
  }

  /** Takes the call that a result answers, at its first result; null where no call or several have the id. */
  protected answeredCall(id: unknown): OpenCall | null {
    const made = this.#made(id)
    if (made === undefined || made.answered) return null
    this.#end(made)
    return made.shared ? null : made.call
  }

  isWaitingFor(tool: string): boolean {
    return [...this.#waiting].some(({ call }) => call.tool === tool)
  }

  /** Registers a new call under its id. A repeated id belongs to the later call, whose result can only follow. */
  call(step: OpenStep | null, id: unknown, tool: string): OpenCall {
    const call = openCall(tool, idText(id))
    this.remember(step, id, call)
    return call
  }

  remember(step: OpenStep | null, id: unknown, call: OpenCall): void {
    const key = idText(id)
    if (key === null) return
    const before = this.#calls.get(key)
    const shared = before !== undefined && before.call !== call && (before.shared || !before.answered)
    const made: SessionCall = { step, call, shared, answered: false }
    this.#calls.set(key, made)
    if (before !== undefined) this.#waiting.delete(before)
    if (!shared) this.#waiting.add(made)
  }

  /** Sets the outcome of a call by its id, from a record beside the results, which is plainer than their text. */
  settle(id: unknown, outcome: ActOutcome): void {
    const made = this.#made(id)
    if (made !== undefined && !made.shared && outcome !== 'unknown') made.call.outcome = outcome
  }

  /** Ends a turn: sets the outcome of all calls without a result, which is unknown where no record tells their end. */
  settleOpen(outcome: ActOutcome): void {
    for (const { call } of this.#waiting) settle(call, outcome)
    this.#waiting.clear()
  }

  /** Places the output of a call in the call's step, or, after other records, in its own. `call`: null where the id names none, or several. */
  output(id: unknown, path: string, name: string | null, outcome: Outcome = 'unknown') {
    const made = this.#made(id)
    const { last } = this
    if (made === undefined) this.reading.unread(path, 'answers no tool call before it; shown at its place', true)
    else this.#end(made)
    if (made?.step) made.step.answered = true
    const { tool } = made?.call ?? { tool: 'observation' }
    const call = made === undefined || made.shared ? null : made.call
    settle(call, typeof outcome === 'string' ? outcome : outcome(tool))
    const isOpen = last !== undefined && (made?.step === last || last.kind === 'output')
    const { outputs: parts } = isOpen ? last : this.open('output', name)
    return { parts, tool, sink: this.sink(parts, 'tool_output', tool), call }
  }

  #end(made: SessionCall): void {
    made.answered = true
    this.#waiting.delete(made)
  }

  /** Returns the steps with parts, numbered from 1. An error where there are no steps, or too many. */
  finish(path: string): Step[] {
    const steps = this.steps()
    return this.reading.takeSteps(steps.length, path) ? steps : []
  }

  /** Returns the steps with parts, numbered from 1; all steps of a list of messages. */
  steps(): Step[] {
    const isKept = ({ parts, outputs }: OpenStep): boolean => this.isList || parts.length + outputs.length > 0
    return this.#steps.filter(isKept).map(({ name, at, agent, parts, outputs }, index) => {
      const of = agent === null ? {} : { agent }
      return { id: index + 1, name, at, ...of, copied: false, parts: [...parts, ...outputs] }
    })
  }
}

export const sinkTo = (reading: Reading, parts: Part[], actor: Actor, name: string): ContentSink => ({
  reading,
  text: (text, path) => reading.add(parts, { actor, text, path, name }),
  media: (text, path, _kind, source) => reading.addMedia(parts, { actor, text, path, name }, source),
})

/** Sets the outcome of a call. The first known outcome stays, but `failed` gives way to an outcome that proves the call did not run. */
export function settle(call: OpenCall | null, outcome: ActOutcome): void {
  if (call === null || outcome === 'unknown') return
  if (call.outcome === 'unknown' || (call.outcome === 'failed' && NOT_RUN.has(outcome))) call.outcome = outcome
}

/** Returns an id in a name space of its own, in which no id of another kind stands; null without an id. */
export const keyOf = (kind: string, id: unknown): string | null => {
  const own = idText(id)
  return own === null ? null : `${kind} ${own}`
}

export const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Adds every leaf of a value that no reader knows, so that no text is lost. */
export function addLeaves(sink: ContentSink, value: unknown, path: string): void {
  if (isEmpty(value)) return
  for (const leaf of leavesOf(value, path)) if (leaf.text !== 'null') sink.text(leaf.text, leaf.pointer)
}

const MAX_REFERENCE = 300

/** Returns a placeholder such as `[image: image/png]`. A data URL contributes only its media type. */
export function mediaText(kind: string, reference: unknown): string {
  if (typeof reference !== 'string' || reference === '') return `[${kind}]`
  const head = reference.slice(0, MAX_REFERENCE).toWellFormed()
  const [, type] = /^data:([^;,]*)/.exec(head) ?? []
  return `[${kind}: ${type ?? (reference.length > MAX_REFERENCE ? `${head}…` : head)}]`
}

export const asText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Returns a non-empty text cut to the length of a name; null for other values. */
export const asName = (value: unknown): string | null => {
  const text = asText(value)
  return text === null ? null : cutName(text)
}

/** Returns the last name among the values; null where none is a name. */
export const lastName = (values: readonly unknown[]): string | null =>
  values.map(asName).findLast((name) => name !== null) ?? null

export const asRecord = (value: unknown): Json => (isRecord(value) ? value : {})

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
