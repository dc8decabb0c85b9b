import { type Act, type ActOutcome, type Call, NOT_RUN, type Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { openEnvelope } from '../common/content.ts'
import { decodeObject, leavesOf, memberName } from '../common/json-tree.ts'
import type { PictureSource } from '../common/pictures.ts'
import { idText, isAbsent, type Json, type Reading } from '../common/reading.ts'
import { asText, isEmpty, type OpenStep, Session } from '../common/session.ts'
import {
  type ArgumentLeaf,
  addArguments,
  addNamedCall,
  argumentLeavesOf,
  knownSpec,
  type NamedCall,
} from '../common/session-calls.ts'
import { specOf } from '../tools/harnesses.ts'
import { type OpenCall, openCall } from '../tools/tool-table.ts'

/** A text and the pointer of the string that holds it. */
export interface PlacedText {
  readonly text: string
  readonly path: string
}

/**
 * Returns a text and its path. A log may keep a long text elsewhere, with a reference in its place. A picture is kept by reference and does
 * not count as unfolded text.
 */
export type Resolve = (text: string, path: string, isPicture?: boolean) => PlacedText

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

type OutcomeOf = (tool: string) => ActOutcome

const NAMELESS = 'tool_call'
const MAX_MENTION = 300

interface SinkOptions {
  readonly resolve?: Resolve
  /** True for a list of messages, each of which is a step. */
  readonly isList?: boolean
}

/** Receives the texts and calls of one conversation: resolves references, opens the envelopes of tool output, and joins answers to calls. */
export class ChatSink {
  readonly reading: Reading
  /** The agent's name, which decides the tool table. */
  readonly agent: string | null
  /** Resolves a text that may be a reference. */
  readonly locate: Resolve
  readonly isList: boolean
  readonly session: Session
  /** Outcomes that the record tells beside an answer, by the id of the call. */
  readonly reported = new Map<string, ActOutcome>()
  /** The agent's step that is being read; null for the message of another speaker. */
  step: OpenStep | null = null
  /** The calls of the message that is being read, in order. */
  calls: OpenCall[] = []
  readonly #pictures = new Map<string, PictureSource>()
  /** The tool of the newest call with an id, and the calls with that id and without a result. */
  readonly #byId = new Map<string, { tool: string; open: OpenCall[] }>()
  #spoken: ReadonlySet<Call> = new Set()

  constructor(reading: Reading, agent: string | null, { resolve, isList = false }: SinkOptions = {}) {
    this.reading = reading
    this.agent = agent
    this.locate = resolve ?? ((text, path) => ({ text, path }))
    this.isList = isList
    this.session = new Session(reading, {})
  }

  /** Returns the tool of the newest call with an id. */
  toolOf = (id: string): string | undefined => this.#byId.get(id)?.tool

  #keep(id: string, call: OpenCall): void {
    const made = this.#byId.get(id) ?? { tool: '', open: [] }
    made.tool = call.tool
    made.open.push(call)
    this.#byId.set(id, made)
  }

  /** Registers a further id for a call without an id. */
  rename(id: string, call: OpenCall): void {
    const { last } = this.session
    if (last !== undefined) this.session.remember(last, id, call)
    this.#keep(id, call)
  }

  /** Keeps the calls that were written as text: the next message answers them. */
  spoke(parts: readonly Part[]): void {
    this.#spoken = new Set(parts.flatMap(({ act }) => (act === null ? [] : [act.call])))
  }

  /** Sets the outcome of the call written in the last message, unless it held several calls. */
  answeredWords(outcomeOf: OutcomeOf): void {
    const [call] = this.#spoken
    if (call !== undefined && this.#spoken.size === 1) (call as OpenCall).outcome = outcomeOf(call.tool)
    this.#spoken = new Set()
  }

  /** Sets the outcome of the call with an id, unless two calls with that id wait for a result. */
  answered(id: string | null, outcomeOf: OutcomeOf): void {
    const made = id === null ? undefined : this.#byId.get(id)
    if (id === null || made === undefined) return
    const [call, ...others] = made.open
    made.open = []
    if (call === undefined || others.length > 0) return
    const outcome = outcomeOf(call.tool)
    const reported = this.reported.get(id)
    // Words of an answer tell more of a failure than its span; that a call never ran is told by the record alone.
    call.outcome = reported !== undefined && (outcome === 'ran' || NOT_RUN.has(reported)) ? reported : outcome
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

  /**
   * Adds a call, by the members of a record that hold its name and its arguments: an object, JSON in a string, or a string that is the
   * tool's input itself.
   */
  call(parts: Part[], record: Json, at: string, id: unknown, [name, args]: readonly [string, string]): OpenCall {
    const { reading } = this
    const [tool, namePath, path] = [asText(record[name]), `${at}/${name}`, `${at}/${args}`]
    if (tool === null) reading.warn(namePath, 'a tool call must name its function')
    const call = openCall(tool ?? NAMELESS, idText(id))
    if (typeof id === 'string') this.#keep(id, call)
    if (this.step !== null) this.session.remember(this.step, id, call)
    this.calls.push(call)
    const value = record[args]
    if (isAbsent(value)) reading.warn(path, 'a tool call must have arguments')
    const spec = knownSpec(reading, this.agent, call.tool, namePath)
    const text = typeof value === 'string' ? this.locate(value, path) : null
    const decoded = text === null ? value : decodeObject(text.text)
    let leaves: readonly ArgumentLeaf[] = []
    if (text !== null && decoded === null) leaves = [{ pointer: text.path, name: '', text: text.text }]
    else if (!isAbsent(decoded) && !isEmpty(decoded))
      leaves =
        text === null
          ? this.#located(argumentLeavesOf(spec, decoded, path))
          : argumentLeavesOf(spec, decoded, `${text.path}#`)
    const bare = tool === null ? null : { text: tool, path: namePath }
    addArguments(reading, parts, leaves, { call, spec, args: decoded, bare })
    return call
  }

  /** Adds a call of a library to a step; any table that knows the tool's name gives the meaning of its arguments. */
  libraryCall(step: OpenStep, words: NamedCall): OpenCall {
    const spec = specOf(null, asText(words.name) ?? '')
    return addNamedCall(this.session, step, { ...words, ...(spec !== undefined && { spec }) })
  }

  #located(leaves: readonly ArgumentLeaf[]): ArgumentLeaf[] {
    return leaves.map((leaf) => {
      const { text, path } = this.locate(leaf.text, leaf.pointer)
      return { ...leaf, text, pointer: path }
    })
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
