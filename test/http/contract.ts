import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'

type Responses = Record<string, { content?: Record<string, { schema: Declared }> }>

interface Declared {
  readonly description?: string
  readonly $ref?: string
}

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
ajv.addSchema({ components: document.components }, 'openapi')
const compiled = new Map<string, ValidateFunction>()
function validatorOf(schema: object): ValidateFunction {
  const key = JSON.stringify(schema)
  const validate =
    compiled.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/components/', '"openapi#/components/')) as object)
  compiled.set(key, validate)
  return validate
}

/** Paths beside the contract: the pages, and the documentation of the contract. */
const UNDOCUMENTED = /^\/(?:$|openapi\.json$|(?:audit|docs)(?:\/|$))/
const PROBLEM = { $ref: '#/components/schemas/Problem' }

/**
 * Expects that the OpenAPI document declares the answer: its status, its media type, every field of JSON, every line of a stream and every
 * column of a table. An answer to an operation outside of the document is a problem, unless it is of the pages or of the documentation.
 */
export function expectDeclared(
  { statusCode, headers, body }: Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'body'>,
  method: string,
  url: string,
): void {
  const asked = url.split('?')[0] ?? ''
  const isHead = method === 'HEAD'
  const path = PATHS.find(([, pattern]) => pattern.test(asked))?.[0] ?? ''
  const operation = document.paths[path]?.[isHead ? 'get' : method.toLowerCase()]
  const mediaType = String(headers['content-type']).split(';')[0] ?? ''
  if (operation === undefined && statusCode < 400 && UNDOCUMENTED.test(asked)) return
  if (operation === undefined) expect([mediaType, statusCode >= 400]).toEqual(['application/problem+json', true])
  const declared = operation?.responses[String(statusCode)]?.content?.[mediaType]?.schema
  if (operation !== undefined && declared === undefined)
    throw new Error(`${method} ${path} says nothing of ${statusCode} ${mediaType}`)
  if (!isHead) expectBody(declared ?? PROBLEM, mediaType, body, statusCode)
}

function expectBody(schema: Declared, mediaType: string, body: string, status: number): void {
  const told = schema.description ?? ''
  if (mediaType === 'text/csv') expect(body.split('\r\n')[0]).toBe(/: (.*)\.$/.exec(told)?.[1]?.replaceAll(', ', ','))
  if (mediaType === 'text/plain') expect(body).toMatch(/^(?:(?:# .*|\w+(?:\{.*\})? \S+)?\n)+$/)
  const isJson = /\/(?:problem\+)?json$/.test(mediaType)
  if (mediaType.startsWith('text/') && mediaType !== 'text/event-stream') return
  const of = isJson ? schema : { $ref: `#/components/schemas/${/^A stream of `(\w+)`/.exec(told)?.[1]}` }
  const texts = isJson ? [body] : body.split('\n').flatMap((line) => /^(?:data: )?(\{.*)$/.exec(line)?.[1] ?? [])
  const validate = validatorOf(of)
  for (const text of texts) {
    const value: unknown = JSON.parse(text)
    expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
    if (status >= 400) expect(value).toMatchObject({ status })
  }
}
