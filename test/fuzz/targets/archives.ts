import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { readTrials } from '../../../src/archives/trials/read-trials.ts'
import { DEFAULT_LIMITS } from '../../../src/archives/unpack/limits.ts'
import { readAt } from '../../../src/archives/unpack/place.ts'
import { packingIn, unpackArchive } from '../../../src/archives/unpack/unpack.ts'
import { nearBytes } from '../near.ts'
import { hold, type Target } from '../target.ts'

const LIMITS = {
  ...DEFAULT_LIMITS,
  max_entries: 40,
  max_entry_bytes: 4000,
  max_archive_bytes: 30_000,
  ratio_free_bytes: 8000,
  max_ratio: 50,
  max_depth: 8,
  max_path_chars: 200,
}

const WORDS = [
  ...['../', '/etc/passwd', '..\\', 'C:', './', 'a/b/c/d/e/f/g/h/i/j/', 'ustar', 'PK\x01\x02', 'PK\x03\x04'],
  ...['PK\x05\x06', '\x1f\x8b', '777777', '0000000', '1', '2', '5', 'x', 'L', '\x00', '\xff\xff\xff\xff'],
  ...['30 path=../x\n', '{"steps":[{"actor":"user","text":"a"}]}'],
]

export const ARCHIVES: Target<Buffer> = {
  name: 'archives',
  law: 'unpacked, refused or unreadable, never thrown; nothing outside of its folder, no links, no more than the limits, nothing left behind',
  corpus: 'archives',
  extension: 'bin',
  decode: (bytes) => bytes,
  encode: (input) => input,
  near,
  check,
}

function near(kept: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const plain = nearBytes(kept, WORDS)
  const withRightSums = plain.map(withSums)
  const unpacked = kept.filter((bytes) => bytes[0] === 0x1f && bytes[1] === 0x8b).flatMap(unpackedOf)
  const within = fc
    .tuple(nearBytes(unpacked, WORDS), fc.nat(19))
    .map(([bytes, large]) => gzipSync(large === 19 ? Buffer.concat([bytes, Buffer.alloc(60_000)]) : withSums(bytes)))
  return fc.oneof(plain, { weight: 4, arbitrary: withRightSums }, ...(unpacked.length === 0 ? [] : [within]))
}

function unpackedOf(bytes: Buffer): Buffer[] {
  try {
    return [gunzipSync(bytes, { maxOutputLength: 200_000 })]
  } catch {
    return []
  }
}

async function check(bytes: Buffer): Promise<void> {
  const own = mkdtempSync(join(tmpdir(), 'veridict-fuzz-'))
  try {
    const [file, folder, temp] = [join(own, 'given'), join(own, 'into'), join(own, 'temp')]
    mkdirSync(folder)
    mkdirSync(temp)
    writeFileSync(file, bytes)
    await checkUnpacking(file, folder)
    hold(readdirSync(own).length === 3, 'something was written outside of the folder')
    const items = []
    for await (const item of readTrials([file], { tempFolder: temp, limits: LIMITS })) items.push(item.name)
    hold(new Set(items).size === items.length, 'two items have one name')
    hold(readdirSync(temp).length === 0, 'something was left behind')
    hold(readdirSync(own).length === 3, 'something was written outside of the folder')
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

async function checkUnpacking(file: string, folder: string): Promise<void> {
  const packing = await packingIn(file, await readAt(file, 0, 512))
  if (packing === null) return
  const unpacked = { entries: 0, bytes: 0 }
  const options = { folder, unpacked, limits: LIMITS, abort: undefined, onProgress: () => undefined }
  const result = await unpackArchive(file, 'given', packing, options)
  if (result.kind !== 'unpacked') hold(result.detail !== '', 'a refusal says nothing')
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  hold(found.length <= LIMITS.max_entries + LIMITS.max_depth, `${found.length} entries`)
  let total = 0
  for (const name of found) {
    const kind = lstatSync(join(folder, name))
    hold(kind.isFile() || kind.isDirectory(), 'neither a file nor a folder')
    if (kind.isFile()) total += kind.size
    // The entry that ends an archive is closed where it was when the limit was met.
    hold(kind.isDirectory() || kind.size <= LIMITS.max_entry_bytes, `an entry of ${kind.size} bytes`)
    hold((kind.mode & 0o077) === 0, 'others may read what was unpacked')
  }
  hold(total <= LIMITS.max_archive_bytes, `${total} bytes in all`)
}

const BLOCK = 512

/** Sums of the headers made right again after a change, or every change would only test the sum. */
function withSums(bytes: Buffer): Buffer {
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
