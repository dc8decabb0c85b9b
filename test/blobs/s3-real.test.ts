import { randomBytes } from 'node:crypto'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { describeStores } from '../storage/contract.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { folderOf, openRoom } from './blob-tools.ts'

/**
 * The same against a real server, where one is named: VERIDICT_TEST_S3=http://127.0.0.1:9000 with AWS_ACCESS_KEY_ID and
 * AWS_SECRET_ACCESS_KEY of somebody who may make buckets.
 */
const endpoint = process.env['VERIDICT_TEST_S3'] ?? ''
if (endpoint === '') process.stderr.write('skipped: a real S3 server: VERIDICT_TEST_S3 names none\n')

const bucket = `veridict-test-${randomBytes(6).toString('hex')}`
const PATIENT = { request_timeout_ms: 20_000, connect_timeout_ms: 5000 }
const NAME = `trajectories/ab/${'0'.repeat(64)}`
const BYTES = randomBytes(5_000_000)

describe.skipIf(endpoint === '')('a real S3 server', () => {
  let projects = 0
  const open = (place = `s3://${bucket}/a/b`, given: NodeJS.ProcessEnv = {}, file = {}) => {
    const room = openRoom(endpoint, { ...PATIENT, ...file }, place, { ...process.env, ...given })
    onTestFinished(() => room.close())
    projects += 1
    return folderOf(room, `project-${projects}`)
  }

  beforeAll(async () => {
    const client = new S3Client({ endpoint, forcePathStyle: true, region: 'us-east-1' })
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    client.destroy()
  })

  test('keeps and gives back', async () => {
    const blobs = open()
    await blobs.check()
    expect(await blobs.get(NAME, 10)).toBeNull()
    await blobs.put(NAME, BYTES)
    await blobs.put(NAME, BYTES)
    expect(Buffer.from((await blobs.get(NAME, BYTES.length)) ?? []).equals(BYTES)).toBe(true)
    expect(await blobs.get(NAME, 1000)).toHaveLength(1001)
    expect(Buffer.from((await blobs.get(NAME, BYTES.length)) ?? []).equals(BYTES)).toBe(true)
  })

  test('many at once', async () => {
    const blobs = open(undefined, {}, { max_connections: 8 })
    const small = BYTES.subarray(0, 50_000)
    const names = Array.from({ length: 100 }, (_, n) => `replies/ab/att_${n}-${'0'.repeat(64)}`)
    await Promise.all(names.map((name) => blobs.put(name, small)))
    const all = await Promise.all(names.map((name) => blobs.get(name, small.length)))
    for (const one of all) expect(Buffer.from(one ?? []).equals(small)).toBe(true)
  })

  test.each([
    ['a missing bucket', `s3://${bucket}-x`, {}, /make the bucket/],
    ['a wrong secret', undefined, { AWS_SECRET_ACCESS_KEY: 'wrong' }, /are not those of this store/],
    ['an unknown key', undefined, { AWS_ACCESS_KEY_ID: 'NOBODYSKEY' }, /are not those of this store/],
  ] as const)('refuses %s', async (_name, place, given, advice) => {
    const blobs = open(place, given)
    await expect(blobs.put(NAME, BYTES)).rejects.toMatchObject({ trouble: 'refused', message: advice })
    await expect(blobs.get(NAME, 10)).rejects.toMatchObject({ trouble: 'refused', message: advice })
  })

  describeStores('SQLite file, everything on a real S3 server', async () => {
    const stores = openSqliteStores({ path: tempDatabase(), blobs: open(undefined, {}, { min_bytes: 1 }) })
    await stores.settlePlace()
    return stores
  })
})
