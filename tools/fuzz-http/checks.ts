import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { OpenApi, Operation, Schema } from './document.ts'

/** What came back; `hung` where nothing did in time. */
export interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly hung: boolean
}

/** Every code that a refusal can have, with its statuses. Judges’ failures are not among them: `lexical` never fails. */
const CODES: Readonly<Record<string, readonly number[]>> = {
  invalid_request: [400, 408, 431],
  several_graders: [400],
  invalid_json: [400],
  invalid_cursor: [400],
  invalid_encoding: [400],
  compression_ratio: [400],
  duplicate_key: [400],
  too_deep: [400],
  unknown_judge: [400],
  unknown_rubric: [400],
  too_many_items: [400],
  unauthorized: [401],
  forbidden: [403],
  cross_origin: [403],
  not_found: [404],
  unknown_trajectory: [404],
  not_cached: [404],
  method_not_allowed: [405],
  batch_ended: [409],
  idempotency_key_in_use: [409],
  body_too_large: [413],
  unsupported_media_type: [415],
  unsupported_encoding: [415],
  wrong_host: [421],
  idempotency_key_reused: [422],
  too_many_requests: [429],
}

/** What is wrong with an answer; null where nothing is. */
export type Check = (operation: Operation, answer: Answer) => string | null

export function createCheck(document: OpenApi): Check {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
  const compiled = new Map<Schema, ValidateFunction>()
  const fits = (schema: Schema, text: string): string | null => {
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components: document.components })
    compiled.set(schema, validate)
    let value: unknown
    try {
      value = JSON.parse(text) as unknown
    } catch {
      return 'the body is not JSON'
    }
    return validate(value) ? null : `the body does not fit: ${ajv.errorsText(validate.errors)}`
  }
  return (operation, answer) => {
    if (answer.hung) return 'no answer in time'
    if (answer.status >= 500) return `a server error: ${answer.text.slice(0, 200)}`
    const documented = operation.answers.get(String(answer.status))
    if (documented === undefined) return `status ${answer.status} is not documented: ${answer.text.slice(0, 200)}`
    const schema = documented.get(answer.type)
    if (schema === undefined) return `status ${answer.status} is not documented as ${answer.type}`
    if (answer.status >= 400) return fits(schema, answer.text) ?? checkCode(answer)
    if (answer.type.endsWith('json') && answer.type !== 'application/x-ndjson') return fits(schema, answer.text)
    return answer.type === 'application/x-ndjson' ? checkLines(schema, answer.text, fits) : null
  }
}

function checkCode({ status, text, type }: Answer): string | null {
  const { code, status: said } = JSON.parse(text) as { code: string; status: number }
  if (type !== 'application/problem+json') return `a problem as ${type}`
  if (said !== status) return `says ${said} and is ${status}`
  if (!Object.hasOwn(CODES, code)) return `the code ${code} is not documented`
  return CODES[code]?.includes(status) ? null : `${code} with ${status}`
}

/** The document names what a stream is of: `A stream of \`X\`.` */
function checkLines(
  schema: Schema,
  text: string,
  fits: (schema: Schema, text: string) => string | null,
): string | null {
  const name = /`(\w+)`/.exec(String(schema['description']))?.[1]
  if (name === undefined) return null
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const fault = fits({ $ref: `#/components/schemas/${name}` }, line)
    if (fault !== null) return fault
  }
  return null
}
