import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExactJson, readJson } from '../../src/domain/text/json.ts'
import { bytesOfMember } from '../../src/domain/text/strict-json.ts'
import { rememberSentText, sentTextOf } from '../../src/domain/trajectory/trajectory.ts'
import { readTables } from '../tables.ts'

test('a written value is read as it was, names with escapes among them', () => {
  const name = fc.oneof(fc.constantFrom('\\', '\n', '"', 'a', '__proto__'), fc.string())
  const value = fc.letrec((tie) => ({
    tree: fc.oneof(
      fc.integer(),
      fc.string(),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(name, tie('tree')),
    ),
  })).tree
  fc.assert(
    fc.property(value, (one) => {
      const text = JSON.stringify(one)
      expect(JSON.stringify(parseExactJson(text))).toBe(text)
    }),
    { numRuns: 500 },
  )
})

test('deep nesting without such names is no matter', () => {
  const text = '['.repeat(5000) + ']'.repeat(5000)
  expect(parseExactJson(text)).toBeInstanceOf(Array)
})

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

interface Tables {
  readonly broken: [text: string, at: number][]
  readonly untold: [name: string, body: string][]
}
const TABLES = readTables<Tables>('domain/tables/json')

test.each(TABLES.broken)('%j stops being JSON at %d', (text, at) => {
  expect(readJson(text).error).toBe(at)
})

test('depth costs no stack', () => {
  expect(readJson('['.repeat(1_000_000)).error).toBe(1_000_000)
})

test('says the same as JSON.parse of JSON with one character changed', () => {
  const character = fc.constantFrom(...'{}[]",:\\ \n0-.etn\u0000é')
  fc.assert(
    fc.property(fc.json(), fc.nat(), character, (json, seed, one) => {
      const at = seed % (json.length + 1)
      const text = json.slice(0, at) + one + json.slice(at + 1)
      expect(readJson(text).error === -1).toBe(isJson(text))
    }),
    { numRuns: 2000 },
  )
})

const trajectoryIn = (text: string) => bytesOfMember(Buffer.from(text), 'trajectory')?.toString() ?? null

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
        const bytes = trajectoryIn(text)
        expect(bytes !== null).toBe(isCertain)
        if (bytes === null) return
        found++
        expect(JSON.parse(bytes)).toEqual((JSON.parse(text) as { trajectory: unknown }).trajectory)
      }),
      { numRuns: 2000 },
    )
    expect(found).toBeGreaterThan(100)
  })

  test.each(TABLES.untold)('are not told of %s', (_, text) => {
    expect(trajectoryIn(text)).toBeNull()
  })

  test('are found in time that grows with the text', () => {
    const text = `{"a":"${'\\\\'.repeat(1_000_000)}","b":${'['.repeat(100_000)}${']'.repeat(100_000)},"trajectory":${' '.repeat(1_000_000)}{}}`
    expect(trajectoryIn(text)?.trim()).toBe('{}')
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
