import fc from 'fast-check'
import { parseClaims } from '../../../src/domain/rubric/answer.ts'
import type { Rubric } from '../../../src/domain/rubric/rubric.ts'
import { CONFIDENCE_LEVELS, SURFACE_CATEGORIES } from '../../../src/schemas/vocabulary.ts'
import { CLAIM_IDS, nestedOf, TAB_1, TAB_2 } from '../../tab-behavior.ts'
import { depthOf, hasLoneSurrogate, hasRepeatedKey } from '../laws/json-reference.ts'
import { nearBytes, nearJson } from '../near.ts'
import { hold, type Target } from '../target.ts'

const WORDS = [
  ...['"__proto__":{"observed":true},', '"surface":{"observed":true,"category":"other"},', '"observed":true,', '"cue"'],
  ...['{', '}', '[', ']', '\\u0063ue', '```json\n', '\\', '"', ':', ',', 'null', 'true', '1e999', '-0', '\u0000'],
  ...['\ud800', '//', '"CONFIDENCE":"HIGH",', '"Unclear"', '"yes"'],
]

export const REPLY: Target<string> = {
  name: 'reply',
  law: 'never thrown; read exactly where a slow reference reads it: one object, no key twice, every field, nothing else',
  corpus: 'reply',
  extension: 'txt',
  decode: (bytes) => bytes.toString('utf8'),
  encode: (input) => Buffer.from(input),
  near,
  check,
}

function near(kept: readonly string[]): fc.Arbitrary<string> {
  const asBytes = nearBytes(
    kept.map((text) => Buffer.from(text)),
    WORDS,
  ).map((bytes) => bytes.toString('utf8'))
  const values = kept.map(parsed).filter((value) => value !== null)
  if (values.length === 0) return asBytes
  const asJson = nearJson(values).map((value) => JSON.stringify(value))
  return fc.oneof(asBytes, asJson, fc.tuple(asJson, fc.nat(), fc.nat(), fc.boolean()).map(withMemberTwice))
}

/** A member said again, at its place or at that of another: `JSON.parse` would take the last without a word. */
function withMemberTwice([text, which, where, escaped]: [string, number, number, boolean]): string {
  const members = [...text.matchAll(/"[a-z_]+":(?:"[a-z ]*"|true|false|[0-9]+)/g)]
  const [one, other] = [members[which % members.length], members[where % members.length]]
  if (one === undefined || other === undefined) return text
  const member = escaped ? escapedName(one[0]) : one[0].replace('true', 'false')
  const at = where % 3 === 0 ? other.index : one.index
  return `${text.slice(0, at)}${member},${text.slice(at)}`
}

/** The same name in another writing: `"cue"` and `"\\u0063ue"`. */
const escapedName = (member: string): string =>
  `"\\u${member.charCodeAt(1).toString(16).padStart(4, '0')}${member.slice(2)}`

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const OWN = Object.getOwnPropertyNames(Object.prototype).length

function check(text: string): void {
  for (const rubric of [TAB_1, TAB_2]) checkFor(text, rubric)
}

/** Each rubric takes the answers of the other. */
function checkFor(text: string, rubric: Rubric): void {
  const read = parseClaims(text, rubric)
  hold(Object.getOwnPropertyNames(Object.prototype).length === OWN, 'the prototype of all objects was changed')
  hold(read.ok === isAnswer(text), `${read.ok ? 'read' : 'refused'}, and the reference says otherwise`)
  if (!read.ok) {
    hold(read.error.length > 0, 'a refusal says nothing')
    return
  }
  const claims = read.value
  hold(Object.getPrototypeOf(claims) === Object.prototype, 'claims with a prototype of their own')
  const given = JSON.parse(text) as {
    citations: { quote: string }[]
    cue: { reasoned: unknown; acted: unknown }
    distractor: { reasoned: unknown; acted: unknown }
    surface: { observed: unknown }
  }
  const said = nestedOf(claims)
  for (const which of ['cue', 'distractor'] as const)
    for (const what of ['reasoned', 'acted'] as const)
      hold(said[which][what] === meant(given[which][what]), 'another claim')
  hold(said.surface.observed === meant(given.surface.observed), 'another observation')
  const quotes = (list: readonly { readonly quote: string }[]) => JSON.stringify(list.map(({ quote }) => quote))
  hold(quotes(claims.citations) === quotes(given.citations), 'other quotes')
}

type Json = Readonly<Record<string, unknown>>

const has = (value: unknown, ...fields: string[]): value is Json =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length === fields.length &&
  fields.every((field) => Object.hasOwn(value, field))

const isWord = (value: unknown, words: readonly string[]): boolean =>
  typeof value === 'string' && words.includes(value.toLowerCase())

const isSaid = (value: unknown): boolean => typeof value === 'boolean' || isWord(value, ['yes', 'no', 'unclear'])

const isActed = (value: unknown): boolean =>
  has(value, 'reasoned', 'acted') && isSaid(value['reasoned']) && isSaid(value['acted'])

/** What an answer means: words and booleans say the same, and what is unclear is neither. */
const meant = (value: unknown): unknown => {
  const word = typeof value === 'string' ? value.toLowerCase() : value
  return word === 'unclear' ? null : word === 'yes' || word === true
}

const isCitation = (value: unknown): boolean =>
  has(value, 'supports', 'step_id', 'quote') &&
  isWord(value['supports'], CLAIM_IDS) &&
  Number.isSafeInteger(value['step_id']) &&
  typeof value['quote'] === 'string' &&
  value['quote'].length <= 1000

/** What an answer is (docs/design.md, section 2), field by field. */
function isAnswer(text: string): boolean {
  const value = parsed(text)
  if (text.length > 1_000_000 || value === null || hasRepeatedKey(text) || depthOf(value) > 32) return false
  if (hasLoneSurrogate(value)) return false
  if (!has(value, 'citations', 'notes', 'surface', 'cue', 'distractor', 'confidence')) return false
  const { citations, notes, surface, cue, distractor, confidence } = value
  const isSurface =
    has(surface, 'observed', 'category') &&
    isSaid(surface['observed']) &&
    isWord(surface['category'], SURFACE_CATEGORIES)
  const isList = Array.isArray(citations) && citations.length <= 60 && citations.every(isCitation)
  const isNotes = typeof notes === 'string' && notes.length <= 20_000
  return isList && isNotes && isSurface && isActed(cue) && isActed(distractor) && isWord(confidence, CONFIDENCE_LEVELS)
}
