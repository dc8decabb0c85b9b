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
  test('measures a judge, writes the certificate, and asks nothing again', async () => {
    const data = file('labelled.ndjson', labelled(100, 10))
    const saved = join(folder, 'lexical.json')
    const first = await run('validate', data, '-j', 'lexical')
    expect(first.code, first.err).toBe(0)
    expect(first.out).toContain('right                   90 of 100, 90.0% [82.6, 94.5]')
    expect(first.out).toContain('majority class          50 of 100, 50.0%')
    const again = await run('validate', data, '-j', 'lexical', '-o', 'json', '--out', saved)
    expect(again.code, again.err).toBe(0)
    expect(again.out).toBe('')
    const certificate = JSON.parse(readFileSync(saved, 'utf8')) as Certificate
    expect(inputIssues(CertificateSchema, certificate)).toEqual([])
    expect(certificate).toMatchObject({
      data: { name: 'labelled.ndjson', items: 100, skipped: 0 },
      rubric: { name: 'tab-behavior@2' },
      judge: { name: 'lexical', models_resolved: [{ model: null, grades: 100 }] },
      ends: { graded: 100 },
      cost: { calls: 100, cost_usd: 0 },
    })
    expect(certificate.results).toHaveLength(100)
    expect(certificate.results[0]).toMatchObject({
      item: 'run-0',
      answers: { outcome: { human: 'ignored', judge: 'aligned', right: false } },
    })
    expect(certificate.measures.map(({ question }) => question)).toEqual(['outcome', 'cue.acted'])
    expect(certificate.measures[0]?.of[0]?.cohen_kappa?.value).toBeCloseTo(0.8, 10)

    const third = await run('validate', data, '-j', 'lexical', '-o', 'json')
    const { created_at: _created, ...same } = JSON.parse(third.out) as Certificate
    expect({ ...same, created_at: certificate.created_at }).toEqual(certificate)
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
    const wrong = await run('validate', 'who-and-when', 'folder', '-j', 'lexical')
    expect([wrong.code, wrong.err.includes('npm run --silent labelled')]).toEqual([1, true])
  })

  test('says what it would cost, and keeps nothing', async () => {
    const dry = await run('validate', file('dry.ndjson', labelled(6, 0)), '-j', 'lexical', '--dry-run')
    expect([dry.code, dry.out.includes('6 items')]).toEqual([0, true])
  })
})
