import { describe, expect, test } from 'vitest'
import { classifyHttp, type Place, usageOfFault } from '../../src/judges/faults.ts'

const fault = (status: number, code: string | null = null, type: string | null = null) => ({
  status,
  code,
  type,
})
const PLACE = {
  judge: 'openai',
  provider: 'openai',
  host: 'api.openai.com',
  model: 'm',
  key_env: 'OPENAI_API_KEY',
  structured_output: 'json_schema',
  is_public: true,
} as const
const NOTHING = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 }

describe('what a refused call has used', () => {
  const plain = (...statuses: number[]) => statuses.map((status) => [status, null] as const)
  test.each([
    ...[[400, 'context_length_exceeded'] as const, [429, 'insufficient_quota'] as const],
    ...plain(400, 401, 402, 403, 404, 413, 422, 429),
  ])('HTTP %i (%s) is nothing', (status, code) => {
    expect(usageOfFault(fault(status, code))).toEqual(NOTHING)
  })

  test.each([[400, 'content_filter'] as const, ...plain(200, 302, 408, 499, 500, 503, 529)])(
    'HTTP %i (%s) is unknown',
    (status, code) => {
      expect(usageOfFault(fault(status, code))).toBeNull()
    },
  )
})

test('a word of the provider is cut before it is shown, and compared whole, as code or as type (llama.cpp)', () => {
  expect(classifyHttp(fault(400, 'x'.repeat(1_000_000)), PLACE).message.length).toBeLessThan(300)
  expect(classifyHttp(fault(400, 'insufficient_quota'), PLACE).code).toBe('quota_exhausted')
  expect(classifyHttp(fault(400, null, 'exceed_context_size_error'), PLACE).code).toBe('context_overflow')
})

test('credit that is used up is told of the provider, or of an own server', () => {
  const told = (place: Place) => classifyHttp(fault(429, 'insufficient_quota'), place).message
  expect(told(PLACE)).toContain('reached at OpenAI: ')
  expect(told({ ...PLACE, is_public: false })).toContain(`reached at ${PLACE.host}: `)
})
