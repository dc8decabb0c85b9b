import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempDatabase } from '../storage/temp-folder.ts'

const run = promisify(execFile)
const LOADER = fileURLToPath(new URL('lazy-loader.ts', import.meta.url))

test.each([
  ['s3://veridict-test/prefix', { before: 0, used: true }],
  ['database', { before: 0, used: false }],
])('opening stores with VERIDICT_BLOBS=%s loads no client and asks nothing', async (blobs, told) => {
  const env = {
    ...process.env,
    VERIDICT_BLOBS: blobs,
    VERIDICT_DATABASE: tempDatabase(),
    // Nobody listens there: whoever asks is refused at once.
    AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1',
    AWS_ACCESS_KEY_ID: 'k',
    AWS_SECRET_ACCESS_KEY: 's',
  }
  const { stdout } = await run(process.execPath, [LOADER], { env })
  expect(JSON.parse(stdout)).toEqual(told)
})
