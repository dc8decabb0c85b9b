import { createHash } from 'node:crypto'
import { request as send } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  brotliCompressSync,
  constants,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { REQUEST } from '../grading/harness.ts'
import { useApp } from '../start-app.ts'

const ENCODE = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }),
  zstd: zstdCompressSync,
} as const
const NAMES = Object.keys(ENCODE) as (keyof typeof ENCODE)[]
const LIMIT = 4_000_000
const MEBIBYTE = 1024 * 1024

const app = useApp({ limits: { body_bytes: LIMIT } }, 'once')
let origin: string
beforeAll(async () => {
  origin = await app.listen()
})

const bodyOf = (note: string) => JSON.stringify({ ...REQUEST, judge: 'lexical', metadata: { note } })
const post = (path: string, bytes: Buffer, headers: Record<string, string>) =>
  fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: new Uint8Array(bytes),
  })
const told = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

describe.each(NAMES)('%s', (name) => {
  const encoding = { 'content-encoding': name }

  test('is the body without it, and the digest of the plain bytes answers both', async () => {
    const plain = Buffer.from(bodyOf(name))
    const first = await post('/v1/grades', ENCODE[name](plain), encoding)
    expect(first.status).toBeLessThan(300)
    const grade = (await first.json()) as { id: string }
    const again = await post('/v1/grades', plain, {})
    expect([again.status, ((await again.json()) as { id: string }).id]).toEqual([200, grade.id])
    const shouted = await post('/v1/grades', ENCODE[name](plain), { 'content-encoding': ` ${name.toUpperCase()} ` })
    expect(shouted.status).toBe(200)
  })

  test('NDJSON too', async () => {
    const lines = [1, 2, 3].map((index) =>
      JSON.stringify({ ...REQUEST, judge: 'lexical', item_id: `${name}-${index}` }),
    )
    const body = ENCODE[name](Buffer.from(lines.join('\r\n')))
    const response = await post('/v1/batches', body, { ...encoding, 'content-type': 'application/x-ndjson' })
    expect([response.status, ((await response.json()) as { counts: { total: number } }).counts.total]).toEqual([202, 3])
  })

  test.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['cut to nothing', () => Buffer.alloc(0)],
    ['with a byte behind it', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from([0])])],
    ['with text behind it', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('{"more": 1}')])],
    ['that is another stream twice', (bytes: Buffer) => Buffer.concat([bytes, bytes])],
    ['that is plain text', () => Buffer.from(bodyOf('plain'))],
  ])('a stream %s', async (_name, damage) => {
    const response = await post('/v1/grades', damage(ENCODE[name](Buffer.from(bodyOf('damaged')))), encoding)
    expect(await told(response)).toEqual([400, 'invalid_encoding'])
  })

  test('wrapped twice is unwrapped once', async () => {
    const twice = ENCODE[name](ENCODE[name](Buffer.from(bodyOf('twice'))))
    expect(await told(await post('/v1/grades', twice, encoding))).toEqual([400, 'invalid_json'])
  })

  test('the limit of a body is that of what comes out', async () => {
    const body = ENCODE[name](Buffer.from(`"${randomText(LIMIT)}"`))
    expect(body.length).toBeLessThan(LIMIT)
    expect(await told(await post('/v1/grades', body, encoding))).toEqual([413, 'body_too_large'])
  })

  test('zeros are a bomb', async () => {
    const body = ENCODE[name](Buffer.alloc(20 * MEBIBYTE, ' \n'))
    for (const path of name === 'gzip' ? ['/v1/grades', '/v1/trajectories', '/v1/batches'] : ['/v1/grades']) {
      const type = path === '/v1/grades' ? 'application/json' : 'application/x-ndjson'
      const response = await post(path, body, { ...encoding, 'content-type': type })
      expect(await told(response), path).toEqual([400, 'compression_ratio'])
    }
  })
})

/** Letters that shrink a little: hexadecimal digits. */
const randomText = (length: number) => {
  const parts: string[] = []
  for (let index = 0; index * 64 < length; index++) parts.push(createHash('sha256').update(`${index}`).digest('hex'))
  return parts.join('')
}

test.each(['compress', 'gzip, gzip', 'gzip,br', 'x', '', 'constructor'])(
  'encoding %j is not one of ours',
  async (name) => {
    const response = await app.post('/v1/grades', bodyOf('x'), { 'content-encoding': name })
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([415, 'unsupported_encoding'])
    expect(response.headers['accept-encoding']).toBe('gzip, deflate, br, zstd')
    expect(response.json<{ detail: string }>().detail).toContain('gzip, deflate, br, zstd')
  },
)

test('identity is no encoding; a body without a zlib header is no deflate', async () => {
  const plain = Buffer.from(bodyOf('identity'))
  expect((await post('/v1/grades', plain, { 'content-encoding': 'identity' })).status).toBeLessThan(300)
  const raw = await post('/v1/grades', deflateRawSync(plain), { 'content-encoding': 'deflate' })
  expect(await told(raw)).toEqual([400, 'invalid_encoding'])
})

/** A zstd frame with a window of 2 to the power of `log` bytes, around one raw block. */
const frameOf = (log: number, text: string) =>
  Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3, (text.length << 3) | 1, 0, 0]),
    Buffer.from(text),
  ])

test.each([
  ['8 MiB is decoded', 23, 'invalid_request'],
  ['16 MiB is refused', 24, 'invalid_encoding'],
  ['2 GiB is refused', 31, 'invalid_encoding'],
])('a zstd window of %s', async (_name, log, code) => {
  const response = await app.post('/v1/grades', frameOf(log, '{}'), { 'content-encoding': 'zstd' })
  expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([400, code])
})

test('a GET with the header has no body to decode', async () => {
  const response = await app.get('/v1/judges', { 'content-encoding': 'gzip' })
  expect(response.statusCode).toBe(200)
})

/** Sends what `bytes` gives until it is answered; how many it took, and the answer. */
async function pour(
  path: string,
  type: string,
  bytes: AsyncIterable<Buffer>,
): Promise<{ sent: number; told: unknown[] }> {
  let sent = 0
  const request = send(origin + path, {
    method: 'POST',
    headers: { 'content-type': type, 'content-encoding': 'gzip' },
  })
  const answer = new Promise<unknown[]>((resolve, reject) => {
    request.on('response', async (response) => {
      const text = Buffer.concat(await response.toArray()).toString()
      resolve([response.statusCode, (JSON.parse(text) as { code: string }).code])
    })
    request.on('error', reject)
  })
  let answered = false
  void answer.then(() => (answered = true))
  for await (const chunk of bytes) {
    if (answered) break
    sent += chunk.length
    if (!request.write(chunk)) await Promise.race([new Promise((resolve) => request.once('drain', resolve)), answer])
  }
  const result = await answer
  request.destroy()
  return { sent, told: result }
}

test('10 GB of zeros take no memory, and others are answered meanwhile', async () => {
  const zeros = Buffer.alloc(4 * MEBIBYTE)
  const gzip = createGzip()
  const source = Readable.from(
    (function* () {
      for (let done = 0; done < 2560; done++) yield zeros
    })(),
  )
  const piped = pipeline(source, gzip).catch(() => undefined)
  const before = process.memoryUsage().rss
  let most = 0
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
  const [bomb, health] = await Promise.all([
    pour('/v1/grades', 'application/json', gzip as AsyncIterable<Buffer>),
    fetch(`${origin}/healthz`),
  ])
  clearInterval(watch)
  gzip.destroy()
  await piped
  expect(bomb.told).toEqual([400, 'compression_ratio'])
  expect(bomb.sent).toBeLessThan(MEBIBYTE)
  expect(health.status).toBe(200)
  expect(most - before).toBeLessThan(200 * MEBIBYTE)
})
