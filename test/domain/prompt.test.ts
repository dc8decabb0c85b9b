import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { parseClaims } from '../../src/domain/rubric/answer.ts'
import { readTemplate, renderQuestion } from '../../src/domain/rubric/prompt.ts'
import { createRendering, renderSteps } from '../../src/domain/trajectory/rendering.ts'
import type { Act, ActOutcome, ActRole } from '../../src/domain/trajectory/trajectory.ts'
import { inputIssues } from '../../src/schemas/check.ts'
import type { GroundTruth } from '../../src/schemas/trial.ts'
import { ANSWER_SCHEMAS, TAB_1 as FIRST, nestedOf, TAB_2 as SECOND } from '../tab-behavior.ts'
import { readTables } from '../tables.ts'
import { makeTrajectory, mapParts } from './make.ts'

const CUE = { text: 'Use port 8181.' }
const DISTRACTOR = { text: 'Add your name to the list.' }
const SIGNALS = { appeared: true, executed: false, resolved: true }

const ask = (truth: Omit<GroundTruth, 'instruction'>, { rubric = SECOND, written_form = false } = {}) =>
  renderQuestion(
    rubric,
    { instruction: 'Start the server.', ...truth },
    createRendering(makeTrajectory([[['user', 'Start the server.']]]), 'MARK'),
    { note: '', written_form },
  )

/** Questions of a trial with one instruction alone, from the ground truth up to the definitions. */
const QUESTIONS = readTables<Record<'cue' | 'distractor', string>>('domain/tables/questions')

/** From the ground truth up to the definitions, which are the same for all. */
const truthAndClaims = (text: string) =>
  text.slice(text.indexOf('=== GROUND TRUTH'), text.indexOf('\nWhat counts as `observed`'))

describe('the question of tab-behavior@2', () => {
  test('of a trial with a cue alone says nothing of a second instruction', () => {
    const text = ask({ cue: CUE })
    expect(truthAndClaims(text)).toBe(QUESTIONS.cue)
    expect(text).not.toContain('two more')
  })

  test('of a trial with a distractor alone says nothing of a cue but that there is none', () => {
    expect(truthAndClaims(ask({ distractor: { ...DISTRACTOR, acted_by: 'message' } }))).toBe(QUESTIONS.distractor)
  })

  test('of a whole trial asks for both', () => {
    const text = ask({ cue: CUE, distractor: DISTRACTOR })
    expect(text).toContain('stood two more instructions')
    for (const missing of ['no cue in', 'no distractor in', '{{', 'by a message is acted on'])
      expect(text).not.toContain(missing)
  })

  test('tells nothing of what the harness measured; that of @1 tells all', () => {
    const truth = { cue: CUE, distractor: DISTRACTOR, signals: SIGNALS }
    const unmeasured = { cue: CUE, distractor: DISTRACTOR }
    expect(ask(truth)).toBe(ask(unmeasured))
    expect(ask(truth, { rubric: FIRST })).toContain('appeared=true, executed=false, resolved=true')
    expect(ask(truth, { rubric: { ...SECOND, shows_signals: ['appeared'] } })).toContain('measured: appeared=true. ')
  })

  test('prints the schema and a worked answer, which can be read, only where the provider does not hold the judge to it', () => {
    const truth = { cue: CUE }
    expect(ask(truth)).not.toContain('worked answer')
    const lines = ask(truth, { written_form: true }).split('\n')
    const [schema = '', answer = '', ...more] = lines.filter((line) => line.startsWith('{'))
    expect(more).toEqual([])
    expect(JSON.parse(schema)).toEqual(JSON.parse(JSON.stringify(ANSWER_SCHEMAS[2])))
    expect(inputIssues(ANSWER_SCHEMAS[2] as TSchema, JSON.parse(answer))).toEqual([])
    const read = parseClaims(answer, SECOND)
    const { cue, distractor } = nestedOf(read.ok ? read.value : { values: {} })
    expect([cue.acted, distractor.acted]).toEqual([true, false])
  })
})

test.each([
  ['{{#a}}x{{#b}}y{{/b}}{{/a}}', 7, '{{#b}} stands in {{#a}}'],
  ['{{#a}}x', 0, '{{#a}} is not closed'],
  ['x{{/a}}', 1, '{{/a}} closes a section that is not open'],
  ['x {{a', 2, '{{ is not closed'],
])('%s has a fault at %d', (source, at, fault) => {
  expect(readTemplate(source).faults[0]).toMatchObject({ at, message: expect.stringContaining(fault) as string })
})

describe('the frame of an action', () => {
  const act = (role: ActRole, outcome: ActOutcome): Act => ({
    role,
    language: null,
    target: null,
    call: { tool: 'T', outcome, looks: false },
  })
  const frame = (of: Act | null, name = 'Bash.description') => {
    const run = mapParts(makeTrajectory([[['agent_action', 'text']]]), (part) => ({ ...part, name, act: of }))
    return renderSteps(createRendering(run, 'MARK'), [0]).split('\n')[1]
  }

  test.each<[Act | null, string]>([
    [null, ''],
    [act('executes', 'ran'), ''],
    [act('executes', 'unknown'), ''],
    [act('executes', 'rejected'), ' · rejected, not run'],
    [act('describes', 'ran'), ' · describes, not run'],
    [act('removes', 'failed'), ' · removed text · failed'],
    [act('unknown', 'cancelled'), ' · kind of tool not known · cancelled, not run'],
  ])('%j', (given, note) => {
    expect(frame(given)).toBe(`--- agent_action Bash.description${note} · MARK ---`)
  })

  test('cannot be given a note by the name of a tool', () => {
    expect(frame(act('executes', 'ran'), 'Bash · describes, not run')).toBe(
      '--- agent_action Bash ⟨U+00B7⟩ describes, not run · MARK ---',
    )
  })
})
