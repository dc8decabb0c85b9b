import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { atif, detailsOf, GOOD, outline, readArchive, tarOf, zipOf } from './make.ts'

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

  it.each([0, 1, 2])('a zip of three entries that says it has %i', async (count) => {
    const entries = ['a', 'b', 'c'].map((name) => ({ name: `${name}.json`, content: atif(name) }))
    const items = await readArchive('a.zip', zipOf(entries, count))
    expect(outline(items)).toEqual(['a.zip: refused'])
    expect(detailsOf(items)[0]).toContain(`its directory holds more entries than it says, ${count}`)
    expect(outline(await readArchive('a.zip', zipOf(entries)))).toHaveLength(3)
  })

  it.each([
    ['text', atif()],
    ['zeros', Buffer.alloc(5000)],
    ['whole blocks of zeros', Buffer.alloc(1024)],
    ['nothing', ''],
  ])('a tar that is cut between two entries, after one of %s', async (_, content) => {
    const whole = await tarOf([GOOD, { name: 'b.json', content }])
    const end = whole.length - 1024
    for (const kept of [0, 511]) {
      const items = await readArchive('a.tar', whole.subarray(0, end + kept))
      expect(outline(items)).toEqual(['a.tar: unreadable'])
    }
    expect(detailsOf(await readArchive('a.tar', whole.subarray(0, end)))[0]).toContain(
      'the empty blocks that end a tar',
    )
    // Of the two blocks, one says enough; more of them stand in tars that are padded to their tape's blocks.
    for (const bytes of [whole.subarray(0, end + 512), whole, Buffer.concat([whole, Buffer.alloc(9216)])])
      expect(outline(await readArchive('a.tar', bytes))[0]).toMatch(/^a.tar!(?:b|good).json/)
  })

  it('a tar that is cut after the header of a header', async () => {
    const long = await tarOf([{ name: `${'d'.repeat(90)}/${'é'.repeat(90)}.json`, content: atif() }])
    expect(outline(await readArchive('a.tar', long.subarray(0, 1024)))).toEqual(['a.tar: unreadable'])
    expect(outline(await readArchive('a.tar.gz', gzipSync(Buffer.alloc(0))))).toEqual(['a.tar.gz: unreadable'])
    expect(outline(await readArchive('a.tar.gz', gzipSync(Buffer.alloc(1024))))).toEqual([])
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
