import { expect, test } from 'vitest'
import { atif, read } from './make.ts'

test('a long name with many values below it stands in no path of theirs', () => {
  const long = 'n'.repeat(10_000)
  const args = { [long]: Array.from({ length: 1000 }, (_, index) => `v${index}`), short: 'kept' }
  const call = { tool_call_id: 'c', function_name: 'f', arguments: args }
  const parts = read(atif([{ tool_calls: [call] }])).steps.flatMap((step) => step.parts)
  expect(parts.map(({ text }) => text)).toEqual([JSON.stringify(args[long]), 'kept'])
})
