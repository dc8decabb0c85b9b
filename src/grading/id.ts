const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * `grd_` and 26 digits of Crockford’s base 32: 48 bits of time in milliseconds, then 80 random bits (the layout of a ULID), so
 * that ids sort by age and paging needs no second column.
 */
export function makeId(prefix: string, timeMs: number, random: Uint8Array): string {
  let bits = BigInt(timeMs) & 0xffffffffffffn
  for (const byte of random.subarray(0, 10)) bits = (bits << 8n) | BigInt(byte)
  let text = ''
  for (let digit = 0; digit < 26; digit++) {
    text = (DIGITS[Number(bits & 31n)] ?? '0') + text
    bits >>= 5n
  }
  return `${prefix}_${text}`
}
