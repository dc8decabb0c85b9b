import { nearJson } from './near.ts'
import type { Target } from './target.ts'

/** What every target has whose inputs are JSON values. */
export const JSON_INPUTS: Pick<Target<unknown>, 'decode' | 'encode' | 'extension' | 'near'> = {
  decode: (bytes) => JSON.parse(bytes.toString('utf8')) as unknown,
  encode: (input) => Buffer.from(`${JSON.stringify(input)}\n`),
  extension: 'json',
  near: nearJson,
}
