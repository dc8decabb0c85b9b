import { type Act, type ActOutcome, NOT_RUN, type Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { openEnvelope } from '../common/content.ts'
import { leavesOf, memberName } from '../common/json-tree.ts'
import type { PictureSource } from '../common/pictures.ts'
import type { Json, Reading } from '../common/reading.ts'
import { asText, type OpenStep, type PlacedText, type Resolve, Session } from '../common/session.ts'
import { addCall } from '../common/session-calls.ts'
import { hasEnded } from '../tools/outcomes.ts'
import type { OpenCall } from '../tools/tool-table.ts'

/** A call, by the record and the members that hold its name and its arguments. */
export interface CallForm {
  readonly record: Json
  readonly at: string
  readonly id: unknown
  readonly name: string
  readonly args: string
}

/** A range of a text, in UTF-16 units, with its actor and act. */
export interface Slice {
  readonly start: number
  readonly end: number
  readonly actor: Actor
  readonly name: string
  readonly act?: Act | null
  /** The value inside of a range that is JSON: its pointer and text. */
  readonly inner?: { readonly pointer: string; readonly text: string }
}

const MAX_MENTION = 300

interface SinkOptions {
  readonly resolve?: Resolve
  /** True for a list of messages, each of which is a step. */
  readonly isList?: boolean
}

/** Receives the texts and calls of one conversation: resolves references, opens the envelopes of tool output, and joins answers to calls. */
export class ChatSink extends Session {
  override readonly isList: boolean
  /** The agent's step that is being read; null for the message of another speaker. */
  step: OpenStep | null = null
  /** The calls of the message that is being read, in order. */
  calls: OpenCall[] = []
  readonly #pictures = new Map<string, PictureSource>()
  /** Outcomes that the record tells beside an answer, by the id of the call. */
  readonly #reported = new Map<string, ActOutcome | undefined>()

  constructor(reading: Reading, agent: string | null, { resolve, isList = false }: SinkOptions = {}) {
    super(reading, null, agent)
    if (resolve !== undefined) this.locate = resolve
    this.isList = isList
  }

  /** Keeps the outcome that the record tells beside the next answer of a call. */
  report(id: string, outcome: ActOutcome | undefined): void {
    this.#reported.set(id, outcome)
  }

  /** Sets the outcome of the call with an id at its first result, unless two calls with that id wait for a result. */
  answered(id: string | null, outcomeOf: (tool: string) => ActOutcome): void {
    const call = this.answeredCall(id)
    if (call === null) return
    const outcome = outcomeOf(call.tool)
    const reported = this.#reported.get(id ?? '')
    // Words of an answer tell more of a failure than its span; that a call never ran is told by the record alone.
    call.outcome = reported !== undefined && (hasEnded(outcome) || NOT_RUN.has(reported)) ? reported : outcome
  }

  text(parts: Part[], actor: Actor, text: string, path: string, name: string): void {
    const at = this.locate(text, path)
    const leaves = actor === 'tool_output' ? openEnvelope(at.text) : null
    if (leaves === null) this.reading.add(parts, { actor, ...at, name })
    for (const { text, pointer, name: leaf } of leaves ?? [])
      this.reading.add(parts, { actor, text, path: `${at.path}#${pointer}`, name: memberName(name, leaf) })
  }

  media(parts: Part[], part: Pick<Part, 'actor' | 'text' | 'path' | 'name'>, source?: PictureSource): void {
    const isUrl = source !== undefined && 'url' in source && typeof source.url === 'string'
    this.reading.addMedia(parts, part, isUrl ? this.#locatePicture(String(source.url), part.path) : source)
  }

  /** Resolves a picture's URL, which may refer to an attachment: all references to it share one source. */
  #locatePicture(url: string, path: string): PictureSource {
    if (url.startsWith('data:') || url.length > MAX_MENTION) return { url }
    const source = this.#pictures.get(url) ?? { url: this.locate(url, path, true).text }
    this.#pictures.set(url, source)
    return source
  }

  /** Adds every leaf of a value, with its references resolved. */
  leaves(parts: Part[], actor: Actor, value: unknown, path: string, name: string): void {
    for (const { text, pointer, name: leaf } of leavesOf(value, path))
      this.reading.add(parts, { actor, ...this.locate(text, pointer), name: memberName(name, leaf) })
  }

  /** Adds a call; its arguments are an object, JSON in a string, or a string that is the tool's input itself. */
  addCall(parts: Part[], { record, at, id, name, args }: CallForm): OpenCall {
    const tool = asText(record[name])
    if (tool === null) this.reading.warn(`${at}/${name}`, 'a tool call must name its function')
    const call = this.call(this.step, id, tool ?? 'tool_call')
    this.calls.push(call)
    const place = { path: `${at}/${args}`, namePath: tool === null ? null : `${at}/${name}` }
    const before = parts.length
    addCall(this, parts, { call, args: record[args], isInput: true, ...place })
    if (tool === null && parts.length === before) this.reading.countUnread(at, true)
    return call
  }
}

/**
 * Adds ranges of a text as parts, each under `pointer#char=start,end`: a text protocol mixes speech and acts of several actors in one
 * string. The fragment is RFC 5147's, which cannot be confused with a JSON pointer; where the range is JSON, `#` and a pointer into it
 * follow.
 */
export function addSlices(reading: Reading, parts: Part[], { text, path }: PlacedText, slices: readonly Slice[]): void {
  for (const { start, end, actor, name, act = null, inner } of slices) {
    const whole = start === 0 && end === text.length
    const at = whole ? path : `${path}#char=${start},${end}`
    if (inner === undefined) reading.add(parts, { actor, text: text.slice(start, end), path: at, name, act })
    else reading.add(parts, { actor, text: inner.text, path: `${at}#${inner.pointer}`, name, act })
  }
}
