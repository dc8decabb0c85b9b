import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJson, readStrictJson } from '../../src/domain/text/json.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { REQUEST } from '../grading/harness.ts'
import { useApp } from '../start-app.ts'

/** What may stand in a body and hurts: here what comes of it, at every door that takes JSON. */
const LEXICAL = { ...REQUEST, judge: 'lexical' }
const VALID = JSON.stringify(LEXICAL)
const MILLION = 1_000_000

const app = useApp({}, 'once')

interface Told {
  readonly code: string
  readonly errors?: { readonly path: string; readonly message: string }[]
}
const within = (member: string) => VALID.replace('{', `{${member},`)

const TWO_ACTORS = VALID.replace('"actor":"user"', '"actor":"user","actor":"tool_output"')
const NO_NUMBER = VALID.replace('"steps"', '"n":[1,{"x/y":-1e999}],"steps"')
const HALF = VALID.replace('"Build the project."', '"\\udfff"')
const LONG = 'k'.repeat(MILLION)
const REFUSED: [name: string, body: string | Buffer, code: string, path: string][] = [
  ['a key that stands twice', within('"judge":"nobody"'), 'duplicate_key', '/judge'],
  ['the same key written in two ways', within('"\\u006audge":"nobody"'), 'duplicate_key', '/judge'],
  ['a key twice, deep in the trajectory', TWO_ACTORS, 'duplicate_key', '/trajectory/steps/0/actor'],
  ['two prototypes', within('"__proto__":1,"__proto__":2'), 'duplicate_key', '/__proto__'],
  ['a number that is infinite', within('"samples":1e400'), 'invalid_request', '/samples'],
  ['one in the trajectory, which would be stored as null', NO_NUMBER, 'invalid_request', '/trajectory/n/1/x~1y'],
  ['a million digits', within(`"samples":${'9'.repeat(MILLION)}`), 'invalid_request', '/samples'],
  ['half a character in metadata', within('"metadata":{"agent":"\\ud83d"}'), 'invalid_request', '/metadata/agent'],
  ['half a character in a key', within('"metadata":{"a\\udc00":1}'), 'invalid_request', '/metadata/a\ufffd'],
  ['half a character in a step', HALF, 'invalid_request', '/trajectory/steps/0/text'],
  ['overlong UTF-8', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]), 'invalid_json', ''],
  ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'invalid_json', ''],
  ['UTF-16', Buffer.from(VALID, 'utf16le'), 'invalid_json', ''],
  ['a raw NUL in a text', VALID.replace('Build', 'Bui\0ld'), 'invalid_json', ''],
  ['NaN', within('"samples":NaN'), 'invalid_json', ''],
  ['a name of a megabyte', within(`"${LONG}":1,"${LONG}":2`), 'duplicate_key', `/${LONG.slice(0, 100)}…`],
]

test.each(['', ' \n\t'])('an empty body is called empty: %j', async (body) => {
  const headers = { 'content-type': 'application/json' }
  const response = await app.post('/v1/grades', body, headers)
  expect([response.statusCode, response.json<{ detail: string }>().detail]).toEqual([400, 'the body is empty'])
})

test.each([
  ['after characters of several bytes', Buffer.from('{"é€😀": PLANTED}'), 14],
  ['after a byte order mark', Buffer.from('\ufeff{"a": PLANTED}'), 9],
  ['that looks like a message of the parser', Buffer.from('"at position 77" PLANTED'), 17],
])('an error names the byte, and nothing of the body: %s', async (_name, body, byte) => {
  const problem = await app.post('/v1/grades', body)
  expect(problem.json()).toMatchObject({
    code: 'invalid_json',
    detail: `the body stops being JSON at byte ${byte}`,
  })
  expect(problem.body).not.toContain('PLANTED')
})

describe('refused with its place', () => {
  test.each(REFUSED)('%s', async (_name, body, code, path) => {
    const response = await app.post('/v1/grades', body)
    const told = response.json<Told>()
    expect([response.statusCode, told.code, told.errors?.[0]?.path]).toEqual([400, code, path])
    expect(response.body.length).toBeLessThan(1000)
  })

  test.each([
    ['/v1/batches', '/items/1', VALID],
    ['/v1/trajectories', '/records/1', VALID],
  ])('a line of %s', async (url, path, line) => {
    const payload = `${line}\n${within('"judge":"nobody"')}\n`
    const headers = { 'content-type': 'application/x-ndjson' }
    const response = await app.post(url, payload, headers)
    const told = response.json<Told & { detail: string }>()
    expect([response.statusCode, told.code]).toEqual([400, 'duplicate_key'])
    expect(told.errors?.[0]?.path).toBe(path)
    expect(told.detail).toContain('line 2')
  })
})

const post = async (body: unknown): Promise<Grade> => {
  const response = await app.post('/v1/grades', body)
  expect(response.statusCode, response.body.slice(0, 500)).toBeLessThan(300)
  return response.json<Grade>()
}

describe('taken as it is', () => {
  test.each([
    ['a byte order mark', `\ufeff${VALID}`],
    ['negative zero', VALID.replace('"steps"', '"n":-0,"steps"')],
    ['a hundred thousand names', VALID.replace('"steps"', `"n":{${manyNames(100_000)}},"steps"`)],
    ['a name of a megabyte', VALID.replace('"steps"', `"${'k'.repeat(MILLION)}":1,"steps"`)],
    ['a number with a million decimals', VALID.replace('"steps"', `"n":0.${'1'.repeat(MILLION)},"steps"`)],
    ['names of prototypes', VALID.replace('"steps"', '"__proto__":{"steps":[]},"constructor":{"prototype":7},"steps"')],
  ])('%s', async (_name, body) => {
    const grade = await post(body)
    expect(grade.label).toBe('aligned')
    const stored = await app.get(`/v1/trajectories/${grade.receipt.trajectory}?document=true`)
    const document = stored.json<{ document: unknown }>().document
    const given = (JSON.parse(body.replace('\ufeff', '')) as { trajectory: unknown }).trajectory
    expect(JSON.stringify(document)).toBe(JSON.stringify(given))
  })

  test.each(['__proto__', 'constructor', 'toString', 'a\0b', '\0', '\ufeff', '\u{1f600}', 'x\ufffdy', "' OR 1=1 --"])(
    'metadata %j comes back whole, is found by it, and stands in the report',
    async (agent) => {
      const steps = [...(LEXICAL.trajectory as { steps: object[] }).steps, { actor: 'agent_message', text: agent }]
      const metadata = JSON.parse(`{"agent":${JSON.stringify(agent)},"__proto__":"own","constructor":null}`) as object
      const grade = await post({ ...LEXICAL, trajectory: { steps }, metadata })
      expect(JSON.stringify(grade.metadata)).toBe(JSON.stringify(metadata))
      const found = await app.get(`/v1/grades?agent=${encodeURIComponent(agent)}`)
      expect(found.json<{ items: Grade[] }>().items.map(({ id }) => id)).toEqual([grade.id])
      const { quote } = grade.citations[0] ?? { quote: '' }
      expect(quote).not.toBe('')
      const report = await app.get('/v1/reports?group_by=agent&draws=100')
      expect(report.body).toContain(JSON.stringify(agent))
      expect(({} as { own?: unknown }).own).toBeUndefined()
    },
  )

  test('NUL in the text of a step is stored, quoted and found whole', async () => {
    const text = 'On this host\0build with: make release-7f3a\0 and no more'
    const trajectory = {
      steps: [
        { actor: 'tool_output', text },
        { actor: 'agent_action', text: 'make release-7f3a' },
      ],
    }
    const grade = await post({ ...LEXICAL, trajectory })
    const steps = await app.get(`/v1/trajectories/${grade.receipt.trajectory}/steps`)
    expect(steps.json<{ items: { parts: { text: string }[] }[] }>().items[0]?.parts[0]?.text).toBe(text)
  })
})

function manyNames(count: number): string {
  return Array.from({ length: count }, (_, index) => `"k${index}":${index}`).join(',')
}

describe('the parser', () => {
  const read = (text: string): unknown => {
    const parsed = readStrictJson(Buffer.from(text), 64)
    return parsed.ok ? parsed.value : parsed.error.code
  }

  test('finds a key that stands twice wherever it stands, and only then', () => {
    const key = fc.constantFrom('a', 'b', '"', '\\', ':', '{', ',', '__proto__', 'é')
    const members = fc.array(fc.tuple(key, fc.constantFrom('1', '"a\\":{"', '[]', '[{"a":1},{"a":1}]', '{"b":{}}')), {
      maxLength: 6,
    })
    fc.assert(
      fc.property(members, fc.nat(3), (list, depth) => {
        const inner = `{ ${list.map(([name, value]) => `${JSON.stringify(name)} : ${value}`).join(' , ')} }`
        const text = `${'[0,{"x":'.repeat(depth)}${inner}${'}]'.repeat(depth)}`
        const isTwice = new Set(list.map(([name]) => name)).size < list.length
        expect(read(text)).toEqual(isTwice ? 'duplicate_key' : readJson(text).value)
      }),
      { numRuns: 500 },
    )
  })
})
