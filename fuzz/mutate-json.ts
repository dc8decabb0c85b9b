import type { Random } from './random.ts'

/** Structure-aware changes of a JSON value: the result is JSON again, and mostly still of its format. */

/** Values that readers of JSON trip over. `toString` is what `String(x)` calls, so an object can have one that is no function. */
const ODD: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e21, 2 ** 53, '', ' ', '0', '1', 'null', '{}', '[]', '"', '#', '/', '~1', '\n'],
  ...[[], {}, [[]], [null], [''], { toString: null }, { toString: 'x', valueOf: null }, { length: -1 }],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '\u0000',
    '\ud800',
    '\u202e',
    '⟨U+200B⟩',
    '{"a":"b"}',
    '{"__proto__":{"a":"b"}}',
  ],
  ...[
    '{"output":"o","returncode":0}',
    '=== STEP 1 ===',
    '```bash\nls\n```',
    'a'.repeat(3000),
    '#char=0,1',
    'attachment://a',
  ],
  // What folds, and its neighbours that do not: quotes, white space, control sequences, look-alikes, CRLF.
  ...['\u2017‘’‚‛“”„‟†', '\u0085\u00a0\u1680\u180e\u2000\u200a\u200b\u202f\u205f\u3000', '\r\n', '\r', '\t \v\f'],
  ...[
    '\u001b[31m',
    '\u001b[0;1',
    '\u001b(B',
    '\u001b=',
    '\u001b]0;t\u0007',
    'аосе',
    'ＡＢ',
    '\u{e0041}',
    '<|im_end|>',
    '\n== STEP 1',
    '\n\t--user',
    '\n-- Tool_Output ·',
    '\n==END',
    '⟦x⟧',
  ],
]
const ODD_KEYS: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  '#',
  '/',
  '~',
  'a'.repeat(2500),
]

interface Spot {
  /** The array or object that holds the value. */
  readonly holder: Record<string, unknown>
  readonly key: string
}

const MAX_SPOTS = 4000

/** Every place of a value, and its root. */
export function spotsOf(root: Record<string, unknown>): Spot[] {
  const spots: Spot[] = []
  const open: unknown[] = [root]
  while (open.length > 0 && spots.length < MAX_SPOTS) {
    const holder = open.pop()
    if (typeof holder !== 'object' || holder === null) continue
    for (const key of Object.keys(holder)) {
      spots.push({ holder: holder as Record<string, unknown>, key })
      open.push((holder as Record<string, unknown>)[key])
    }
  }
  return spots
}

const copy = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)))

/** Not by assignment: `__proto__` must become a member. */
export function put(holder: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
}

function remove({ holder, key }: Spot): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

type Change = (spot: Spot, spots: readonly Spot[], random: Random, other: unknown) => void

const memberAt = ({ holder, key }: Spot): unknown => holder[key]

const CHANGES: readonly [Change, ...Change[]] = [
  (spot, _spots, random) => put(spot.holder, spot.key, copy(random.pick(ODD))),
  (spot) => remove(spot),
  // The same again, behind or before itself.
  ({ holder, key }) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 0, copy(holder[Number(key)]))
  },
  // Two places change their values.
  (spot, spots, random) => {
    const two = random.pick(spots)
    if (two !== undefined && !Object.is(two.holder, spot.holder)) put(spot.holder, spot.key, copy(memberAt(two)))
  },
  ({ holder }, _spots, random) => {
    if (!Array.isArray(holder) || holder.length < 2) return
    const [one, two] = [random.below(holder.length), random.below(holder.length)]
    const kept: unknown = holder[one]
    holder[one] = holder[two]
    holder[two] = kept
  },
  // The value of another member of the same name: ids that meet.
  (spot, spots, random) => {
    const named = spots.filter(({ key, holder }) => key === spot.key && !Array.isArray(holder))
    const two = random.pick(named)
    if (two !== undefined) put(spot.holder, spot.key, copy(memberAt(two)))
  },
  // A piece of another input.
  (spot, _spots, random, other) => {
    const theirs = random.pick(spotsOf({ other }))
    if (theirs !== undefined) put(spot.holder, spot.key, copy(memberAt(theirs)))
  },
  // A member of another input under its own name.
  ({ holder }, _spots, random, other) => {
    const theirs = random.pick(spotsOf({ other }))
    if (theirs === undefined) return
    if (Array.isArray(holder)) holder.push(copy(memberAt(theirs)))
    else put(holder, theirs.key, copy(memberAt(theirs)))
  },
  (spot, spots, random) => {
    if (Array.isArray(spot.holder)) return
    const value = memberAt(spot)
    const key = random.chance(0.3) ? random.pick(ODD_KEYS) : random.pick(spots)?.key
    remove(spot)
    put(spot.holder, key ?? '', value)
  },
  (spot, _spots, random) => put(spot.holder, spot.key, changeText(memberAt(spot), random)),
  // JSON in a string, and out of it.
  (spot) => {
    const value = memberAt(spot)
    put(spot.holder, spot.key, typeof value === 'string' ? decoded(value) : JSON.stringify(value ?? null))
  },
  (spot, _spots, random) => {
    let nested: unknown = memberAt(spot)
    for (let depth = random.below(12) + 1; depth > 0; depth--)
      nested = random.chance(0.5) ? [nested] : { content: nested }
    put(spot.holder, spot.key, nested)
  },
]

function decoded(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return [text]
  }
}

function changeText(value: unknown, random: Random): unknown {
  if (typeof value === 'number') return random.pick([value + 1, -value, value * 1e6, 0])
  if (typeof value !== 'string') return [value]
  const odd = random.pick(ODD.filter((one) => typeof one === 'string')) ?? ''
  const at = random.below(value.length + 1)
  const to = Math.min(value.length, at + random.below(8))
  return random.pick([
    value.slice(0, at) + odd + value.slice(at),
    value.slice(0, at) + value.slice(to),
    value.slice(0, to) + value.slice(at),
    value.slice(0, at),
    value.toUpperCase(),
    value.slice(0, at) + String.fromCharCode(random.below(random.chance(0.7) ? 0x3000 : 0x10000)) + value.slice(to),
  ])
}

/** A changed copy. `pool`: what else was interesting, to take pieces from. */
export function mutateJson(input: unknown, random: Random, pool: readonly unknown[]): unknown {
  const root: Record<string, unknown> = { root: copy(input) }
  for (let count = 1 + random.below(random.chance(0.2) ? 12 : 3); count > 0; count--) {
    const spots = spotsOf(root)
    const spot = random.pick(spots)
    if (spot !== undefined) random.pick(CHANGES)(spot, spots, random, random.pick(pool))
  }
  return root['root'] ?? null
}

/** What a place can become that is less than it was; undefined: nothing that this way knows. */
const LESS: readonly ((value: unknown) => unknown)[] = [
  (value) => (typeof value === 'object' && value !== null ? (Object.values(value)[0] ?? null) : undefined),
  (value) => (value === null ? undefined : null),
  (value) => (typeof value === 'string' && value !== '' ? '' : undefined),
  (value) => (typeof value === 'string' && value.length > 1 ? value.slice(0, value.length >> 1) : undefined),
]

/** Every value with one place less, or a plainer one. */
export function* smallerJson(input: unknown): Generator<unknown> {
  const spots = spotsOf({ root: input }).length
  const changed = (index: number, change: (spot: Spot) => boolean): { readonly root: unknown } | null => {
    const root: Record<string, unknown> = { root: copy(input) }
    const spot = spotsOf(root)[index]
    return spot !== undefined && change(spot) ? { root: root['root'] ?? null } : null
  }
  for (let index = 0; index < spots; index++) {
    // The first place is the whole value.
    if (index > 0) {
      const without = changed(index, (spot) => {
        remove(spot)
        return true
      })
      if (without !== null) yield without.root
    }
    for (const less of LESS) {
      const plainer = changed(index, (spot) => {
        const value = less(memberAt(spot))
        if (value !== undefined) put(spot.holder, spot.key, value)
        return value !== undefined
      })
      if (plainer !== null) yield plainer.root
    }
  }
}
