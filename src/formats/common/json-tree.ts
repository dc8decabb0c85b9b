import { MAX_DEPTH } from '../../domain/digest.ts'
import type { Issue } from '../../domain/result.ts'
import { findUnsound, parseJson } from '../../domain/text/json.ts'
import { cutName, isRecord, type Json, pointer } from './reading.ts'

/** Replaces each half of a character by U+FFFD, in texts and names; values below `MAX_DEPTH` stay as they are. */
export function wellFormed(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((item) => wellFormed(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item, depth + 1)]),
  )
}

const MOST_HALVES = 20

/** Puts U+FFFD in place of each half of a character, with a warning for each of the first; null for a value that is unsound for another reason. */
export function mendHalves(value: unknown): { readonly mended: unknown; readonly halves: readonly Issue[] } {
  const issues = findUnsound(value, MOST_HALVES)
  if (issues.length === 0) return { mended: value, halves: [] }
  const mended = wellFormed(value)
  if (findUnsound(mended, 1).length > 0) return { mended: null, halves: [] }
  const tell = (message: string): string => `${message}; read as U+FFFD`
  return { mended, halves: issues.map(({ path, message }) => ({ path: path.toWellFormed(), message: tell(message) })) }
}

/** A leaf of a JSON value: a string unchanged, any other value as JSON text. */
export interface Leaf {
  readonly pointer: string
  /** The keys above the leaf, joined by dots: `edits.0.text`. Cut to the length of a name. */
  readonly name: string
  readonly text: string
}

/** Returns the full name of a leaf below a named value; either name may be empty. */
export const memberName = (name: string, leaf: string): string => [name, leaf].filter(Boolean).join('.')

/** Bounds the pointer of a branch: a long name with many leaves would be repeated in the path of each leaf. */
const MAX_BRANCH_POINTER = 2000

/** Lists the leaves in document order. An array without texts and objects is one leaf, and so is a value under too long a pointer, counted `from` a unit. */
export function leavesOf(root: unknown, at = '', named = '', from = at.length): Leaf[] {
  const leaves: Leaf[] = []
  const open: { value: unknown; pointer: string; name: string }[] = [{ value: root, pointer: at, name: named }]
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, pointer: path, name } = item
    if (!isBranch(value) || path.length - from > MAX_BRANCH_POINTER) {
      leaves.push({ pointer: path, name, text: typeof value === 'string' ? value : (JSON.stringify(value) ?? '') })
      continue
    }
    // Pushed in reverse, so that the first member leaves the stack first.
    for (const [key, value] of Object.entries(item.value as Json).reverse())
      open.push({ value, pointer: pointer(path, key), name: cutName(name === '' ? key : `${name}.${key}`) })
  }
  return leaves
}

function isBranch(value: unknown): value is object {
  if (Array.isArray(value))
    return value.some((item) => typeof item === 'string' || (item !== null && typeof item === 'object'))
  return isRecord(value) && Object.keys(value).length > 0
}

/** Decodes a string that holds a JSON object; null for any other string, and for an object whose leaves cannot be shown safely. */
export function decodeObject(text: string): Json | null {
  if (!text.trimStart().startsWith('{')) return null
  const value = parseJson(text)
  return isRecord(value) && findUnsound(value, 1).length === 0 ? value : null
}
