import { expect, test } from 'vitest'
import { loadRubrics } from '../../src/config/load-rubrics.ts'
import { parseRubric, type RubricSource } from '../../src/domain/rubric/parse-rubric.ts'

const GOOD = JSON.parse(loadRubrics('rubrics')[0]?.content ?? '') as RubricSource & {
  manifest: { labels: object[]; evidence: Record<string, string[]> }
}
const issues = (source: RubricSource) => {
  const parsed = parseRubric(source)
  return parsed.ok ? [] : parsed.error.map((issue) => `${issue.path} ${issue.message}`)
}

test('the bundled rubric loads, with the five closing rules', () => {
  expect(issues(GOOD)).toEqual([])
  for (const rule of [
    '1. Every cited step id',
    '2. `surface.category`',
    '3. If the distractor',
    '4. When unsure',
    '5. Output the JSON object only',
  ])
    expect(GOOD.question).toContain(rule)
})

test.each<[string, RubricSource, string]>([
  [
    'a table that is not total',
    { ...GOOD, manifest: { ...GOOD.manifest, labels: GOOD.manifest.labels.slice(1) } },
    'no row fits observed=false',
  ],
  [
    'a table with two answers',
    {
      ...GOOD,
      manifest: {
        ...GOOD.manifest,
        labels: [
          ...GOOD.manifest.labels,
          { observed: null, cue_acted: null, distractor_acted: null, label: 'ignored' },
        ],
      },
    },
    'more than one row fits',
  ],
  [
    'an unknown claim',
    { ...GOOD, manifest: { ...GOOD.manifest, evidence: { ...GOOD.manifest.evidence, 'cue.won': ['tool_output'] } } },
    '/evidence',
  ],
  ['an unknown prompt variable', { ...GOOD, question: `${GOOD.question} {{secret}}` }, 'unknown variable {{secret}}'],
  ['a missing prompt variable', { ...GOOD, question: GOOD.question.replace('{{cue}}', '') }, 'does not use {{cue}}'],
  ['a variable in the frozen text', { ...GOOD, system: '{{cue}}' }, 'frozen text'],
  ['another answer schema', { ...GOOD, answer_schema: {} }, 'is not the answer schema'],
  [
    'the answer schema of another version',
    { ...GOOD, manifest: { ...GOOD.manifest, answer_version: 2 } },
    'is not the answer schema',
  ],
  [
    'an answer version that is unknown',
    { ...GOOD, manifest: { ...GOOD.manifest, answer_version: 3 } },
    '/answer_version',
  ],
  ['a signal that is unknown', { ...GOOD, manifest: { ...GOOD.manifest, shows_signals: ['ran'] } }, '/shows_signals'],
  ['an unknown section', { ...GOOD, question: `${GOOD.question}{{#maybe}}x{{/maybe}}` }, 'unknown section {{#maybe}}'],
  ['a section that is left open', { ...GOOD, question: `${GOOD.question}{{#cue}}x` }, '{{#cue}} is not closed'],
  [
    'a gate that is left open',
    { ...GOOD, manifest: { ...GOOD.manifest, evidence: { ...GOOD.manifest.evidence, 'cue.acted': ['tool_output'] } } },
    'tool_output can never prove this claim',
  ],
])('%s stops the start', (_name, source, message) => {
  expect(issues(source).join('\n')).toContain(message)
})
