import { readStrictJson } from '../domain/text/strict-json.ts'
import { misfit } from '../http/errors.ts'
import { faultAt, HttpProblem } from '../http/problem.ts'
import { inputIssues } from '../schemas/check.ts'
import { type GradeRequest, GradeRequestSchema } from '../schemas/grade-request.ts'

interface RequestLimits {
  readonly body_bytes: number
  readonly depth: number
}

/** A request as the service would have received it, read and checked in the same way. Throws an HttpProblem. */
export function readRequest(given: unknown, { body_bytes, depth }: RequestLimits): GradeRequest {
  const bytes = Buffer.from(written(given))
  if (bytes.length > body_bytes)
    throw new HttpProblem(413, 'body_too_large', `the request is larger than ${body_bytes} bytes`)
  const read = readStrictJson(bytes, depth)
  if (!read.ok) throw faultAt(read.error.path, read.error.message, read.error.code)
  const request = read.value
  const issues = inputIssues(GradeRequestSchema, request)
  if (issues.length > 0) throw misfit('', issues)
  return request as GradeRequest
}

/** What JSON has no words for is left out, as `JSON.stringify` does: members that are undefined, say. */
function written(given: unknown): string {
  try {
    return JSON.stringify(given) ?? 'null'
  } catch {
    // A circle, a BigInt, or nested too deep to be written.
    throw new HttpProblem(400, 'invalid_json', 'the request cannot be written as JSON')
  }
}
