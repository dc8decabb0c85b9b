import { readJson } from '../../domain/text/exact-json.ts'
import { scanJson } from '../../domain/text/json-scan.ts'
import { HttpProblem } from '../problem.ts'
import { examine, pathOf } from './body-values.ts'

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * A body or a line as a value that is exactly what its text says. Refused, each with its place: nesting beyond `depth` (before anything
 * recurses), bytes that are not UTF-8, text that is not JSON, a key that stands twice in one object (parsers differ in which one they
 * keep), a number that is too large to be one, and half characters. Throws an HttpProblem that never repeats the body: it can hold
 * anything.
 */
export function parseJson(bytes: Buffer, depth: number): unknown {
  const { deep, members } = scanJson(bytes, depth)
  if (deep !== -1) throw refuse('too_deep', `nested deeper than ${depth} levels at byte ${deep}`)
  const text = decodeText(bytes)
  let value = parseText(text, bytes)
  let examined = examine(value)
  if (examined.backslash) {
    value = readJson(text).value
    examined = examine(value)
  }
  if (examined.fault !== null) throw refuse('invalid_request', examined.fault.message, examined.fault.path)
  if (examined.members !== members)
    throw refuse('duplicate_key', 'the same key stands twice in one object', pathOf(readJson(text).repeated ?? []))
  return value
}

function decodeText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw refuse('invalid_json', 'the body is not valid UTF-8')
  }
}

function parseText(text: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    const at = readJson(text).error
    if (at === -1) throw refuse('invalid_json', 'the body is not valid JSON')
    const byte = Buffer.byteLength(text.slice(0, at)) + (bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0)
    throw refuse('invalid_json', `the body ${at === text.length ? 'ends' : 'stops being JSON'} at byte ${byte}`)
  }
}

const refuse = (code: string, detail: string, path = ''): HttpProblem =>
  new HttpProblem(400, code, detail, { errors: [{ path, message: detail }] })
