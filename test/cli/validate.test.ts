import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { requireComparable } from '../../src/cli/commands/labelled-commands.ts'
import { compareWith, readEarlier } from '../../src/cli/commands/validate-command.ts'
import { inputIssues } from '../../src/schemas/check.ts'
import { type Certificate, CertificateSchema } from '../../src/schemas/documents.ts'
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

const CERTIFICATE: Certificate = {
  ...{ kind: 'veridict-validation', version: 2, created_at: '2026-11-28T00:00:00.000Z', software: 'veridict' },
  data: { name: 'both.ndjson', items: 0, skipped: 0, digest: 'd' },
  rubric: { name: 'tab-behavior@2', digest: 'r' },
  judge: { name: 'j', provider: null, model_requested: null, models_resolved: [], samples: 1, settings: null },
  ...{ ends: {}, citations: {}, measures: [], results: [] },
  cost: { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0, paid_usd: 0 },
}

describe('veridict validate', () => {
  test('measures a judge, writes the certificate, and asks nothing again', async () => {
    const data = file('labelled.ndjson', labelled(100, 10))
    const saved = join(folder, 'lexical.json')
    const first = await run('validate', data, '-j', 'lexical')
    expect(first.code, first.err).toBe(0)
    expect(first.out).toContain('90 of 100, 90.0% [82.6, 94.5]')
    expect(first.out).toContain('ignored 50 of 100, 50.0%')
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

  test('tests against an earlier certificate whether both judges are right equally often', async () => {
    const data = file('both.ndjson', labelled(12, 2))
    const saved = join(folder, 'earlier.json')
    expect((await run('validate', data, '-j', 'lexical', '-o', 'json', '--out', saved)).code).toBe(0)
    const again = await run('validate', data, '-j', 'lexical', '--against', saved, '--margin', '0.5')
    expect(again.code, again.err).toBe(0)
    expect(again.out).toContain('Against lexical, within ±50.0%: equivalent')
    expect(again.out).toContain(' · 0 calls, 12 from the cache, cost $0\n')
    expect(again.out).toContain('outcome: 0.0% [-24.2, 24.2] of 12; right alone: 0 before, 0 now')
    const strict = await run('validate', data, '-j', 'lexical', '-o', 'json', '--against', saved)
    const { against } = JSON.parse(strict.out) as { against: ReturnType<typeof compareWith> }
    expect([strict.code, against.equivalent, against.margin]).toEqual([2, false, 0.05])
  })

  test('refuses what is no certificate of the same data, and no margin', async () => {
    const data = file('four.ndjson', labelled(4, 1))
    for (const [said, ...words] of [
      ['the file is no certificate', file('form.json', { kind: 'x' })],
      ['there is no such file or folder', join(folder, 'none.json')],
      ['share between 0 and 1', data, '--margin', 'x'],
    ] as const) {
      const { code, err } = await run('validate', data, '-j', 'lexical', '--against', ...words)
      expect([code, err]).toEqual([1, expect.stringContaining(said)])
    }
    const read = (data: string, rubric: string) => () => {
      const subject = { data: { ...CERTIFICATE.data, digest: data }, rubric: { ...CERTIFICATE.rubric, digest: rubric } }
      return requireComparable(readEarlier(file('earlier.json', CERTIFICATE)), subject)
    }
    expect(read('d', 'r')).not.toThrow()
    expect(read('other', 'r')).toThrow('not comparable with both.ndjson: its items are other items')
    expect(read('d', 'other')).toThrow('the rubric tab-behavior@2 has another text')
  })

  test('the interval of two judges holds every difference that their pairs allow', () => {
    const certificate = (right: readonly boolean[], cluster: (index: number) => number | null) => ({
      judge: { name: 'j' },
      created_at: '',
      measures: [{ question: 'outcome' }],
      results: right.map((one, index) => ({
        item: String(index),
        cluster: cluster(index),
        answers: { outcome: { right: one } },
      })),
    })
    const compare = (base: boolean[], head: boolean[], cluster: (index: number) => number | null = () => null) =>
      compareWith(certificate(base, cluster) as never, certificate(head, cluster) as never, 0.05).questions[0]
    const all = Array.from({ length: 400 }, () => true)
    const ten = all.map((_, index) => index >= 40)
    expect(compare(all, all)).toMatchObject({ difference: 0, equivalent: true })
    expect(compare(all, ten)).toMatchObject({
      difference: expect.closeTo(-0.1, 10),
      equivalent: false,
      base_only: 40,
      head_only: 0,
    })
    expect(compare(all, ten)?.ci95[1]).toBeLessThan(-0.05)
    // Two clusters say as much as two items.
    expect(compare(all, all, (index) => index % 2)).toMatchObject({ difference: 0, equivalent: false })
    expect(compare(all, ten, () => 0)).toMatchObject({ ci95: [-1, 1], equivalent: false })
    expect(compare([], [])).toMatchObject({ difference: null, equivalent: false })
  })

  test('refuses labels that the rubric does not have, before a judge is asked', async () => {
    const lines = [
      request(1, true, { outcome: 'compliantt' }),
      request(2, true, { claims: { 'cue.acted': 'yes' } }),
      request(3, true, { claims: { constructor: true } }),
    ]
    const { code, err } = await run('validate', file('labels.ndjson', ndjson(lines)), '-j', 'lexical')
    expect(code).toBe(1)
    for (const said of [
      'line 1  run-1  /human/outcome: must be one of',
      'run-2  /human/claims/cue.acted: must be boolean, not string',
      'run-3  /human/claims/constructor: is not a known property; there are: surface.observed',
    ])
      expect(err).toContain(said)
  })

  const lines = [request(1, true, { outcome: 'aligned' }), request(2, true, undefined)]
  test('skips what is no labelled run by its line, and says what is missing', async () => {
    const { code, out, err } = await run('validate', file('some.ndjson', ndjson(lines)), '-j', 'lexical')
    expect([code, out], err).toEqual([0, expect.stringContaining('1 labelled run, 1 skipped')])
    expect(err).toContain('#line 2)  unreadable: /human: must be {"outcome": label}')
  })

  test.each([
    ['a file without labels', [file('none.ndjson', ndjson(lines.slice(1)))], 'no trial can be graded there: 1 skipped'],
    ['no file', ['somewhere'], 'there is no such file or folder'],
    // The command refuses such a file before a judge is asked.
    [
      'a file that is cut off',
      [file('cut.ndjson', labelled(3, 0).slice(0, -60))],
      'cut.ndjson is cut off: its last line, line 3 is not JSON',
    ],
  ])('refuses %s', async (_name, words, said) => {
    const refused = await run('validate', ...words, '-j', 'lexical')
    expect(refused).toEqual({ code: 1, out: '', err: expect.stringContaining(said) })
  })

  test('says what it would cost, and keeps nothing', async () => {
    const dry = await run('validate', file('dry.ndjson', labelled(6, 0)), '-j', 'lexical', '--dry-run')
    expect([dry.code, dry.out.includes('6 items')]).toEqual([0, true])
  })
})
