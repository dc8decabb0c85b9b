import { open } from 'node:fs/promises'

const CHUNK_BYTES = 256 * 1024

/** Yields the bytes of a file in pieces that share one buffer: each piece is valid until the next is requested. */
export async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path)
  try {
    const room = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    for (;;) {
      const { bytesRead } = await file.read(room, 0, CHUNK_BYTES)
      if (bytesRead === 0) return
      yield room.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Reads a number of bytes of a file from an offset; fewer at its end. */
export async function readAt(path: string, at: number, bytes: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
