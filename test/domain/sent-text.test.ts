import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOfMember } from '../../src/domain/text/strict-json.ts'
import { rememberSentText, sentTextOf } from '../../src/domain/trajectory/trajectory.ts'

const find = (text: string) => bytesOfMember(Buffer.from(text), 'trajectory')?.toString() ?? null

describe('the bytes of a member', () => {
  test('of any object are what JSON.parse makes of it', () => {
    const member = fc.tuple(fc.constantFrom('trajectory', 'a', 'trajectory"', ':', '{', 'é'), fc.json())
    const space = fc.constantFrom('', ' ', '\n\t')
    let found = 0
    fc.assert(
      fc.property(fc.array(member, { maxLength: 5 }), space, (members, gap) => {
        const text = `${gap}{${members.map(([name, json]) => `${gap}${JSON.stringify(name)}${gap}:${gap}${json}${gap}`).join(',')}}${gap}`
        const isCertain =
          members.filter(([name]) => name === 'trajectory').length === 1 &&
          members.every(([name]) => !name.includes('"'))
        const bytes = find(text)
        expect(bytes !== null).toBe(isCertain)
        if (bytes === null) return
        found++
        expect(JSON.parse(bytes)).toEqual((JSON.parse(text) as { trajectory: unknown }).trajectory)
      }),
      { numRuns: 2000 },
    )
    expect(found).toBeGreaterThan(100)
  })

  test.each([
    ['a name with an escape, which may be the same', String.raw`{"trajectory":{"a":1},"tr\u0061jectory":{"b":2}}`],
    ['a name that stands twice', '{"trajectory":{"a":1},"trajectory":{"b":2}}'],
    ['a name inside of another member', '{"x":{"trajectory":{"a":1}}}'],
    ['a name as a value', '{"x":"trajectory","y":{"a":1}}'],
    ['an object without members', ' { } '],
    ['a text that ends too early', '{"trajectory":"a'],
    ['a name that ends too early', '{"traj'],
    ['a name without a value', '{"trajectory"'],
    ['nothing', ''],
  ])('are not told of %s', (_, text) => {
    expect(find(text)).toBeNull()
  })

  test('are found in time that grows with the text', () => {
    const text = `{"a":"${'\\\\'.repeat(1_000_000)}","b":${'['.repeat(100_000)}${']'.repeat(100_000)},"trajectory":${' '.repeat(1_000_000)}{}}`
    expect(find(text)?.trim()).toBe('{}')
  })
})

test('the text of a request’s trajectory is kept as it was sent', () => {
  const bytes = Buffer.from('\ufeff{ "trajectory" : {"steps": [1.0, "\\u00e9"] }, "judge": "lexical"}')
  const request = JSON.parse(bytes.toString().slice(1)) as { trajectory: object }
  rememberSentText(request, bytes)
  bytes.fill(0)
  expect(sentTextOf(request.trajectory)?.toString()).toBe(' {"steps": [1.0, "\\u00e9"] }')
  for (const other of [null, 'text', { trajectory: 'text' }, { trajectory: null }]) rememberSentText(other, bytes)
  expect(sentTextOf({})).toBeUndefined()
})
