/** Bytes of a text that are looked for in an encoding: no others begin like them. */
const MOST_BYTES = 48
const LEAST_BYTES = 12

/**
 * How the longest line of a text begins in base64, wherever its bytes fall among the others, and in hexadecimal digits. Case and line breaks are for the
 * search to leave out.
 */
export function encodedForms(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  const longest = lines.reduce((most, line) => (line.length > most.length ? line : most), '')
  const bytes = Buffer.from(longest).subarray(0, MOST_BYTES)
  return bytes.length < LEAST_BYTES ? [] : [...[0, 1, 2].map((shift) => base64At(bytes, shift)), bytes.toString('hex')]
}

/** Only the digits that the bytes alone decide, behind `shift` others. */
function base64At(bytes: Buffer, shift: number): string {
  const digits = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  return digits.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
}
