import { describe, expect, onTestFinished, test } from 'vitest'
import { NO_CAPS } from '../../src/ports/ledger-ports.ts'
import { finishOk, KEY, planAttempt, REQUEST } from '../storage/make-attempt.ts'
import { folderOf, openRoom, PLACE } from './blob-tools.ts'
import {
  beginOutside,
  documentOf,
  get,
  keysOf,
  LARGE,
  LARGE_REPLY,
  noise,
  put,
  type TestDatabase,
} from './outside-tools.ts'

/** Starts with, without and with another place, over any database; `make` gives an empty one. */
export function describePlaces(make: () => TestDatabase): void {
  describe('the place', () => {
    test('is asked nothing at a start', async () => {
      const { s3, open, stores } = await beginOutside(make)
      await put(stores, LARGE)
      const asked = s3.requests.length
      await open()
      expect(s3.requests).toHaveLength(asked)
    })

    test('can be named later: what is in its rows stays readable there', async () => {
      const { s3, open, blobs, database } = await beginOutside(make)
      const inside = make()
      const first = await inside.open(null)
      await put(first, LARGE)
      await first.close()
      const second = await inside.open(blobs)
      onTestFinished(() => second.close())
      expect(await get(second, LARGE)).toEqual(LARGE)
      expect(keysOf(s3)).toEqual([])
      const more = documentOf(noise(50_000))
      await put(second, more)
      expect(keysOf(s3)).toHaveLength(1)
      expect(await get(second, more)).toEqual(more)
      expect(await get(await open(), more)).toBeUndefined()
      expect(await database.query('SELECT place FROM blob_places')).toHaveLength(1)
    })

    test('that is not named is told at the start, where something lies there', async () => {
      const { open, stores } = await beginOutside(make)
      await (await open(null)).close()
      await put(stores, LARGE)
      await expect(open(null)).rejects.toMatchObject({
        code: 'storage_error',
        message: expect.stringContaining(`set VERIDICT_BLOBS=${PLACE}`),
      })
    })

    test('that is not named is told when it is needed by who was there before', async () => {
      const { open, stores } = await beginOutside(make)
      const without = await open(null)
      await put(stores, LARGE)
      await expect(get(without, LARGE)).rejects.toThrow(`set VERIDICT_BLOBS=${PLACE}`)
      await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
      await stores.attempts.finish(finishOk('att_1', LARGE_REPLY))
      await expect(without.attempts.findOrphan(KEY, 0, 0, REQUEST)).rejects.toThrow(`set VERIDICT_BLOBS=${PLACE}`)
    })

    test('can be another one once all is there, and not before', async () => {
      const { s3, database, open, stores } = await beginOutside(make)
      await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
      await stores.attempts.finish(finishOk('att_1', LARGE_REPLY))
      const moved = openRoom(s3.endpoint, {}, 's3://veridict-test/new')
      onTestFinished(() => moved.close())
      await expect(open(folderOf(moved))).rejects.toThrow(
        /lies at s3:\/\/veridict-test\/some\/prefix, and VERIDICT_BLOBS is s3:\/\/veridict-test\/new: copy all objects/,
      )
      for (const [key, bytes] of [...s3.objects]) s3.objects.set(key.replace('some/prefix', 'new'), bytes)
      const there = await open(folderOf(moved))
      expect(await there.attempts.findOrphan(KEY, 0, 0, REQUEST)).toMatchObject({ reply: LARGE_REPLY })
      const places = await database.query('SELECT place FROM blob_places')
      expect(places).toEqual([{ place: PLACE }, { place: 's3://veridict-test/new' }])
    })
  })
}
