import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'

type Responses = Record<string, { content?: Record<string, { schema: object }> }>

interface OpenApi {
  readonly paths: Record<string, Record<string, { responses: Responses }>>
  readonly components: object
}

/** Committed OpenAPI document, which equals the served document: `openapi.test.ts` compares both. */
const document = JSON.parse(readFileSync('openapi/openapi.json', 'utf8')) as OpenApi

/** Documented paths, those without a parameter first. */
const PATHS = Object.keys(document.paths)
  .sort((one, other) => Number(one.includes('{')) - Number(other.includes('{')))
  .map((path) => [path, new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]{1,100}')}$`)] as const)

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
const compiled = new Map<string, ValidateFunction>()
function validatorOf(schema: object): ValidateFunction {
  const key = JSON.stringify(schema)
  const validate = compiled.get(key) ?? ajv.compile({ ...schema, components: document.components })
  compiled.set(key, validate)
  return validate
}

/**
 * Expects that the OpenAPI document declares the answer of a documented operation: its status, its media type, and every field of a JSON
 * body. Answers of other paths and methods pass.
 */
export function expectDeclared(
  response: Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'body'>,
  method: string,
  url: string,
): void {
  const asked = url.split('?')[0] ?? ''
  const path = PATHS.find(([, pattern]) => pattern.test(asked))?.[0] ?? ''
  const operation = document.paths[path]?.[method.toLowerCase()]
  if (operation === undefined) return
  const mediaType = String(response.headers['content-type']).split(';')[0] ?? ''
  const schema = operation.responses[String(response.statusCode)]?.content?.[mediaType]?.schema
  if (schema === undefined) throw new Error(`${method} ${path} says nothing of ${response.statusCode} ${mediaType}`)
  if (mediaType !== 'application/json' && mediaType !== 'application/problem+json') return
  const value: unknown = JSON.parse(response.body)
  const validate = validatorOf(schema)
  expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
  if (response.statusCode >= 400) expect(value).toMatchObject({ status: response.statusCode })
}
