import { createHash, randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { BlobError } from '../../src/ports/blob-ports.ts'
import { ENVIRONMENT, folderOf, openRoom, openStore, PLACE } from './blob-tools.ts'
import type { Fault } from './s3-server.ts'
import { startS3 } from './s3-server.ts'

const BYTES = randomBytes(300_000)
const NAME = `trajectories/ab/${createHash('sha256').update(BYTES).digest('hex')}`
const KEY = `veridict-test/some/prefix/default/${NAME}`

test('what is put comes back, under the folder of its project', async () => {
  const { s3, room, blobs } = await openStore()
  await blobs.put(NAME, BYTES)
  expect([...s3.objects.keys()]).toEqual([KEY])
  expect(Buffer.from((await blobs.get(NAME, BYTES.length)) ?? []).equals(BYTES)).toBe(true)
  expect(await folderOf(room, 'other').get(NAME, BYTES.length)).toBeNull()
  await folderOf(room, 'other').put(NAME, Buffer.from('theirs'))
  expect(s3.objects.get(KEY)?.equals(BYTES)).toBe(true)
})

test('what is not there is null', async () => {
  const { s3, blobs } = await openStore()
  expect(await blobs.get(NAME, 10)).toBeNull()
  expect(s3.requests).toHaveLength(1)
})

test('an empty prefix, a name in the host and a slash at the end', async () => {
  const s3 = await startS3()
  onTestFinished(() => s3.stop())
  const room = openRoom(s3.endpoint, {}, 's3://veridict-test/')
  await folderOf(room).put(NAME, BYTES)
  expect([...s3.objects.keys()]).toEqual([`veridict-test/default/${NAME}`])
  expect(folderOf(room).place).toBe('s3://veridict-test')
  room.close()
})

const PASSING: readonly [string, Fault][] = [
  ['500', { status: 500, code: 'InternalError' }],
  ['500 of a proxy', { status: 502, code: 'Bad' }],
  ['503', { status: 503, code: 'SlowDown' }],
  ['429', { status: 429, code: 'TooManyRequests' }],
  ['a cut connection', 'cut'],
  ['silence', 'silence'],
  ['a token that has run out', { status: 400, code: 'ExpiredToken' }],
]

test.each(PASSING)('%s is tried again, for writing and for reading', async (_name, fault) => {
  const { s3, blobs } = await openStore()
  s3.faults.push(fault, fault, null, fault)
  await blobs.put(NAME, BYTES)
  // The first that is stored is read again.
  expect(s3.requests).toHaveLength(5)
  s3.faults.push(fault, fault)
  expect(Buffer.from((await blobs.get(NAME, BYTES.length)) ?? []).equals(BYTES)).toBe(true)
  await blobs.put(NAME, BYTES)
  expect(s3.requests).toHaveLength(9)
})

test.each(PASSING)('%s for ever: busy, after a bounded number of tries', async (_name, fault) => {
  const { s3, blobs } = await openStore({ max_attempts: 3 })
  s3.always = fault
  await expect(blobs.put(NAME, BYTES)).rejects.toMatchObject({ name: 'BlobError', trouble: 'busy' })
  expect(s3.requests).toHaveLength(3)
})

test('a body that breaks off is read again', async () => {
  const { s3, blobs } = await openStore()
  await blobs.put(NAME, BYTES)
  s3.faults.push('cut body', 'cut body')
  expect(Buffer.from((await blobs.get(NAME, BYTES.length)) ?? []).equals(BYTES)).toBe(true)
  s3.always = 'cut body'
  await expect(blobs.get(NAME, BYTES.length)).rejects.toMatchObject({ trouble: 'busy' })
})

test('a body without an end is not read to its end', async () => {
  const { s3, blobs } = await openStore()
  await blobs.put(NAME, BYTES)
  s3.always = 'endless'
  expect(await blobs.get(NAME, BYTES.length)).toHaveLength(BYTES.length + 1)
})

test('no server at all: busy', async () => {
  const s3 = await startS3()
  await s3.stop()
  const room = openRoom(s3.endpoint, { max_attempts: 2 })
  await expect(folderOf(room).put(NAME, BYTES)).rejects.toMatchObject({ trouble: 'busy' })
  room.close()
})

const REFUSED: readonly [string, Fault, RegExp][] = [
  ['403', { status: 403, code: 'AccessDenied' }, /s3:PutObject/],
  ['a key that nobody knows', { status: 403, code: 'InvalidAccessKeyId' }, /not those of this store/],
  ['a missing bucket', { status: 404, code: 'NoSuchBucket' }, /make the bucket/],
  ['another region', { status: 400, code: 'AuthorizationHeaderMalformed' }, /AWS_REGION/],
  ['a proxy with a limit', { status: 413, code: 'What' }, /no object that large/],
  ['an answer of something else', { status: 404, code: 'What' }, /no S3-compatible store/],
]

test.each(REFUSED)('%s: refused at once, with what to do', async (_name, fault, advice) => {
  const { s3, blobs } = await openStore()
  s3.always = fault
  for (const work of [() => blobs.put(NAME, BYTES), () => blobs.get(NAME, 10)]) {
    const error = await work().then(
      () => undefined,
      (reason: BlobError) => reason,
    )
    expect(error).toMatchObject({ trouble: 'refused' })
    expect(error?.message).toMatch(advice)
  }
  expect(s3.requests).toHaveLength(2)
})

test.each([
  { status: 507, code: 'InsufficientStorage' },
  { status: 403, code: 'QuotaExceeded' },
  { status: 507, code: 'XMinioStorageFull' },
])('$code: full', async (fault) => {
  const { s3, blobs } = await openStore()
  s3.always = fault
  await expect(blobs.put(NAME, BYTES)).rejects.toMatchObject({ trouble: 'full' })
})

test('a redirect is not followed: nothing is sent to the other host', async () => {
  const { s3, blobs } = await openStore()
  const other = await startS3()
  onTestFinished(() => other.stop())
  s3.always = { redirect: other.endpoint }
  await expect(blobs.put(NAME, BYTES)).rejects.toMatchObject({ trouble: 'refused' })
  await expect(blobs.get(NAME, 10)).rejects.toThrow(/redirects are not followed/)
  expect(other.requests).toEqual([])
})

test('errors name neither key nor secret nor what the server wrote', async () => {
  const { s3, blobs } = await openStore({ max_attempts: 1 })
  const message = `StringToSign ${ENVIRONMENT.AWS_SECRET_ACCESS_KEY}`
  for (const fault of [...PASSING, ...REFUSED].map(([, one]) => one)) {
    s3.always = typeof fault === 'object' && 'status' in fault ? { ...fault, message } : fault
    const error = await blobs.put(NAME, BYTES).catch((reason: unknown) => reason)
    const told = `${JSON.stringify(error)} ${(error as Error).stack} ${String((error as Error).cause)}`
    for (const secret of [...Object.values(ENVIRONMENT), 'StringToSign']) expect(told).not.toContain(secret)
    expect(told).toContain(PLACE)
  }
})

test('a wrong secret is refused, and the stand-in checks the signatures', async () => {
  const s3 = await startS3()
  onTestFinished(() => s3.stop())
  const room = openRoom(s3.endpoint, {}, PLACE, { ...ENVIRONMENT, AWS_SECRET_ACCESS_KEY: 'wrong' })
  await expect(folderOf(room).put(NAME, BYTES)).rejects.toMatchObject({ trouble: 'refused' })
  expect(s3.objects.size).toBe(0)
  room.close()
})

test.each([
  '../ab/x',
  'trajectories/ab/../../other/replies/ab/x',
  'trajectories/ab/',
  '/trajectories/ab/x',
  'trajectories/ab/x?acl',
  'trajectories/ab/x%2e%2e',
  'trajectories/ab/x\n',
  '',
])('the name %j is refused without a request', async (name) => {
  const { s3, blobs } = await openStore()
  await expect(blobs.put(name, BYTES)).rejects.toMatchObject({ trouble: 'refused' })
  await expect(blobs.get(name, 1)).rejects.toMatchObject({ trouble: 'refused' })
  expect(s3.requests).toEqual([])
})

test.each(['..', 'a/b', '', 'A', 'x'.repeat(101)])('%j is no folder of a project', async (project) => {
  const { room } = await openStore()
  expect(() => room.of(project)).toThrow(/no name of a project/)
})

test('no more requests at once than connections', async () => {
  const { s3, blobs } = await openStore({ max_connections: 3, request_timeout_ms: 5000 })
  await Promise.all(Array.from({ length: 30 }, () => blobs.put(NAME, BYTES)))
  expect(s3.busiest()).toBeLessThanOrEqual(3)
  expect(s3.requests.filter((one) => one.startsWith('PUT'))).toHaveLength(30)
})

test('many that write the same at once leave it whole', async () => {
  const { s3, room, blobs } = await openStore({ request_timeout_ms: 5000 })
  const second = openRoom(s3.endpoint)
  await Promise.all([blobs, folderOf(room), folderOf(second)].map((one) => one.put(NAME, BYTES)))
  expect(s3.objects.get(KEY)?.equals(BYTES)).toBe(true)
  second.close()
})

test('a check writes, and is not asked again at once', async () => {
  const { s3, blobs } = await openStore({ max_attempts: 1 })
  await blobs.check()
  await blobs.check()
  expect(s3.requests).toEqual(['PUT /veridict-test/some/prefix/default/check'])
})

test.each(['forgets', 'no store'] as const)('what keeps nothing (%s) is refused at the first write', async (fault) => {
  const { s3, blobs } = await openStore()
  s3.always = fault
  await expect(blobs.put(NAME, BYTES)).rejects.toMatchObject({ trouble: 'refused', message: /keeps nothing/ })
})

test('a web server that takes the place of the store is noticed at any write', async () => {
  const { s3, blobs } = await openStore()
  await blobs.put(NAME, BYTES)
  s3.always = 'no store'
  await expect(blobs.put(NAME, BYTES)).rejects.toMatchObject({ trouble: 'refused' })
})

test('a check that takes long is one for all who ask', async () => {
  const { s3, blobs } = await openStore({ max_attempts: 2 })
  s3.faults.push('silence')
  await Promise.all([blobs.check(), blobs.check(), blobs.check()])
  expect(s3.requests).toHaveLength(2)
})
