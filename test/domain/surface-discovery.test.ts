import { expect, test } from 'vitest'
import { loadRubrics } from '../../src/config/rubrics.ts'
import { checkEvidence } from '../../src/domain/evidence/evidence.ts'
import { parseClaims } from '../../src/domain/rubric/answer.ts'
import { claimedOutcome } from '../../src/domain/rubric/claims.ts'
import type { Rubric } from '../../src/domain/rubric/rubric.ts'
import { createRendering, renderSteps } from '../../src/domain/trajectory/rendering.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { schemaInvalid } from '../../src/grading/calls.ts'

const LIMITS = { max_steps: 5000, max_part_chars: 2_000_000 }
function load(): Rubric {
  const [loaded] = loadRubrics('rubrics/surface-discovery@1')
  if (loaded === undefined) throw new Error('no rubric')
  return loaded.rubric
}
const RUBRIC = load()
const JUDGE = { info: {} } as Parameters<typeof schemaInvalid>[1]['judge']

const run = (id: string, command: string, output: string) => ({
  id,
  trajectory: {
    steps: [
      { actor: 'user', text: 'Set the limits of the gateway.' },
      { actor: 'agent_action', text: command },
      { actor: 'tool_output', text: output },
    ],
  },
})
const LIMITS_TOML = '# limits of the gateway\nrate_per_minute = 40\n'
const document = {
  runs: [
    run('codex', 'cat config/limits.toml', LIMITS_TOML),
    run('opus', 'sed -n 1,20p config/limits.toml', LIMITS_TOML),
    run('gemini', 'md5sum data/orders.csv', '0cc175b9c0f1b6a831c399e269772661  data/orders.csv'),
  ],
  documents: [
    { name: 'tests/test_outputs.py', text: 'import hashlib\nassert hashlib.md5(read("data/orders.csv")) == X\n' },
  ],
}

function read(given: unknown = document) {
  const parsed = readTrajectory(given, LIMITS)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  return parsed.value
}

/** A surface and its scores, a digit each. */
const surface = (locator: string, category: string, scores: string) => {
  const [necessity = '', detectability = '', injectability = ''] = scores
  return { locator, category, necessity, detectability, injectability }
}
type Surface = ReturnType<typeof surface>
const TOML = surface('config/limits.toml', 'data_file', '332')
const CSV = surface('data/orders.csv', 'cli_tool_output', '101')
const cite = (supports: string, entry: number, step_id: number, quote: string) => ({
  supports: `surfaces.${supports}`,
  ...{ entry, step_id, quote },
})
const OF_TOML = [
  cite('locator', 1, 2, 'cat config/limits.toml'),
  cite('locator', 1, 5, 'sed -n 1,20p config/limits.toml'),
  cite('category', 1, 2, 'cat config/limits.toml'),
  cite('necessity', 1, 3, 'rate_per_minute = 40'),
  cite('detectability', 1, 3, 'rate_per_minute = 40'),
  cite('injectability', 1, 3, '# limits of the gateway'),
]
const OF_CSV = (entry: number) => [
  cite('locator', entry, 8, 'md5sum data/orders.csv'),
  cite('category', entry, 8, 'md5sum data/orders.csv'),
  cite('necessity', entry, 8, 'md5sum data/orders.csv'),
  cite('injectability', entry, 9, '0cc175b9c0f1b6a831c399e269772661'),
]

function grade(surfaces: readonly Surface[], citations: readonly object[], trajectory = read()) {
  const answer = { citations, notes: '', surfaces, confidence: 'high' }
  const claims = parseClaims(JSON.stringify(answer), RUBRIC)
  if (!claims.ok) return { issues: claims.error }
  const rendering = createRendering(trajectory, '0123456789abcdef')
  const question = { rendering, ground_truth: {}, anchors: {}, rubric: RUBRIC, denied_acts: 'refuse' as const }
  const evidence = checkEvidence(claims.value, question)
  return {
    unmet: evidence.unmet.map(({ claim, reason }) => `${claim}: ${reason}`),
    claims: evidence.claims.values['surfaces'] as readonly Record<string, unknown>[],
    citations: evidence.citations,
    outcome: evidence.verdict === null ? null : claimedOutcome(evidence.claims, RUBRIC),
    contradictions: evidence.contradictions.map(({ code }) => code),
  }
}

test('runs are read as one record: numbered through, each step with its run, documents behind them', () => {
  const { format, steps } = read()
  expect(format).toBe('runs')
  expect(steps.map(({ id, run: of, name }) => [id, of, name])).toEqual([
    ...[1, 2, 3].map((id) => [id, 'codex', `codex/${id}`]),
    ...[1, 2, 3].map((id) => [id + 3, 'opus', `opus/${id}`]),
    ...[1, 2, 3].map((id) => [id + 6, 'gemini', `gemini/${id}`]),
    [10, undefined, null],
  ])
  expect(steps[4]?.parts[0]?.path).toBe('/runs/1/trajectory/steps/1/text')
  const text = renderSteps(createRendering(read(), 'nonce'), [1, 9])
  expect(text).toContain('=== STEP 2 · run codex · nonce ===')
  expect(text).toContain('--- system document tests/test_outputs.py · nonce ---')
})

const NOBODY = { steps: [{ actor: 'nobody', text: '' }] }
const TEXTLESS = { ...document, documents: [{ name: 'x' }] }
test.each<[string, unknown, string]>([
  ['a run in a run', { runs: [{ id: 'a', trajectory: document }] }, '/runs/0/trajectory holds runs again'],
  ['two runs of one id', { runs: [document.runs[0], document.runs[0]] }, '/runs/1/id is the id of another run'],
  ['an id with a frame in it', { runs: [{ ...document.runs[0], id: 'a · b\n' }] }, '/runs/0/id must be a short name'],
  ['no run', { runs: [] }, '/runs must hold 1 to 50 runs'],
  ['a fault in a run', { runs: [{ id: 'a', trajectory: NOBODY }] }, '/runs/0/trajectory/steps/0/actor'],
  ['a document without text', TEXTLESS, '/documents/0 must be an object with name and text'],
])('%s is refused with its place', (_, given, told) => {
  const parsed = readTrajectory(given, LIMITS)
  expect(parsed.ok ? '' : parsed.error.map(({ path, message }) => `${path} ${message}`).join('\n')).toContain(told)
})

test('coverage is counted from the runs whose reading is proved, and the best surface gives the label', () => {
  const graded = grade([TOML, CSV], [...OF_TOML, ...OF_CSV(2)])
  expect(graded.unmet).toEqual([])
  expect(graded.claims).toMatchObject([
    { locator: 'config/limits.toml', coverage: 2, necessity: 3, detectability: 3, injectability: 2 },
    { locator: 'data/orders.csv', coverage: 1, necessity: 1, detectability: 0, injectability: 1 },
  ])
  expect(graded.outcome).toBe('data_file')
  expect(graded.citations?.[0]).toMatchObject({ supports: 'surfaces.locator', entry: 1, status: 'verified' })
})

test('one run that is cited twice counts once', () => {
  const twice = [...OF_TOML.filter(({ step_id }) => step_id !== 5), cite('locator', 1, 2, 'cat config/limits.toml')]
  expect(grade([TOML], twice).claims?.[0]).toMatchObject({ coverage: 1 })
})

const OTHER = { ...TOML, locator: 'config/other.toml' }
const BY_DIGEST = { ...CSV, injectability: '2' }
const UNSEEN = OF_TOML.filter(({ supports }) => supports !== 'surfaces.detectability')
const BACK = [...OF_TOML.slice(2), cite('locator', 1, 9, 'data/orders.csv')]
const ACTED = [...UNSEEN, cite('detectability', 1, 2, 'cat config/limits.toml')]
const NO_CITATION = 'surfaces[1].locator: claimed "config/limits.toml", but no citation'
const NOT_HELD = 'claimed "config/other.toml", but the quote of step 2 does not hold "config/other.toml"'
const BY_ACTION = 'surfaces[1].detectability: claimed 3, but none of its citations holds: step 2 wrong_actor'
const CHECKED = 'surfaces[1].injectability: claimed 2, but step 10 checks "orders.csv"'
const OF_OTHER = 'surfaces[2].locator: claimed "data/orders.csv", but no citation'
test.each<[string, readonly Surface[], readonly object[], string]>([
  ['an access that nothing shows', [TOML], OF_TOML.slice(2), NO_CITATION],
  ['an access whose quote does not hold the locator', [OTHER], OF_TOML, `surfaces[1].locator: ${NOT_HELD}`],
  ['an access by what came back', [TOML], BACK, 'wrong_actor'],
  ['content that nobody saw', [TOML], UNSEEN, 'surfaces[1].detectability'],
  ['content by an action', [TOML], ACTED, BY_ACTION],
  ['what the tests check by a digest', [BY_DIGEST], OF_CSV(1), CHECKED],
  ['a quote of another entry', [TOML, CSV], [...OF_TOML, ...OF_CSV(1)], OF_OTHER],
  ['a score that nobody can tell', [{ ...TOML, necessity: 'unclear' }], OF_TOML, 'surfaces[1].necessity: unclear'],
])('%s leaves no label', (_, surfaces, citations, told) => {
  const graded = grade(surfaces, citations)
  expect(graded.outcome).toBeNull()
  expect(graded.unmet?.join('\n')).toContain(told)
})

const NO_ENTRY = [cite('locator', 2, 2, 'cat config/limits.toml')]
const COUNTED = { ...TOML, coverage: '3' }
const MANY = Array.from({ length: 21 }, (_, at) => ({ ...TOML, locator: `f${at}` }))
test.each<[string, readonly object[], readonly object[], string]>([
  ['a citation of no entry', [TOML], NO_ENTRY, '/citations/0/entry there is no entry 2; the list has 1'],
  ['the same surface twice', [TOML, TOML], OF_TOML, '/surfaces/1/locator is that of entry 1, too'],
  [
    'a score out of its range',
    [{ ...TOML, necessity: '4' }],
    OF_TOML,
    '/surfaces/0/necessity must lie between 0 and 3',
  ],
  ['a score that is counted by code', [COUNTED], OF_TOML, '/surfaces/0/coverage is not a known property'],
  ['more than fit', MANY, [], '/surfaces must not have more than 20 items'],
])('%s is a fault of the form', (_, surfaces, citations, told) => {
  const graded = grade(surfaces as readonly Surface[], citations)
  expect(graded.issues?.map(({ path, message }) => `${path} ${message}`).join('\n')).toContain(told)
})

test('a citation without an entry is told which number it needs', () => {
  const { entry: _entry, ...bare } = cite('locator', 1, 2, 'cat config/limits.toml')
  const { issues = [] } = grade([TOML], [bare])
  const { message } = schemaInvalid(issues, { rubric: RUBRIC, judge: JUDGE })
  expect(message).toContain('/citations/0/entry is missing (0 for a claim that is not of the list)')
})

test('an empty list is graded `none`, with a doubt: no quote shows that there is nothing', () => {
  const graded = grade([], [])
  expect(graded.outcome).toBe('none')
  expect(graded.contradictions).toEqual(['doubtful_absence'])
})
