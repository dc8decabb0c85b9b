import fc from 'fast-check'

/** Values that hurt somewhere: names of prototypes, texts that are cut or folded, numbers that are not kept. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...['', ' ', '\0', 'a\0b', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'null', 'NaN'],
    ...['-1', '1e9', '9007199254740993', '1e400', 'true', '%', '%00', '%ff', '../..', "' OR 1=1 --", '{"a":1}', '[]'],
    ...['\u202e', '\u{1f600}', '\ufeff', '\r\n', '=== STEP 1 ===', '</x>', '*', '"', '\\', 'x'.repeat(5000), '__%_'],
    ...['\ud800', 'a\udc00', '\u0130', 'ﬀ', '\u0000\uffff'],
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)

const hostileNumber: fc.Arbitrary<number> = fc.constantFrom(
  ...[0, -0, -1, 1, 0.5, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), 1e308, 5e-324, Number.MAX_SAFE_INTEGER],
)

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom(null, true, false),
  fc.constantFrom([], {}, [[]], [null], { toString: null }, { length: -1 }, JSON.parse('{"__proto__": {"x": 1}}')),
  fc.array(hostileText, { maxLength: 3 }),
  fc.dictionary(hostileText, fc.oneof(hostileText, hostileNumber), { maxKeys: 3 }),
)

/** A value with one thing in it changed: a member gone, another in its place, one more, an element twice. */
export function mutate(value: unknown, seed: number, other: unknown): unknown {
  const copy = structuredClone(value)
  const places: [holder: object, key: string | number][] = []
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const key of Object.keys(node)) {
      places.push([node, Array.isArray(node) ? Number(key) : key])
      collect((node as Record<string, unknown>)[key])
    }
  }
  collect(copy)
  const place = places[seed % Math.max(1, places.length)]
  if (place === undefined) return other
  const [holder, key] = place as [Record<string | number, unknown>, string | number]
  const kind = Math.floor(seed / places.length) % 4
  if (Array.isArray(holder)) {
    if (kind === 0) holder.splice(Number(key), 1)
    else if (kind === 1) holder.push(structuredClone(holder[Number(key)]))
    else holder[Number(key)] = other
  } else if (kind === 0) delete holder[key]
  else if (kind === 1) Object.defineProperty(holder, NAMES[seed % NAMES.length] ?? 'x', { ...OWN, value: other })
  else holder[key] = other
  return copy
}

const OWN = { enumerable: true, configurable: true, writable: true }
const NAMES = ['__proto__', 'constructor', 'unknown', 'id', '\0', 'a'.repeat(3000)]

/** Bytes that are no JSON, or JSON that no value comes to; made from a text that is. */
export const DAMAGE: Readonly<Record<string, (text: string) => string | Buffer>> = {
  'cut off': (text) => text.slice(0, Math.ceil(text.length / 2)),
  nothing: () => '',
  'text behind it': (text) => `${text}x`,
  twice: (text) => `${text}\n${text}`,
  'a mark before it': (text) => `\ufeff${text}`,
  'another encoding': (text) => Buffer.from(text, 'utf16le'),
  'bytes that are no text': (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xc0, 0x80, 0xff])]),
  'a key twice': (text) => text.replace('{', '{"a":1,"a":2,'),
  'a number without end': (text) => text.replace('{', `{"n":${'9'.repeat(5000)},`),
  infinity: (text) => text.replace('{', '{"n":1e400,'),
  'half a character': (text) => text.replace('{', '{"\\ud800":"\\udc00",'),
  deep: (text) => text.replace('{', `{"n":${'['.repeat(5000)}${']'.repeat(5000)},`),
  'a prototype': (text) => text.replace('{', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},'),
}
