import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { readTrials } from '../../src/archives/read-trials.ts'
import {
  atif,
  detailsOf,
  FOR_ALL,
  harborResult,
  outline,
  readAll,
  type TarEntry,
  tarOf,
  tempFolder,
  writeFiles,
  type ZipEntry,
  zipOf,
} from './make.ts'

let folder = ''
let temp = ''
beforeEach(async () => {
  folder = await tempFolder()
  temp = await tempFolder()
})

/** Reads one archive; whatever happens, nothing of it stays, and nothing of it stands beside its own folder. */
async function readArchive(name: string, bytes: Buffer, limits = {}) {
  await writeFiles(folder, { [name]: bytes })
  const items = await readAll(join(folder, name), { tempFolder: temp, limits })
  expect(await readdir(temp)).toEqual([])
  expect(await readdir(folder)).toEqual([name])
  return items
}

const GOOD = { name: 'good.json', content: atif() }

describe('an entry that is not safe is refused by its name, and the rest is read', () => {
  const tars: [string, TarEntry, string][] = [
    ['an absolute path', { name: '/abs.json', content: atif() }, 'absolute'],
    ['a path that leaves', { name: '../out.json', content: atif() }, 'leaves the archive'],
    ['a path that leaves in the middle', { name: 'a/../../out.json', content: atif() }, 'leaves the archive'],
    ['a symbolic link', { name: 'link', type: 'symlink', linkname: '/etc/passwd' }, 'symbolic link'],
    ['a hard link', { name: 'hard', type: 'link', linkname: 'good.json' }, 'hard link'],
    ['a device', { name: 'null', type: 'character-device', devmajor: 1, devminor: 3 }, 'device'],
    ['a named pipe', { name: 'pipe', type: 'fifo' }, 'named pipe'],
    ['a backslash', { name: '..\\out.json', content: atif() }, 'backslash'],
    ['a drive', { name: 'C:/out.json', content: atif() }, 'drive'],
    ['a name twice', { name: 'good.json', content: atif('other') }, 'twice'],
    ['a name twice, written otherwise', { name: './/good.json', content: atif('other') }, 'twice'],
    ['a name in another case', { name: 'GOOD.json', content: atif('other') }, 'case or accents'],
    ['a file as a folder', { name: 'good.json/x.json', content: atif() }, 'a file here and a folder there'],
    ['a name that no file can have', { name: `${'x'.repeat(256)}.json`, content: atif() }, 'no file can have'],
    ['a path of many folders', { name: `${'d/'.repeat(40)}x.json`, content: atif() }, 'folders deep'],
    ['a path that is too long', { name: `${'d'.repeat(200)}/`.repeat(6), type: 'directory' }, 'characters'],
  ]
  it.each(tars)('tar: %s', async (_, entry, detail) => {
    const items = await readArchive('a.tar', await tarOf([GOOD, entry]))
    const trials = items.filter((item) => item.kind === 'trial')
    expect(trials).toMatchObject([{ name: 'a.tar!good.json', request: { trajectory: atif() } }])
    expect(items.filter((item) => item.kind === 'skipped')).toMatchObject([{ reason: 'refused' }])
    expect(detailsOf(items)[0]).toContain(detail)
  })

  const zips: [string, ZipEntry, string][] = [
    ['an absolute path', { name: '/abs.json', content: atif() }, 'absolute'],
    ['a path that leaves', { name: '../out.json', content: atif() }, 'leaves the archive'],
    ['a backslash', { name: '..\\out.json', content: atif() }, 'backslash'],
    ['a symbolic link', { name: 'link', content: '/etc/passwd', mode: 0o120777 }, 'symbolic link'],
    ['a device', { name: 'dev', mode: 0o020666 }, 'special'],
    ['encryption', { name: 'secret.json', content: atif(), flags: 1 }, 'encrypted'],
    ['an unknown method', { name: 'odd.json', content: atif(), method: 12 }, 'method 12'],
    ['a name twice', { name: 'good.json', content: atif('other') }, 'twice'],
    ['NUL', { name: 'good.json\0.txt', content: atif() }, 'NUL'],
  ]
  it.each(zips)('zip: %s', async (_, entry, detail) => {
    const items = await readArchive('a.zip', zipOf([GOOD, entry]))
    expect(items.filter((item) => item.kind === 'trial')).toMatchObject([{ request: { trajectory: atif() } }])
    expect(detailsOf(items)).toHaveLength(1)
    expect(detailsOf(items)[0]).toContain(detail)
  })

  it('and one that is too large is not kept', async () => {
    const items = await readArchive(
      'a.tar',
      await tarOf([{ name: 'big.json', content: atif('x'.repeat(5000)) }, GOOD]),
      {
        max_entry_bytes: 4000,
      },
    )
    expect(outline(items)).toEqual(['a.tar!good.json', 'a.tar!big.json: refused'])
  })

  it('and beyond a hundred, only their number is told', async () => {
    const entries = Array.from({ length: 150 }, (_, index) => ({ name: `../${index}.json`, content: '{}' }))
    const items = await readArchive('a.tar', await tarOf([...entries, GOOD]))
    expect(items).toHaveLength(102)
    expect(detailsOf(items).at(-1)).toBe('50 more of its entries were refused')
  })
})

it('shows names of entries safely', async () => {
  const items = await readArchive('a.tar', await tarOf([{ name: '../\u001b[2J\u202egpj.json', content: '' }]))
  expect(items[0]?.name).toBe('a.tar!../%1B[2J%E2%80%AEgpj.json')
})

describe('an archive that is not safe is refused whole, and says what it was', () => {
  it.each([
    ['too many entries', { max_entries: 10 }, 'more than 10 entries'],
    ['too many bytes', { max_archive_bytes: 9_000 }, 'more than 9000 bytes'],
    ['too much compression', { ratio_free_bytes: 1000, max_ratio: 2 }, 'more than 2 bytes unpacked for each'],
  ])('%s', async (_, limits, detail) => {
    const entries = Array.from({ length: 50 }, (_, index) => ({ name: `${index}.json`, content: atif() }))
    const tar = await tarOf(entries)
    const packed = { 'a.tar.gz': gzipSync(tar), 'a.tar.zst': zstdCompressSync(tar), 'a.zip': zipOf(entries) }
    for (const [name, bytes] of Object.entries(packed)) {
      // A zip of small entries is packed hardly at all.
      if (name === 'a.zip' && 'max_ratio' in limits) continue
      const items = await readArchive(name, bytes, limits)
      expect(outline(items)).toEqual([`${name}: refused`])
      expect(detailsOf(items)[0]).toContain(detail)
      expect(detailsOf(items)[0]).toContain(`of ${bytes.length} bytes`)
      await truncate(join(folder, name))
      folder = await tempFolder()
    }
  })

  it('folders that are only named on the way count as entries', async () => {
    const entries = Array.from({ length: 8 }, (_, index) => ({ name: `${index}/a/b/c/d/e/x.json`, content: '{}' }))
    expect(outline(await readArchive('a.tar', await tarOf(entries), { max_entries: 20 }))).toEqual(['a.tar: refused'])
  })

  it('a zip that says it has a million entries', async () => {
    const items = await readArchive('a.zip', zipOf([GOOD], 1_000_000))
    expect(detailsOf(items)[0]).toContain('more than 200000 entries, 1000000')
  })

  it.each([
    ['a zip whose sizes lie', 'a.zip', zipOf([{ ...GOOD, size: 5 }])],
    ['a zip without its end', 'a.zip', zipOf([GOOD]).subarray(0, -30)],
    ['a gzip of no tar', 'a.tar.gz', gzipSync(Buffer.alloc(2000, 'x'))],
    ['a broken gzip', 'a.tar.gz', gzipSync(Buffer.alloc(2000, 'x')).subarray(0, 20)],
    ['a broken zstd', 'a.tar.zst', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3])],
  ])('%s is unreadable', async (_, name, bytes) => {
    expect(outline(await readArchive(name, bytes))).toEqual([`${name}: unreadable`])
  })

  it('a tar that ends too early', async () => {
    const tar = await tarOf([GOOD, { name: 'b.json', content: 'x'.repeat(5000) }])
    expect(outline(await readArchive('a.tar', tar.subarray(0, tar.length - 4000)))).toEqual(['a.tar: unreadable'])
  })

  it('an archive in an archive in an archive …', async () => {
    let bytes = await tarOf([GOOD])
    for (let depth = 0; depth < 5; depth++) bytes = await tarOf([{ name: 'in.tar', content: bytes }])
    const items = await readArchive('a.tar', bytes)
    expect(outline(items)).toEqual(['a.tar!in.tar!in.tar!in.tar: refused'])
    expect(outline(await readArchive('a.tar', bytes, { max_nested: 9 }))).toEqual([
      `a.tar!${'in.tar!'.repeat(5)}good.json`,
    ])
  })

  it('and archives inside of it count with it', async () => {
    const inner = zipOf([{ name: 'x.json', content: atif('y'.repeat(50_000)) }])
    const outer = await tarOf(Array.from({ length: 10 }, (_, index) => ({ name: `${index}.zip`, content: inner })))
    const items = await readArchive('a.tar', outer, { max_archive_bytes: 200_000 })
    expect(items.filter((item) => item.kind === 'trial').length).toBeLessThan(4)
    expect(items).toHaveLength(10)
    expect(detailsOf(items).every((detail) => detail.includes('more than 200000 bytes'))).toBe(true)
  })
})

it('follows no link that it finds in a folder', async () => {
  const outside = await writeFiles(await tempFolder(), { 'a.json': atif() })
  await symlink(outside, join(folder, 'linked'))
  await symlink(join(outside, 'a.json'), join(folder, 'linked.json'))
  await writeFiles(folder, { 'trial/result.json': { trial_name: 't', task_name: 't' }, 'trial/agent/x.txt': '' })
  await symlink(join(outside, 'a.json'), join(folder, 'trial/agent/trajectory.json'))
  expect(outline(await readAll(folder, { tempFolder: temp }))).toEqual(
    ['linked: refused', 'linked.json: refused', 'trial: no_trajectory'].map(
      (line) => `${folder.split('/').at(-1)}/${line}`,
    ),
  )
  await symlink(outside, join(temp, 'given'))
  expect(outline(await readAll(join(temp, 'given')))).toEqual(['given/a.json'])
})

it('removes what it unpacked when it is aborted, or left', async () => {
  const tar = await tarOf(Array.from({ length: 20 }, (_, index) => ({ name: `${index}.json`, content: atif() })))
  await writeFiles(folder, { 'a.tar': tar })
  const path = join(folder, 'a.tar')
  const abort = new AbortController()
  const options = { groundTruths: FOR_ALL, tempFolder: temp, abort: abort.signal }
  const read = async () => {
    for await (const _ of readTrials([path], options)) {
      expect(await readdir(temp)).toHaveLength(1)
      abort.abort()
    }
  }
  await expect(read()).rejects.toMatchObject({ name: 'AbortError' })
  expect(await readdir(temp)).toEqual([])
  await expect(read()).rejects.toMatchObject({ name: 'AbortError' })
  for await (const _ of readTrials([path], { groundTruths: FOR_ALL, tempFolder: temp })) break
  expect(await readdir(temp)).toEqual([])
})

describe('memory, as the process itself counts it', () => {
  /** Reads a path in a process of its own; what it prints, and the most bytes that it ever held. */
  async function readApart(path: string): Promise<{ items: string[]; peakBytes: number; heldBytes: number }> {
    const script = join(import.meta.dirname, 'read-apart.ts')
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, path, temp], {
      maxBuffer: 10_000_000,
    })
    return JSON.parse(stdout)
  }
  const MOST = 300 * 1024 * 1024

  it('is bounded for 10 GB of zeros in 10 MB', async () => {
    const head = (await tarOf([{ name: 'zeros.json', content: '' }])).subarray(0, 512)
    const size = 10 * 1024 ** 3
    head.write('\x80\0\0\0', 124, 'latin1')
    head.writeBigUInt64BE(BigInt(size), 128)
    head.fill(' ', 148, 156)
    head.write(
      `${[...head]
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
      'latin1',
    )
    // A gzip may be made of many: one of 64 MB of zeros, again and again.
    const zeros = gzipSync(Buffer.alloc(64 * 1024 ** 2))
    await writeFile(join(folder, 'zeros.tar.gz'), Buffer.concat([gzipSync(head), ...Array(160).fill(zeros)]))
    const { items, peakBytes } = await readApart(join(folder, 'zeros.tar.gz'))
    expect(items).toEqual([expect.stringContaining('zeros.tar.gz: refused: more than 100 bytes unpacked for each')])
    expect(peakBytes).toBeLessThan(MOST)
    expect(await readdir(temp)).toEqual([])
  }, 120_000)

  it('is bounded for a million entries', async () => {
    const block = await tarOf(Array.from({ length: 1000 }, (_, index) => ({ name: `${index}/x.json`, content: '' })))
    const packed = gzipSync(block.subarray(0, block.length - 1024), { level: 0 })
    await writeFile(join(folder, 'many.tar.gz'), Buffer.concat(Array(1000).fill(packed)))
    const { items, peakBytes } = await readApart(join(folder, 'many.tar.gz'))
    expect(items).toEqual([expect.stringMatching(/many.tar.gz: refused: more than 200000 entries/)])
    expect(peakBytes).toBeLessThan(MOST)
  }, 120_000)

  it('is bounded for a line of 200 MB, and the lines around it are read', async () => {
    const line = JSON.stringify({
      item_id: 'a',
      trajectory: atif(),
      ground_truth: { instruction: 'x', cue: { text: 'y' } },
    })
    const path = join(folder, 'requests.ndjson')
    await writeFile(path, `${line}\n{"trajectory":{`)
    await truncate(path, 200 * 1024 ** 2)
    await writeFile(path, `\n${line.replace('"a"', '"b"')}\n`, { flag: 'a' })
    const { items, peakBytes } = await readApart(path)
    expect(items).toEqual(['a', expect.stringContaining('requests.ndjson#line 2: refused: the line has more'), 'b'])
    expect(peakBytes).toBeLessThan(MOST)
  }, 60_000)

  it('is that of one trial, however many there are', async () => {
    const MEGABYTE = 1024 ** 2
    // Bytes that do not compress, so that the archive is as large as what is in it.
    const text = () => randomBytes((3 * MEGABYTE) / 4).toString('base64')
    const pack = async (count: number) => {
      const trials = Array.from({ length: count }, (_, index) => [
        { name: `job/t__${index}/result.json`, content: harborResult('t', `t__${index}`) },
        { name: `job/t__${index}/agent/trajectory.json`, content: atif(text()) },
      ])
      await writeFile(join(folder, `${count}.tar.gz`), gzipSync(await tarOf(trials.flat()), { level: 1 }))
      return readApart(join(folder, `${count}.tar.gz`))
    }
    const few = await pack(4)
    const many = await pack(60)
    expect(many.items).toHaveLength(60)
    expect(many.items.every((item) => !item.includes(':'))).toBe(true)
    expect(many.heldBytes - few.heldBytes).toBeLessThan(4 * MEGABYTE)
  }, 60_000)
})
