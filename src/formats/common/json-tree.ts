import type { Issue } from '../../domain/result.ts'
import { parseJson } from '../../domain/text/exact-json.ts'
import { cutName, isRecord, type Json, pointer } from './reading.ts'

/** Deeper than any trajectory needs, and shallow enough for every recursive function that meets the document later. */
const MAX_DEPTH = 200
const MAX_UNSOUND = 100

interface Frame {
  readonly node: object
  /** Null for an array: its members are counted, not listed. */
  readonly keys: readonly string[] | null
  next: number
}

const openFrame = (node: object): Frame => ({ node, keys: Array.isArray(node) ? null : Object.keys(node), next: 0 })

const sizeOf = (frame: Frame): number => frame.keys?.length ?? (frame.node as readonly unknown[]).length

const keyAt = (frame: Frame, index: number): string | number => frame.keys?.[index] ?? index

const pathOf = (frames: readonly Frame[]): string =>
  frames.reduce((path, frame) => pointer(path, keyAt(frame, frame.next - 1)), '')

/**
 * What keeps a value from having a digest: text with lone surrogates (UTF-8 would fold them together), values that are not
 * JSON or would not be the same once stored (`1e400`), nesting beyond any use. Iterative, because the depth is the sender's choice. Nesting that is too deep is the last
 * issue: what is below it is not looked at.
 */
export function findUnsound(root: unknown): { issues: Issue[]; tooDeep: boolean } {
  const issues: Issue[] = []
  const frames: Frame[] = []
  const enter = (value: unknown): void => {
    const complaint = complaintAbout(value)
    if (complaint !== null) issues.push({ path: pathOf(frames), message: complaint })
    else if (typeof value === 'object' && value !== null) frames.push(openFrame(value))
  }
  enter(root)
  for (let frame = frames.at(-1); frame !== undefined && issues.length < MAX_UNSOUND; frame = frames.at(-1)) {
    if (frames.length > MAX_DEPTH) {
      frames.pop()
      issues.push({ path: pathOf(frames), message: `nested deeper than ${MAX_DEPTH} levels` })
      return { issues, tooDeep: true }
    }
    if (frame.next === sizeOf(frame)) {
      frames.pop()
      continue
    }
    const key = keyAt(frame, frame.next++)
    if (typeof key === 'string' && !key.isWellFormed())
      issues.push({ path: pathOf(frames), message: 'the name of this member holds a lone surrogate' })
    enter((frame.node as Record<string | number, unknown>)[key])
  }
  return { issues, tooDeep: false }
}

function complaintAbout(value: unknown): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : 'the text holds a lone surrogate'
  if (value === Infinity || value === -Infinity) return 'the number is beyond what can be kept'
  const odd = typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint'
  return odd ? `a ${typeof value} is not JSON` : null
}

/** A leaf of a JSON value: a string as it is, anything else as JSON text. */
export interface Leaf {
  readonly pointer: string
  /** The keys on the way, joined by dots: `edits.0.text`. Cut where too long. */
  readonly name: string
  readonly text: string
}

/** Longer than any path of a real document: a long name with many leaves below it would stand in the path of each of them. */
const MAX_BRANCH_POINTER = 2000

/**
 * The leaves in document order. Arrays of nothing but numbers, truth values and nulls are one leaf, and so is whatever stands under a
 * pointer that is too long.
 */
export function leavesOf(root: unknown, at = '', named = ''): Leaf[] {
  const leaves: Leaf[] = []
  const open: { value: unknown; pointer: string; name: string }[] = [{ value: root, pointer: at, name: named }]
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, pointer: path, name } = item
    if (!isBranch(value) || path.length - at.length > MAX_BRANCH_POINTER) {
      leaves.push({ pointer: path, name, text: typeof value === 'string' ? value : (JSON.stringify(value) ?? '') })
      continue
    }
    // Pushed backwards, so that the first member comes off the stack first.
    const members: [string, unknown][] = Object.entries(value)
    for (let index = members.length - 1; index >= 0; index--) {
      const [key, member] = members[index] as [string, unknown]
      open.push({ value: member, pointer: pointer(path, key), name: cutName(name === '' ? key : `${name}.${key}`) })
    }
  }
  return leaves
}

function isBranch(value: unknown): value is object {
  if (Array.isArray(value)) return value.some((item) => typeof item === 'string' || (item !== null && isObject(item)))
  return isRecord(value) && Object.keys(value).length > 0
}

const isObject = (value: unknown): boolean => typeof value === 'object'

/**
 * The object that a string holds as JSON, or null. Null too for what could not be shown safely leaf by leaf: then the
 * string as it stands is the text, and nothing is lost.
 */
export function decodeObject(text: string): Json | null {
  if (!text.trimStart().startsWith('{')) return null
  const value = parseJson(text)
  return isRecord(value) && findUnsound(value).issues.length === 0 ? value : null
}
