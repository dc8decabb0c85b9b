import fc from 'fast-check'
import type { Target } from './target.ts'

/** Values that readers of JSON trip over. `toString` is what `String(x)` calls, so an object can have one that is no function. */
const ODD_TEXTS: readonly string[] = [
  ...['', ' ', '0', '1', 'null', '{}', '[]', '"', '#', '/', '~1', '\n', '__proto__', 'constructor', 'toString'],
  ...['\u0000', '\ud800', '\u202e', '⟨U+200B⟩', '{"a":"b"}', '{"__proto__":{"a":"b"}}'],
  ...['{"output":"o","returncode":0}', '=== STEP 1 ===', '```bash\nls\n```', 'a'.repeat(3000), '#char=0,1'],
  ...['attachment://a'],
  // What folds, and its neighbours that do not: quotes, white space, control sequences, look-alikes, CRLF.
  ...['\u2017‘’‚‛“”„‟†', '\u0085\u00a0\u1680\u180e\u2000\u200a\u200b\u202f\u205f\u3000', '\r\n', '\r', '\t \v\f'],
  ...['\u001b[31m', '\u001b[0;1', '\u001b(B', '\u001b=', '\u001b]0;t\u0007', 'аосе', 'ＡＢ', '\u{e0041}', '<|im_end|>'],
  ...['\n== STEP 1', '\n\t--user', '\n-- Tool_Output ·', '\n==END', '⟦x⟧'],
]
const ODD: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e21, 2 ** 53, ...ODD_TEXTS],
  ...[[], {}, [[]], [null], [''], { toString: null }, { toString: 'x', valueOf: null }, { length: -1 }],
]
const ODD_KEYS = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '#', '/', '~', 'a'.repeat(2500)],
] as const

/** Everything that the kept inputs hold, by the name under which it stands: ids meet, and pieces come from elsewhere. */
type Pieces = ReadonlyMap<string, readonly unknown[]>

/** JSON values near one of those given: of their form mostly, and with a few members gone, doubled, renamed or replaced. */
export function nearJson(given: readonly unknown[]): fc.Arbitrary<unknown> {
  const pieces = new Map<string, unknown[]>()
  for (const value of given) gather(value, '', pieces)
  return fc.oneof(...given.map((value) => near(value, '', 2 + countOf(value), pieces)))
}

function gather(value: unknown, key: string, pieces: Map<string, unknown[]>): void {
  const same = pieces.get(key)
  if (same === undefined) pieces.set(key, [value])
  else same.push(value)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) gather(member, Array.isArray(value) ? key : name, pieces)
}

const countOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, member) => sum + countOf(member), 1)
    : 1

/** `rarity`: one in so many values is changed. What it shrinks to is smaller, or unchanged. */
function near(value: unknown, key: string, rarity: number, pieces: Pieces): fc.Arbitrary<unknown> {
  const inner = innerOf(value, key, rarity, pieces)
  const changed = fc.oneof(
    fc.constantFrom(...ODD),
    fc.constantFrom(...(pieces.get(key) ?? ODD)),
    ...editsOf(value, inner),
    fc.tuple(inner, fc.array(fc.boolean(), { minLength: 1, maxLength: 12 })).map(nested),
    fc.constant(typeof value === 'string' ? parsed(value) : [value]),
  )
  return fc.oneof({ withCrossShrink: true }, { weight: rarity, arbitrary: inner }, { weight: 1, arbitrary: changed })
}

function editsOf(value: unknown, inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown>[] {
  if (typeof value === 'string') return [editedText(value), editedText(value)]
  const asText = inner.map((one) => JSON.stringify(one))
  return typeof value === 'number' ? [fc.nat(100), fc.integer(), fc.constant(value + 1), asText] : [asText]
}

const ABSENT = Symbol('absent')

function innerOf(value: unknown, key: string, rarity: number, pieces: Pieces): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null) return fc.constant(value)
  const present = { freq: rarity, nil: ABSENT }
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => near(item, key, rarity, pieces))
    if (items.length === 0) return fc.constant([])
    const inOrder = fc
      .tuple(...items.map((item) => fc.option(item, present)))
      .map((all) => all.filter((item) => item !== ABSENT))
    const anyOrder = fc.array(fc.oneof(...items), { maxLength: items.length + 2 })
    return fc.oneof({ weight: rarity, arbitrary: inOrder }, { weight: items.length, arbitrary: anyOrder })
  }
  const members = Object.entries(value).map(([name, member]) => {
    const kept = fc.tuple(fc.constant(name), near(member, name, rarity, pieces))
    const renamed = fc.tuple(fc.constantFrom(...ODD_KEYS, ...pieces.keys()), fc.constant(member))
    return fc.option(fc.oneof({ weight: 2 * rarity, arbitrary: kept }, { weight: 1, arbitrary: renamed }), present)
  })
  const more = fc
    .constantFrom(...pieces)
    .chain(([name, values]) => fc.tuple(fc.constant(name), fc.constantFrom(...values)))
  const rarely = fc.oneof({ weight: 4 * rarity, arbitrary: fc.constant(ABSENT) }, { weight: 1, arbitrary: more })
  return fc
    .tuple(...members, rarely)
    .map((all) => Object.fromEntries(all.filter((one) => one !== ABSENT) as [string, unknown][]))
}

function nested([value, kinds]: [unknown, boolean[]]): unknown {
  return kinds.reduce<unknown>((inside, isList) => (isList ? [inside] : { content: inside }), value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return [text]
  }
}

/** A text with something put in, something left out, or both. */
function editedText(text: string): fc.Arbitrary<string> {
  const put = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'binary', maxLength: 3 }))
  const drop = fc.oneof(fc.constant(0), fc.nat(8), fc.nat(text.length))
  return fc
    .tuple(fc.nat(text.length), drop, put)
    .map(([at, dropped, odd]) => text.slice(0, at) + odd + text.slice(at + dropped))
}

/** Bytes near one of those given, whatever they mean: some replaced by words, odd numbers or pieces of each other. */
export function nearBytes(given: readonly Buffer[], words: readonly string[]): fc.Arbitrary<Buffer> {
  const piece = fc
    .tuple(fc.constantFrom(...given), fc.nat(), fc.nat(1200))
    .map(([bytes, at, length]) => bytes.subarray(at % (bytes.length + 1)).subarray(0, length))
  const put = fc.oneof(
    fc.constantFrom(...words).map((word) => Buffer.from(word)),
    fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom(0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff)
      .map((number) => Buffer.from(Uint32Array.of(number).buffer)),
    piece,
  )
  const edit = fc.record({ at: fc.nat(), drop: fc.oneof(fc.nat(8), fc.nat(600), fc.constant(Infinity)), put })
  return fc.tuple(fc.constantFrom(...given), fc.array(edit, { minLength: 1, maxLength: 8 })).map(([bytes, edits]) =>
    edits.reduce((all, { at, drop, put: odd }) => {
      const place = at % (all.length + 1)
      return Buffer.concat([all.subarray(0, place), odd, all.subarray(place + drop)])
    }, bytes),
  )
}

/** What every target has whose inputs are JSON values. */
export const JSON_INPUTS: Pick<Target<unknown>, 'decode' | 'encode' | 'extension' | 'near'> = {
  decode: (bytes) => JSON.parse(bytes.toString('utf8')) as unknown,
  encode: (input) => Buffer.from(`${JSON.stringify(input)}\n`),
  extension: 'json',
  near: nearJson,
}
