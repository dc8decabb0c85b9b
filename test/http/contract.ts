import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'

interface OpenApi {
  readonly paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: object }> }> }>
  >
}

/** Committed OpenAPI document, which equals the served document: `openapi.test.ts` compares both. */
const document = JSON.parse(readFileSync('openapi/openapi.json', 'utf8')) as OpenApi & { readonly components: object }

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
const compiled = new Map<object, ValidateFunction>()
function validatorOf(schema: object): ValidateFunction {
  const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components: document.components })
  compiled.set(schema, validate)
  return validate
}

/** Expects that the OpenAPI document declares the response: its status, its media type, and every field of its body. */
export function expectContract(
  response: Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'body'>,
  method: 'get' | 'post',
  path: string,
): void {
  const mediaType = String(response.headers['content-type']).split(';')[0] ?? ''
  const schema = document.paths[path]?.[method]?.responses[String(response.statusCode)]?.content?.[mediaType]?.schema
  if (schema === undefined) throw new Error(`${method} ${path} says nothing of ${response.statusCode} ${mediaType}`)
  const validate = validatorOf(schema)
  const value: unknown = mediaType === 'text/plain' ? response.body : JSON.parse(response.body)
  expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
  if (response.statusCode >= 400) expect(value).toMatchObject({ status: response.statusCode })
}
