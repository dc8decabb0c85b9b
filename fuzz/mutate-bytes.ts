import type { Random } from './random.ts'

const ODD_BYTES = [0x00, 0x01, 0x20, 0x2f, 0x5c, 0x7f, 0x80, 0xff] as const
const ODD_NUMBERS = [0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff] as const

/** Changes of bytes that know no structure. */
export function mutateBytes(input: Buffer, random: Random, words: readonly string[], pool: readonly Buffer[]): Buffer {
  let bytes: Buffer = Buffer.from(input)
  for (let count = 1 + random.below(random.chance(0.2) ? 16 : 3); count > 0; count--)
    bytes = change(bytes, random, words, pool)
  return bytes
}

function change(bytes: Buffer, random: Random, words: readonly string[], pool: readonly Buffer[]): Buffer {
  const at = random.below(bytes.length + 1)
  const to = Math.min(bytes.length, at + random.below(random.chance(0.3) ? 600 : 8))
  const splice = (put: Buffer, end = at) => Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(end)])
  switch (random.below(8)) {
    case 0:
      return splice(Buffer.from([random.pick(ODD_BYTES)]), Math.min(bytes.length, at + 1))
    case 1:
      return splice(Buffer.alloc(0), to)
    case 2:
      return splice(bytes.subarray(at, to))
    case 3:
      return bytes.subarray(0, at)
    case 4: {
      const word = Buffer.from(random.pick(words) ?? '')
      return splice(word, random.chance(0.7) ? at + word.length : at)
    }
    case 5: {
      const number = Buffer.alloc(4)
      number.writeUInt32LE(random.pick(ODD_NUMBERS))
      return splice(number.subarray(0, random.pick([1, 2, 4])), at + 4)
    }
    case 6: {
      const other = random.pick(pool) ?? bytes
      const from = random.below(other.length)
      return splice(other.subarray(from, from + random.below(1200)), random.chance(0.5) ? to : at)
    }
    default: {
      const flipped = Buffer.from(bytes)
      const place = Math.min(at, flipped.length - 1)
      if (place >= 0) flipped[place] = (flipped[place] ?? 0) ^ (1 << random.below(8))
      return flipped
    }
  }
}

/** Halves, quarters, … left out, then single bytes. */
export function* smallerBytes(input: Buffer): Generator<Buffer> {
  for (let size = input.length >> 1; size >= 1; size >>= 1)
    for (let at = 0; at < input.length; at += size)
      yield Buffer.concat([input.subarray(0, at), input.subarray(at + size)])
}
