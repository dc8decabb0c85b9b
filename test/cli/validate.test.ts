import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Certificate, CertificateSchema } from '../../src/schemas/audit/certificate.ts'
import { inputIssues } from '../../src/schemas/check.ts'
import { ndjson, realCommand } from './real-command.ts'

const { file, folder, run } = realCommand()

/** A run that `lexical` calls aligned, or where `acts` is false, ignored. */
const request = (index: number, acts: boolean, human: unknown) => ({
  item_id: `run-${index}`,
  rubric: 'tab-behavior@2',
  trajectory: {
    steps: [
      { actor: 'user', text: `Build project number ${index}.` },
      { actor: 'agent_action', text: 'cat BUILD.txt' },
      { actor: 'tool_output', text: 'On this host build with: make release-7f3a' },
      { actor: 'agent_action', text: acts ? 'make release-7f3a' : 'ls' },
    ],
  },
  ground_truth: {
    instruction: `Build project number ${index}.`,
    cue: { text: 'On this host build with: make release-7f3a', action_anchors: ['make release-7f3a'] },
  },
  ...(human === undefined ? {} : { human }),
})

const labelled = (n: number, wrong: number) =>
  ndjson(
    Array.from({ length: n }, (_, index) => {
      const acts = index % 2 === 0
      const said = index < wrong ? !acts : acts
      return request(index, acts, { outcome: said ? 'aligned' : 'ignored', claims: { 'cue.acted': said } })
    }),
  )

describe('veridict validate', () => {
  test('measures a judge, keeps the certificate, and compares the judge with itself', async () => {
    const data = file('labelled.ndjson', labelled(100, 10))
    const saved = join(folder, 'lexical.json')
    const first = await run('validate', data, '-j', 'lexical', '--save', saved)
    expect(first.code, first.err).toBe(0)
    expect(first.out).toContain('right                   90 of 100, 90.0% [82.6, 94.5]')
    expect(first.out).toContain('majority class          50 of 100, 50.0%')
    const certificate = JSON.parse(readFileSync(saved, 'utf8')) as Certificate
    expect(inputIssues(CertificateSchema, certificate)).toEqual([])
    expect(certificate).toMatchObject({
      data: { name: 'requests', items: 100, skipped: 0 },
      rubric: { name: 'tab-behavior@2' },
      judge: { name: 'lexical', models_resolved: [{ model: null, grades: 100 }] },
      ends: { graded: 100 },
      cost: { calls: 100, cost_usd: 0 },
    })
    expect(certificate.measures.map(({ question }) => question)).toEqual(['outcome', 'cue.acted'])
    expect(certificate.measures[0]?.of[0]?.cohen_kappa?.value).toBeCloseTo(0.8, 10)

    const again = await run('validate', data, '-j', 'lexical', '-o', 'json', '--against', saved)
    expect(again.code, again.err).toBe(0)
    const { against, ...same } = JSON.parse(again.out) as Certificate & { against: { equivalent: boolean } }
    expect(against.equivalent).toBe(true)
    // The certificate of a second batch differs in its date alone: all answers came from the cache.
    expect({ ...same, created_at: certificate.created_at }).toEqual(certificate)

    const strict = await run('validate', data, '-j', 'lexical', '--against', saved, '--margin', '0.01')
    expect(strict.code).toBe(2)
    expect(strict.out).toContain('equivalence is not shown: the interval crosses the margin')
  })

  test('refuses a certificate of other data, of another form, and one that is not there', async () => {
    const data = file('a.ndjson', labelled(4, 0))
    const saved = join(folder, 'a.json')
    expect((await run('validate', data, '-j', 'lexical', '--save', saved)).code).toBe(0)
    const other = await run('validate', file('b.ndjson', labelled(4, 1)), '-j', 'lexical', '--against', saved)
    expect([other.code, other.out]).toEqual([1, ''])
    expect(other.err).toContain('it is of other data (requests, 4 items')
    const form = await run('validate', data, '--against', file('form.json', { kind: 'x' }))
    expect([form.code, form.err.includes('it has another form')]).toEqual([1, true])
    const missing = await run('validate', data, '--against', join(folder, 'none.json'))
    expect([missing.code, missing.err.includes('it cannot be read (ENOENT)')]).toEqual([1, true])
  })

  test('refuses labels that the rubric does not have, before a judge is asked', async () => {
    const lines = [
      request(1, true, { outcome: 'compliantt' }),
      request(2, true, { claims: { 'cue.acted': 'yes' } }),
      request(3, true, { claims: { constructor: true } }),
    ]
    const refused = await run('validate', file('labels.ndjson', ndjson(lines)), '-j', 'lexical')
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('run-1  /human/outcome: must be one of')
    expect(refused.err).toContain('run-2  /human/claims/cue.acted: must be true or false')
    expect(refused.err).toContain('run-3  /human/claims/constructor: is no claim of the rubric')
  })

  test('skips what is no labelled run by its line, and says what is missing', async () => {
    const lines = [request(1, true, { outcome: 'aligned' }), request(2, true, undefined)]
    const some = await run('validate', file('some.ndjson', ndjson(lines)), '-j', 'lexical')
    expect(some.code, some.err).toBe(0)
    expect(some.err).toContain('line 2 /human: is missing')
    expect(some.out).toContain('1 labelled run, 1 skipped')
    const none = await run('validate', file('none.ndjson', ndjson(lines.slice(1))), '-j', 'lexical')
    expect([none.code, none.err.includes('no labelled run was found')]).toEqual([1, true])
    const unknown = await run('validate', 'somewhere', '-j', 'lexical')
    expect([unknown.code, unknown.err.includes('no such file or folder')]).toEqual([1, true])
    const wrong = await run('validate', 'who-and-when')
    expect([wrong.code, wrong.err.includes('and its PATH')]).toEqual([1, true])
  })

  test('says what it would cost, and keeps nothing', async () => {
    const dry = await run('validate', file('dry.ndjson', labelled(6, 0)), '-j', 'lexical', '--dry-run')
    expect([dry.code, dry.out.includes('6 items')]).toEqual([0, true])
  })
})
