import { createHash } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { folderOf, PLACE } from './blob-tools.ts'
import { beginOutside, get, keysOf, LARGE, put, SMALL, type TestDatabase } from './outside-tools.ts'

/** Where large data is put and how it is read, over any database; `make` gives an empty one. */
export function describeOutside(make: () => TestDatabase): void {
  describe('what lies outside', () => {
    test('is what is large: the row holds a reference of forty bytes to the digest of the bytes', async () => {
      const { s3, database, stores } = await beginOutside(make)
      expect([await put(stores, SMALL), await put(stores, LARGE), await put(stores, LARGE)]).toEqual([
        true,
        true,
        false,
      ])
      const [key = ''] = keysOf(s3)
      const bytes = s3.objects.get(key) ?? Buffer.alloc(0)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      expect(keysOf(s3)).toEqual([`veridict-test/some/prefix/default/trajectories/${sha256.slice(0, 2)}/${sha256}`])
      const rows = await database.query('SELECT document, outside_bytes FROM trajectories ORDER BY outside_bytes')
      const { document, outside_bytes } = rows.find((row) => row['outside_bytes'] !== null) ?? {}
      expect(document).toHaveLength(40)
      expect(Number(outside_bytes)).toBe(bytes.length)
      expect((document as Buffer).subarray(2, 34).toString('hex')).toBe(sha256)
      expect(await get(stores, LARGE)).toEqual(LARGE)
      expect(await get(stores, SMALL)).toEqual(SMALL)
      expect(await database.query('SELECT place FROM blob_places')).toEqual([{ place: PLACE }])
    })

    test('is durable before its row: where it cannot be put there is no row', async () => {
      const { s3, database, stores } = await beginOutside(make)
      s3.always = { status: 503, code: 'SlowDown' }
      await expect(put(stores, LARGE)).rejects.toMatchObject({ name: 'StorageError', code: 'storage_busy' })
      s3.always = { status: 507, code: 'InsufficientStorage' }
      await expect(put(stores, LARGE)).rejects.toMatchObject({ code: 'storage_full' })
      s3.always = { status: 403, code: 'AccessDenied' }
      await expect(put(stores, LARGE)).rejects.toMatchObject({ code: 'storage_error' })
      expect(await database.query('SELECT 1 FROM trajectories')).toEqual([])
      expect(await put(stores, SMALL)).toBe(true)
      s3.always = null
      expect(await put(stores, LARGE)).toBe(true)
      expect(await get(stores, LARGE)).toEqual(LARGE)
    })

    test.each(['wrong bytes', 'too short'] as const)(
      'is verified: %s once are read again, always are damage',
      async (fault) => {
        const { s3, stores } = await beginOutside(make)
        await put(stores, LARGE)
        s3.faults.push(fault)
        expect(await get(stores, LARGE)).toEqual(LARGE)
        s3.always = fault
        await expect(get(stores, LARGE)).rejects.toMatchObject({
          code: 'storage_error',
          message: /at s3:.* is damaged/,
        })
      },
    )

    test('says what is missing, and where', async () => {
      const { s3, stores } = await beginOutside(make)
      await put(stores, LARGE)
      s3.objects.clear()
      await expect(get(stores, LARGE)).rejects.toThrow(
        /trajectories\/.* is missing at s3:\/\/veridict-test\/some\/prefix/,
      )
    })

    test('is of one project: the same trajectory in two is two objects', async () => {
      const { s3, room, stores } = await beginOutside(make)
      const other = await make().open(folderOf(room, 'other'))
      onTestFinished(() => other.close())
      await Promise.all([put(stores, LARGE), put(other, LARGE)])
      const folders = keysOf(s3).map((key) => key.split('/')[3])
      expect(folders.sort()).toEqual(['default', 'other'])
    })

    test('written by two processes at once is stored once', async () => {
      const { s3, blobs, open, stores } = await beginOutside(make)
      const second = await open(blobs)
      const news = await Promise.all([put(stores, LARGE), put(second, LARGE)])
      expect(news.sort()).toEqual([false, true])
      expect(keysOf(s3)).toHaveLength(1)
      expect(await get(second, LARGE)).toEqual(LARGE)
    })

    test('makes the check fail where nothing can be put there', async () => {
      const { s3, stores } = await beginOutside(make)
      s3.always = { status: 404, code: 'NoSuchBucket' }
      await expect(stores.check()).rejects.toMatchObject({ code: 'storage_error', message: /make the bucket/ })
    })
  })
}
