import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitLines } from '../../src/domain/text/line-splitter.ts'

type Read = [number: number, text: string | null]

async function* comingIn(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
}

async function split(chunks: Iterable<Uint8Array>, most: number): Promise<Read[]> {
  const lines: Read[] = []
  // The text is taken at once: the bytes are only good until the next line.
  for await (const { number, bytes } of splitLines(comingIn(chunks), most))
    lines.push([number, bytes?.toString('latin1') ?? null])
  return lines
}

function* repeated(count: number, chunk: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < count; at++) yield chunk
}

/** The rule in its plainest words, over the whole text at once. */
function splitWhole(text: string, most: number): Read[] {
  const pieces = text.split('\n')
  const last = pieces.pop() ?? ''
  const lines = pieces.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (last !== '') lines.push(last)
  return lines.map((line, index) => [index + 1, line.length > most ? null : line])
}

const cut = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, index) => bytes.slice(at[index], end))
}

const hostile = fc.array(fc.constantFrom('\n', '\r', '\r\n', 'a', 'bc', '\0', '\xe2\x80\xa8', 'x'.repeat(9)), {
  maxLength: 60,
})

test('lines are those of the whole text, wherever it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, fc.array(fc.nat()), fc.integer({ min: 0, max: 12 }), async (pieces, places, most) => {
      const text = pieces.join('')
      const bytes = Buffer.from(text, 'latin1')
      const expected = splitWhole(text, most)
      expect(await split(cut(bytes, places), most)).toEqual(expected)
      const single = [...bytes].map((byte) => Uint8Array.of(byte))
      expect(await split(single, most)).toEqual(expected)
    }),
    { numRuns: 500 },
  )
})

test.each<[string, string, number, (string | null)[]]>([
  ['an ending is not part of the line', 'abc\r\nabcd\r\nabc\r', 3, ['abc', null, null]],
  ['blank lines count', '\n\r\n\na', 9, ['', '', '', 'a']],
  ['nothing has no line', '', 9, []],
  ['a newline at the end begins no line', 'a\n', 9, ['a']],
  ['no byte may be kept', 'a\n\nb', 0, [null, '', null]],
])('%s', async (_name, text, most, lines) => {
  expect(await split([Buffer.from(text)], most)).toEqual(lines.map((line, index) => [index + 1, line]))
})

test('a line in single bytes is copied a few times in all, and one that is too long is not kept', async () => {
  const copied = { bytes: 0 }
  const { set } = Buffer.prototype
  const spy = function (this: Buffer, source: ArrayLike<number>, at?: number) {
    copied.bytes += source.length
    set.call(this, source, at)
  }
  Object.defineProperty(Buffer.prototype, 'set', { value: spy, configurable: true })
  try {
    const [line] = await split(repeated(200_000, Uint8Array.of(0x61)), 200_000)
    expect(line?.[1]).toHaveLength(200_000)
    expect(copied.bytes).toBeLessThan(800_000)
    const kept = copied.bytes
    expect(await split(repeated(100_000, Buffer.alloc(100, 'a')), 10)).toEqual([[1, null]])
    expect(copied.bytes).toBe(kept)
  } finally {
    Reflect.deleteProperty(Buffer.prototype, 'set')
  }
})
