const BLOCK = 512

/** Sums of the headers made right again after a change, or every change would only test the sum. */
export function withSums(bytes: Buffer): Buffer {
  const tar = Buffer.from(bytes)
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK)
    if (header.toString('latin1', 257, 262) !== 'ustar') {
      at += BLOCK
      continue
    }
    header.fill(0x20, 148, 156)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
    const size = Number.parseInt(header.toString('latin1', 124, 136), 8)
    at += BLOCK + (Number.isSafeInteger(size) && size >= 0 ? Math.ceil(size / BLOCK) * BLOCK : 0)
  }
  return tar
}
