import { expect, test } from 'vitest'
import { digestValue } from '../../src/domain/digest.ts'
import { atif, partsOf, read } from './make.ts'

test('the id of a run is the digest of its document', () => {
  const document = atif([{ message: 'a' }])
  expect(read(document).id).toBe(digestValue(document))
})

test('arguments that are nested to the limit are read without recursion', () => {
  let args: unknown = 'deep'
  for (let level = 0; level < 190; level++) args = { a: args }
  const document = atif([{ tool_calls: [{ tool_call_id: 'a', function_name: 'f', arguments: args }] }])
  expect(partsOf(read(document), 0)).toMatchObject([['agent_action', expect.any(String), expect.any(String), 'deep']])
})

test('a picture inside a data URL is not carried along in the text', () => {
  const source = { media_type: 'image/png', path: `data:image/png;base64,${'A'.repeat(10_000)}` }
  const [part] = read(atif([{ message: [{ type: 'image', source }] }])).steps[0]?.parts ?? []
  expect(part?.text.length).toBeLessThan(400)
})
