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

export interface TarFile {
  readonly name: string
  readonly content: string
  /** `0` a file, `5` a folder, `2` a symbolic link, … */
  readonly type?: string
  readonly link?: string
}

/** A tar written by hand, because no honest library writes what a hostile one holds. */
export function tarOf(files: readonly TarFile[]): Buffer {
  const blocks = files.flatMap(({ name, content, type = '0', link = '' }) => {
    const header = Buffer.alloc(BLOCK)
    header.write(name.slice(0, 100), 0, 'latin1')
    header.write('0000644\0', 100, 'latin1')
    header.write(`${Buffer.byteLength(content).toString(8).padStart(11, '0')}\0`, 124, 'latin1')
    header.write('00000000000\0', 136, 'latin1')
    header.write(type, 156, 'latin1')
    header.write(link.slice(0, 100), 157, 'latin1')
    header.write('ustar\x0000', 257, 'latin1')
    const body = Buffer.from(content)
    return [header, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)]
  })
  return withSums(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]))
}
