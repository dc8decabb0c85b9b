import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readLines } from '../../src/judges/batch.ts'
import { collect } from '../collect.ts'

const linesOf = (chunks: readonly Uint8Array[], most?: number): Promise<(string | null)[]> =>
  collect(readLines(ReadableStream.from(chunks), most))

/** Bytes cut into pieces at any places, within characters too. */
const cut = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

const text = fc.string({ unit: 'binary' }).map((one) => one.replaceAll(/[\n\r]/g, '\u2028').toWellFormed())

test('lines are the same wherever the network cuts them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text), fc.array(fc.nat()), fc.boolean(), async (lines, places, ends) => {
      const bytes = new TextEncoder().encode(lines.join('\n') + (ends ? '\n' : ''))
      const read = await linesOf(cut(bytes, places))
      const expected = [...lines]
      while (expected.at(-1) === '') expected.pop()
      while (read.at(-1) === '') read.pop()
      expect(read).toEqual(expected)
    }),
  )
})

test.each([
  ['within one chunk', ['short\n123456789\nlast\n']],
  ['over many', ['short\n1234', '5678', '9\nla', 'st']],
])('a line that is too long is null and not held: %s', async (_name, chunks) => {
  const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk))
  expect(await linesOf(bytes, 8)).toEqual(['short', null, 'last'])
})

test('an endless line takes the memory of one line at most', async () => {
  const mebibyte = 1024 * 1024
  let most = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (let chunk = 0; chunk < 768; chunk++) {
      most = Math.max(most, process.memoryUsage().arrayBuffers)
      yield Buffer.alloc(mebibyte, 'x')
    }
  }
  const before = process.memoryUsage().arrayBuffers
  for await (const line of readLines(endless())) expect(line).toBeNull()
  expect(most - before).toBeLessThan(400 * mebibyte)
})
