import type { Part } from '../domain/trajectory.ts'
import type { Actor } from '../schemas/vocabulary.ts'
import { decodeObject, type Leaf, leavesOf } from './json-tree.ts'
import type { Reading } from './reading.ts'
import { openEnvelope } from './result-envelope.ts'
import { argumentActor } from './talk-tools.ts'

/** A text and the pointer of the string that holds it. */
export interface Located {
  readonly text: string
  readonly path: string
}

/** Where a text really stands: a log may keep a long one elsewhere and leave a mention of it. */
export type Resolve = (text: string, path: string) => Located

/** A piece of a text, in UTF-16 units. */
export interface Slice {
  readonly start: number
  readonly end: number
  readonly actor: Actor
  readonly name: string
}

/** Where the texts of one conversation go. It resolves mentions, opens the envelopes of tool output, and keeps the calls' names. */
export class ChatSink {
  readonly reading: Reading
  readonly #resolve: Resolve
  /** Tool names by call id. An id that is used again names the newest call. */
  readonly names = new Map<string, string>()

  constructor(reading: Reading, resolve: Resolve = (text, path) => ({ text, path })) {
    this.reading = reading
    this.#resolve = resolve
  }

  locate(text: string, path: string): Located {
    return this.#resolve(text, path)
  }

  text(parts: Part[], actor: Actor, text: string, path: string, name: string): void {
    const at = this.#resolve(text, path)
    const leaves = actor === 'tool_output' ? openEnvelope(at.text) : null
    if (leaves === null) this.reading.add(parts, { actor, ...at, name })
    for (const leaf of leaves ?? [])
      this.reading.add(parts, {
        actor,
        text: leaf.text,
        path: `${at.path}#${leaf.pointer}`,
        name: joined(name, leaf.name),
      })
  }

  media(parts: Part[], actor: Actor, placeholder: string, path: string, name: string): void {
    this.reading.add(parts, { actor, text: placeholder, path, name, media: true })
  }

  /**
   * Some pieces of a text, each under `pointer#char=start,end`: a text protocol puts speech and acts into one string, and they must
   * not be told by one actor. The fragment is RFC 5147's, which no JSON pointer can be mistaken for.
   */
  slices(parts: Part[], text: string, path: string, slices: readonly Slice[]): void {
    for (const { start, end, actor, name } of slices) {
      const whole = start === 0 && end === text.length
      const at = whole ? path : `${path}#char=${start},${end}`
      this.reading.add(parts, { actor, text: text.slice(start, end), path: at, name })
    }
  }

  /** Every leaf of a value, strings resolved. */
  leaves(parts: Part[], actor: Actor, value: unknown, path: string, name: string): void {
    for (const leaf of leavesOf(value, path)) this.#leaf(parts, actor, leaf, name)
  }

  /** Arguments of a call to the tool `name`: an object, or JSON in a string, or a string that is itself what the tool was given. */
  args(parts: Part[], args: unknown, path: string, name: string): void {
    const actor = argumentActor(name)
    if (typeof args !== 'string') {
      const isEmpty = typeof args === 'object' && args !== null && Object.keys(args).length === 0
      if (!isEmpty) this.leaves(parts, actor, args, path, name)
      return
    }
    const at = this.#resolve(args, path)
    const decoded = decodeObject(at.text)
    if (decoded === null) this.reading.add(parts, { actor, ...at, name })
    else if (Object.keys(decoded).length > 0)
      for (const leaf of leavesOf(decoded, `${at.path}#`))
        this.reading.add(parts, { actor, text: leaf.text, path: leaf.pointer, name: joined(name, leaf.name) })
  }

  #leaf(parts: Part[], actor: Actor, leaf: Leaf, name: string): void {
    const at = this.#resolve(leaf.text, leaf.pointer)
    this.reading.add(parts, { actor, ...at, name: joined(name, leaf.name) })
  }
}

const joined = (name: string, leaf: string): string => (leaf === '' ? name : `${name}.${leaf}`)
