import { pushTo } from '../../domain/result.ts'
import type { Act, ActOutcome, Call, Part } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { openEnvelope } from '../common/content.ts'
import { decodeObject, leavesOf, memberName } from '../common/json-tree.ts'
import type { PictureSource } from '../common/pictures.ts'
import { idText, isAbsent, isRecord, type Json, objectsIn, type Reading, typeName } from '../common/reading.ts'
import { isEmpty } from '../common/session.ts'
import { type ArgumentLeaf, addArguments, argumentLeavesOf, knownSpec } from '../common/session-calls.ts'
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

/** Receives the texts of one conversation: resolves references, opens the envelopes of tool output, and keeps the names of the calls. */
export class ChatSink {
  readonly reading: Reading
  /** Resolves a text that may be a reference. */
  readonly locate: Resolve
  readonly #pictures = new Map<string, PictureSource>()
  /** Tool names by call id. A repeated id names the newest call. */
  readonly names = new Map<string, string>()
  /** The agent's name, which decides the tool table. */
  readonly agent: string | null
  /** Calls without a result, by id. */
  readonly #open = new Map<string, OpenCall[]>()
  #spoken: ReadonlySet<Call> = new Set()

  constructor(reading: Reading, resolve: Resolve = (text, path) => ({ text, path }), agent: string | null = null) {
    this.reading = reading
    this.locate = resolve
    this.agent = agent
  }

  /** Registers a call under its id, for its result. */
  opened(id: unknown, tool: string): OpenCall {
    const call = openCall(tool, idText(id))
    if (typeof id === 'string') this.keep(id, call)
    return call
  }

  /** Keeps a call under the id of its result. */
  protected keep(id: string, call: OpenCall): void {
    this.names.set(id, call.tool)
    pushTo(this.#open, id, call)
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
    const calls = id === null ? undefined : this.#open.get(id)
    if (id === null || calls === undefined) return
    this.#open.delete(id)
    const [call] = calls
    if (call !== undefined && calls.length === 1) call.outcome = outcomeOf(call.tool)
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
   * Adds the arguments of a call: an object, JSON in a string, or a string that is the tool's input itself. `isNamed`: the source names the
   * tool, at `namePath`.
   */
  args(parts: Part[], args: unknown, path: string, call: OpenCall, namePath: string, isNamed: boolean): void {
    const spec = knownSpec(this.reading, this.agent, call.tool, namePath)
    const at = typeof args === 'string' ? this.locate(args, path) : null
    const decoded = at === null ? args : decodeObject(at.text)
    let leaves: Iterable<ArgumentLeaf> = []
    if (at !== null && decoded === null) leaves = [{ pointer: at.path, name: '', text: at.text }]
    else if (at !== null && !isEmpty(decoded)) leaves = argumentLeavesOf(spec, decoded, `${at.path}#`)
    else if (!isAbsent(decoded) && !isEmpty(decoded)) leaves = this.#located(argumentLeavesOf(spec, decoded, path))
    const bare = isNamed ? { text: call.tool, path: namePath } : null
    addArguments(this.reading, parts, leaves, { call, spec, args: decoded, bare })
  }

  *#located(leaves: readonly ArgumentLeaf[]): Generator<ArgumentLeaf> {
    for (const leaf of leaves) {
      const { text, path } = this.locate(leaf.text, leaf.pointer)
      yield { ...leaf, text, pointer: path }
    }
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

const CALL_FIELDS = wordSet(`id type index function name arguments requestor custom view parse_error extra_content
  provider_specific_fields thought_signature internal`)
const FUNCTION_FIELDS = new Set(['name', 'arguments', 'provider_specific_fields'])

/** A call of any message form: its id, name and arguments with their paths. */
interface ToolCall {
  readonly id: unknown
  readonly name: unknown
  readonly namePath: string
  readonly args: unknown
  readonly argsPath: string
}

export function addCall(sink: ChatSink, parts: Part[], { id, name, namePath, args, argsPath }: ToolCall): OpenCall {
  const isNamed = typeof name === 'string' && name !== ''
  if (!isNamed) sink.reading.warn(namePath, 'a tool call must name its function')
  const open = sink.opened(id, isNamed ? name : NAMELESS)
  if (isAbsent(args)) sink.reading.warn(argsPath, 'a tool call must have arguments')
  sink.args(parts, args, argsPath, open, namePath, isNamed)
  return open
}

/** Reads `tool_calls` as OpenAI writes them (`function: {name, arguments}`), and as Inspect does (`function: name`, `arguments`). */
export function readToolCalls(sink: ChatSink, parts: Part[], calls: unknown, path: string): void {
  const { reading } = sink
  if (isAbsent(calls)) return
  if (!Array.isArray(calls)) {
    reading.error(path, `must be an array of tool calls, not ${typeName(calls)}`)
    return
  }
  for (const [call, at] of objectsIn(reading, calls, path, 'a tool call')) {
    reading.warnUnknown(call, at, CALL_FIELDS)
    const isBroken = !isAbsent(call['parse_error'])
    if (isBroken) reading.warn(`${at}/parse_error`, 'the harness could not parse this call, so it did not run it')
    const inner = ['function', 'custom'].find((name) => isRecord(call[name]))
    const name = 'function' in call ? 'function' : 'name'
    const open =
      inner === undefined
        ? addCall(sink, parts, membersOf(call, call['id'], at, name, 'arguments'))
        : readFunctionCall(sink, parts, call[inner], `${at}/${inner}`, call['id'])
    if (isBroken && open !== null) open.outcome = 'rejected'
  }
}

/** Reads `{name, arguments}`: the inside of a tool call, or the older `function_call`. */
export function readFunctionCall(
  sink: ChatSink,
  parts: Part[],
  call: unknown,
  path: string,
  id?: unknown,
): OpenCall | null {
  if (isAbsent(call)) return null
  if (!isRecord(call)) {
    sink.reading.error(path, `a function call must be an object, not ${typeName(call)}`)
    return null
  }
  const args = 'input' in call && !('arguments' in call) ? 'input' : 'arguments'
  if (args === 'arguments') sink.reading.warnUnknown(call, path, FUNCTION_FIELDS)
  return addCall(sink, parts, membersOf(call, id, path, 'name', args))
}

/** Returns a call by the members that hold its name and its arguments. */
export const membersOf = (record: Json, id: unknown, path: string, name: string, args: string): ToolCall => ({
  ...{ id, name: record[name], namePath: `${path}/${name}` },
  ...{ args: record[args], argsPath: `${path}/${args}` },
})
