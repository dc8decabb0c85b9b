import { parseJson } from '../../domain/text/json.ts'
import { wordSet } from '../../domain/words.ts'
import { namesOf } from '../vocabulary.ts'

/** Members that hold tool calls, in any format; in lower case, without separators. */
const CALLS = namesOf('any', 'calls')
/** Members of a call itself. */
const OF_CALLS = namesOf('any', 'of_calls')
const KINDS: ReadonlySet<string> = wordSet('event eventtype kind method op partkind subtype type')
/** Words in the type names of calls. */
const ACT_WORDS = namesOf('any', 'act_words')

const MOST_MEMBERS = 500
const MOST_LEVELS = 8
const MAX_NAME = 100
/** Characters of a text that is parsed as JSON in search of calls. */
const MOST_TEXT = 1_000_000

/** Tests a member by its name and its value. */
type TestMember = (key: string, member: unknown) => boolean

/** Tells whether a member of a record, at any depth and also in JSON text, passes the test. `beyond`: the answer for a record too large to search. */
function someMember(record: unknown, test: TestMember, beyond: boolean, isAside: (key: string) => boolean): boolean {
  let looked = 0
  const looks = (value: unknown, level: number): boolean => {
    if (typeof value === 'string') return looksInText(value, level)
    if (typeof value !== 'object' || value === null) return false
    if (level > MOST_LEVELS) return beyond
    for (const key in value) {
      if (looked++ === MOST_MEMBERS) return beyond
      if (isAside(key)) continue
      const member = (value as Readonly<Record<string, unknown>>)[key]
      if (test(key, member) || looks(member, level + 1)) return true
    }
    return false
  }
  const looksInText = (given: string, level: number): boolean => {
    const text = given.trimStart()
    if (text[0] !== '{' && text[0] !== '[') return false
    if (text.length > MOST_TEXT) return beyond
    const value = parseJson(text)
    return typeof value === 'object' && looks(value, level + 1)
  }
  return looks(record, 1)
}

/**
 * Tells whether an unknown record may hold an act: by its type, or by members that calls have, also in JSON text. Too large a record may. `isAside`:
 * members that hold no part of the run.
 */
export const mayAct = (record: unknown, isAside: (key: string) => boolean = () => false): boolean =>
  someMember(record, (key, member) => isOfCall(plain(key), member), true, isAside)

/** Tells whether a member that is called an id (`call_id`, `toolUseID`, `tool_use_ids`) names a known call; too large a record names none. */
export const namesCall = (record: unknown, isCall: (id: string) => boolean): boolean =>
  someMember(
    record,
    (key, member) => /ids?$/i.test(key) && [member].flat().some((id) => typeof id === 'string' && isCall(id)),
    false,
    () => false,
  )

const isOfCall = (name: string, member: unknown): boolean =>
  KINDS.has(name) ? namesAct(member) : (CALLS.has(name) || OF_CALLS.has(name)) && saysAnything(member)

/** Tells whether a member that the reader does not know holds calls. */
export const holdsCalls = (record: Readonly<Record<string, unknown>>, key: string): boolean =>
  CALLS.has(plain(key)) && saysAnything(record[key])

const plain = (key: string): string => key.slice(0, MAX_NAME).toLowerCase().replaceAll('_', '').replaceAll('-', '')

const saysAnything = (value: unknown): boolean =>
  typeof value === 'string'
    ? value !== ''
    : typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Recognizes type names with a word for an act: `custom_tool_call`, `ToolUse`, `item.exec`. */
const namesAct = (kind: unknown): boolean =>
  typeof kind === 'string' &&
  kind
    .slice(0, MAX_NAME)
    .split(WORD_ENDS)
    .some((word) => ACT_WORDS.has(word.toLowerCase()))

const WORD_ENDS = /[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/
