/** One more byte of a text; -1: there is none. */
type NextByte = () => number

/** How many bytes a character of UTF-8 has that begins with this one; 0: none begins so. */
function sizeOf(first: number): number {
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : 4
}

/** The character that begins with the byte, and how many bytes it has; null: they are no UTF-8. */
export function readCharacter(first: number, next: NextByte): { readonly code: number; readonly bytes: number } | null {
  const bytes = sizeOf(first)
  if (bytes === 0) return null
  let code = bytes === 1 ? first : first & (0xff >> (bytes + 1))
  for (let read = 1; read < bytes; read++) {
    const byte = next()
    if (byte < 0x80 || byte > 0xbf) return null
    code = code * 64 + (byte & 0x3f)
  }
  return code > 0x10ffff ? null : { code, bytes }
}
