import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/archives/unpack/limits.ts'
import { Spool } from '../../src/archives/unpack/spool.ts'
import { unpackZip } from '../../src/archives/unpack/tar-and-zip.ts'
import { unpackOne } from '../../src/archives/unpack/unpack.ts'
import { tempFolder, zipOf } from './make.ts'

/** A disk that takes its time to make a file, so that a decoder could fail before anybody reads what it decodes. */
class SlowSpool extends Spool {
  override async addFile(name: string, content: AsyncIterable<Uint8Array>): Promise<boolean> {
    await wait(50)
    return super.addFile(name, content)
  }
}

/** Found by `npm run fuzz -- -t archives`: such an error had no listener yet, and ended the process. */
test.each([
  ['a zip of deflated entries', 'zip', zipOf([{ name: 'a.json', content: 'x'.repeat(999) }]), 40],
  ['a zip of zstandard entries', 'zip', zipOf([{ name: 'a.json', content: 'x'.repeat(999), method: 93 }]), 40],
  ['a gzip file', 'gz', gzipSync('x'.repeat(999)), 12],
  ['a zstandard file', 'zst', zstdCompressSync('x'.repeat(999)), 6],
] as const)(
  '%s that is broken inside is unreadable, and nothing else, on a slow disk',
  async (_name, kind, bytes, at) => {
    const strays: unknown[] = []
    const hear = (error: unknown) => strays.push(error)
    process.on('uncaughtException', hear)
    onTestFinished(() => {
      process.off('uncaughtException', hear)
    })
    const folder = await tempFolder()
    const path = join(folder, 'given')
    await writeFile(path, Buffer.from(bytes).fill(0xff, at, at + 6))
    const into = await tempFolder()
    const unpacked = { entries: 0, bytes: 0 }
    const options = { folder: into, unpacked, limits: DEFAULT_LIMITS, abort: undefined, onProgress: () => undefined }
    const spool = new SlowSpool(bytes.length, options)
    const unpacking = kind === 'zip' ? unpackZip(path, DEFAULT_LIMITS, spool) : unpackOne(path, kind, 'a.json', spool)
    await expect(unpacking).rejects.toThrow()
    await wait(20)
    expect(strays).toEqual([])
  },
)
