import { lazy } from '../../domain/result.ts'
import { findUnsound, parseJson } from '../../domain/text/json.ts'
import type { Step } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { leavesOf } from './json-tree.ts'
import { holdsCalls, isRecord, type Json, mayAct, pointer, type Reading } from './reading.ts'

/** The read paths of a document as a tree of their segments; `true`: the reader read or counted everything below. */
type Read = Map<string, Read | true>

/** Shorter texts are names, states and ids. */
const LONGEST_LABEL = 40
const MOST_NESTING = 3
const MOST_WARNINGS = 20

/** Members of any format beside the run: definitions of tools, settings, figures, and notes for programs. */
const ASIDES: ReadonlySet<string> = wordSet(`extra metadata tools tool_definitions functions usage config model_info
  response_metadata usage_metadata providerMetadata provider_specific_fields`)

/** Counts as unread: texts above 40 units with blanks that no part shows and no aside holds, and members of calls that no part shows. */
export function countLostWords(reading: Reading, document: Json, steps: readonly Step[], asides: ReadonlySet<unknown>) {
  const read: Read = new Map()
  for (const { parts } of steps) for (const { path } of parts) mark(read, path)
  for (const path of reading.passed) mark(read, path)
  const isAside = (key: string): boolean => ASIDES.has(key) || asides.has(key)
  const shown = lazy(() => new Set(steps.flatMap(({ parts }) => parts.map(({ text }) => text))))
  let warned = 0
  /** `least`: texts of at most so many units are names. */
  const isLost = (value: unknown, nesting = 0, least = LONGEST_LABEL): boolean => {
    if (typeof value === 'string') return isWords(value, least) && !shown().has(value) && !isCopy(value, nesting, least)
    if (Array.isArray(value)) return value.some((item) => isLost(item, nesting, least))
    return isRecord(value) && Object.keys(value).some((key) => !isAside(key) && isLost(value[key], nesting, least))
  }
  /** Tells whether a member that no reader read holds calls of which a piece stands in no part; outside of a list of calls, one word is only a name. */
  const isCalls = (record: Json, key: string): boolean => {
    const member = record[key]
    if (Array.isArray(member) && holdsCalls(record, key)) return leavesOf(member).some(({ text }) => !shown().has(text))
    const mayHold = holdsCalls(record, key) || (typeof member === 'object' && mayAct(member, isAside))
    return mayHold && isLost(member, 0, 0)
  }
  const isAct = (item: unknown): boolean =>
    isRecord(item) && 'role' in item && mayAct(item, isAside) && isLost(item, 0, 0)
  const isCopy = (text: string, nesting: number, least: number): boolean => {
    const decoded = nesting < MOST_NESTING && '{["'.includes(text.trimStart().charAt(0)) ? parseJson(text) : undefined
    // Text of an adversary may be nested as deep as it is long.
    if (decoded === undefined || findUnsound(decoded, 1).length > 0) return false
    return leavesOf(decoded).every(
      ({ name, text: leaf }) => name.split('.').some(isAside) || !isLost(leaf, nesting + 1, least),
    )
  }
  const check = (record: Json, key: string, member: unknown, path: string): void => {
    const [at, isList] = [pointer(path, key), Array.isArray(record)]
    if (!isList && key.startsWith('_corpus_')) reading.warn(at, 'the corpus that published this file cut it')
    if (!isLost(member) && !(isList ? isAct(member) : isCalls(record, key))) return
    reading.countUnread(isList ? at : path, mayAct(member) || (!isList && holdsCalls(record, key)))
    if (warned++ < MOST_WARNINGS) reading.warn(at, 'holds words that this reader does not know; not read')
  }
  const visit = (holder: Json, below: Read, path: string): void => {
    for (const [key, member] of Object.entries(holder)) {
      const inner = below.get(key)
      if (inner === true || (!Array.isArray(holder) && isAside(key))) continue
      if (inner === undefined || typeof member !== 'object' || member === null) check(holder, key, member, path)
      else visit(member as Json, inner, pointer(path, key))
    }
  }
  visit(document, read, '')
}

const isWords = (text: string, least: number): boolean => text.length > least && NOT_WORD.test(text)

const NOT_WORD = /[^!-~]/

/** Marks a path as read; behind `#` stand places inside of the string. */
function mark(read: Read, path: string): void {
  const [place = ''] = path.split('#', 1)
  const keys = place.split('/').slice(1)
  const last = keys.pop()
  let node = read
  for (const key of keys.map(decoded)) {
    const next = node.get(key) ?? new Map<string, Read | true>()
    if (next === true) return
    node.set(key, next)
    node = next
  }
  if (last !== undefined) node.set(decoded(last), true)
}

const decoded = (key: string): string => (key.includes('~') ? key.replaceAll('~1', '/').replaceAll('~0', '~') : key)
