import { isRecord, type Json, type Place, pointer } from '../common/reading.ts'

/** A value and its path in the document; behind `#` inside of JSON in a string. A value assembled from pieces has a `place` for each path. */
export class Located {
  readonly value: unknown
  readonly #at: string
  readonly #place: Place | null

  constructor(value: unknown, path: string, place: Place | null = null) {
    this.value = value
    this.#at = path
    this.#place = place
  }

  get path(): string {
    return this.pathOf('')
  }

  /** The value as an object; an empty one for other values. */
  get record(): Json {
    return isRecord(this.value) ? this.value : {}
  }

  /** True for a value assembled from pieces. */
  get isAssembled(): boolean {
    return this.#place !== null
  }

  /** Returns the path of what stands below the value, by its pointer there. */
  pathOf(pointer: string): string {
    const path = this.#at + pointer
    return this.#place === null ? path : this.#place(path)
  }

  member(key: string | number): Located {
    const record = this.value
    const own = typeof record === 'object' && record !== null && Object.hasOwn(record, key)
    const value = own ? (record as Record<string | number, unknown>)[key] : undefined
    return new Located(value, pointer(this.#at, key), this.#place)
  }

  /** Returns a member by its name in camel case, or in snake case, as Python's programs write it. */
  field(name: string): Located {
    const own = this.member(name)
    return own.value === undefined ? this.member(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) : own
  }

  /** Lists the items of an array; an empty list for other values. */
  items(): Located[] {
    return Array.isArray(this.value) ? this.value.map((_, index) => this.member(index)) : []
  }
}

/** The member of a tree's object with the object's own path. */
export const PLACE = Symbol('place')

/** A message in the form of a chat, assembled from located pieces: an object, an array, or one piece. */
export type Tree = Located | string | boolean | null | undefined | readonly Tree[] | TreeRecord
export interface TreeRecord {
  readonly [name: string]: Tree
  readonly [PLACE]?: string
}

/** Builds the message of a tree; null for a tree that is no object. `path`: the place of pieces without a place of their own. */
export function placeMessage(tree: Tree, path: string): Located | null {
  const places = new Map([['', new Located(undefined, path)]])
  const build = (node: Tree, at: string): unknown => {
    if (node instanceof Located) {
      places.set(at, node)
      return node.value
    }
    if (Array.isArray(node)) return node.map((item: Tree, index) => build(item, pointer(at, index)))
    if (typeof node !== 'object' || node === null) return node
    const own = (node as TreeRecord)[PLACE]
    if (own !== undefined) places.set(at, new Located(undefined, own))
    const members = Object.entries(node).filter(([, member]) => member !== undefined)
    return Object.fromEntries(members.map(([name, member]) => [name, build(member, pointer(at, name))]))
  }
  const message = build(tree, '')
  return isRecord(message) ? new Located(message, '', placeIn(places)) : null
}

/** Maps a path in an assembled value to a path in the document, by the nearest piece above it. */
const placeIn =
  (places: ReadonlyMap<string, Located>): Place =>
  (path) => {
    const hash = path.indexOf('#')
    let head = hash === -1 ? path : path.slice(0, hash)
    for (;;) {
      const piece = places.get(head)
      if (piece !== undefined) return piece.pathOf(path.slice(head.length))
      head = head.slice(0, Math.max(0, head.lastIndexOf('/')))
    }
  }
