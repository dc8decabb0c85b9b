const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const RANDOM_BITS = 80n

/**
 * Makes ids: a prefix and 26 digits of Crockford’s base 32, 48 bits of time in milliseconds and 80 random ones (the layout of a
 * ULID). Within one millisecond the random part counts up, so that ids of one process sort in the order in which they were made:
 * lists page by id alone.
 */
export function createIdMaker(now: () => number, random: () => Uint8Array): (prefix: string) => string {
  let time = -1
  let tail = 0n
  return (prefix) => {
    const at = Math.max(now(), time)
    // The top bit of ten bytes stays clear, so that counting up cannot run over.
    tail = at === time ? tail + 1n : BigInt(`0x${Buffer.from(random()).toString('hex', 0, 10)}`) >> 1n
    time = at
    return `${prefix}_${encode((BigInt(at) << RANDOM_BITS) | tail)}`
  }
}

function encode(bits: bigint): string {
  let text = ''
  for (let digit = 0, rest = bits; digit < 26; digit++, rest >>= 5n) text = (DIGITS[Number(rest & 31n)] ?? '0') + text
  return text
}
