import { crc32, deflateSync } from 'node:zlib'

/** Smallest pictures of each format, 1 × 1, as real encoders wrote them. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
export const WEBP = 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'
export const JPEG =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA='

/** Makes a PNG of this size, in one colour: `shade` makes its bytes unique. */
export function pngOf(width: number, height: number, shade = 0): string {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width, shade)])
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]).toString('base64')
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([size, body, sum])
}

/** Makes an ATIF run whose first command shows pictures and whose second command follows the cue. */
export const runWithPictures = (sources: readonly object[], act = 'make release-7f3a') => ({
  schema_version: 'ATIF-v1.7',
  session_id: 's1',
  agent: { name: 'sync', version: '1' },
  steps: [
    { step_id: 1, source: 'user', message: 'Build the project.' },
    {
      step_id: 2,
      source: 'agent',
      message: 'I look at the board.',
      tool_calls: [{ tool_call_id: 'c1', function_name: 'bash', arguments: { command: 'view board.png' } }],
      observation: {
        results: [{ source_call_id: 'c1', content: sources.map((source) => ({ type: 'image', source })) }],
      },
    },
    {
      step_id: 3,
      source: 'agent',
      message: 'Now I build it.',
      tool_calls: [{ tool_call_id: 'c2', function_name: 'bash', arguments: { command: act } }],
      observation: { results: [{ source_call_id: 'c2', content: 'done' }] },
    },
  ],
})
