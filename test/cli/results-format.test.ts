import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { printGrade } from '../../src/cli/commands/grade-commands.ts'
import type { OutputFormat } from '../../src/cli/options.ts'
import { MARKDOWN, writeResults } from '../../src/cli/output/results-format.ts'
import { openOutput } from '../../src/cli/output/screen.ts'
import { escaped, jsonText, line, markdownOf } from '../../src/cli/output/text.ts'
import { printError } from '../../src/cli/shell.ts'
import type { Batch, BatchResult, ResultGrade } from '../../src/schemas/batch.ts'
import type { Grade, Limit } from '../../src/schemas/grade.ts'
import { newBatch } from './stand-in.ts'
import { testShell } from './test-shell.ts'

const [OLD, NEW] = [`grd_${'0'.repeat(26)}`, `grd_${'1'.repeat(26)}`]
const RESULT: BatchResult = {
  ...{ item_id: OLD, index: 0, status: 'graded', label: 'aligned', judge: 'openai', rubric: null, grade_id: NEW },
  ...{ grade: null, failure: null, cached: false, base_grade_id: OLD, metadata: {} },
}
const GRADE: ResultGrade = {
  ...{ judge: 'openai', unmet: [], claimed_label: 'aligned', evidence: { cited: 2, held: 2 }, cost_usd: 0.25 },
  confidence: { reported: 'low', vote_share: null, calibrated: null, source: 'capped' },
  contradictions: [{ code: 'doubtful_act', claim: null, detail: 'x', step_id: null }],
  ...{ unread: { records: 2, actions: 1 }, warnings: 0 },
}
const UNMET: ResultGrade = {
  ...GRADE,
  confidence: { reported: null, vote_share: null, calibrated: null, source: 'none' },
  contradictions: [],
  unread: { records: 0, actions: 0 },
  unmet: [
    { claim: 'cue.acted', reason: 'no citation holds', step_id: null },
    { claim: 'cue.reasoned', reason: 'second', step_id: null },
  ],
}
const of = (metadata: BatchResult['metadata']): BatchResult => ({ ...RESULT, metadata })
const graded = (more: Partial<ResultGrade>): BatchResult => ({ ...RESULT, grade: { ...GRADE, ...more } })
const unverified = (grade: ResultGrade): BatchResult => ({ ...RESULT, status: 'unverified', label: null, grade })
const failed = (message: string): BatchResult => ({
  ...{ ...RESULT, status: 'failed', label: null },
  failure: { code: 'timeout', message, retryable: true, retry_after_s: null },
})
const limited = (code: Limit['code'], reason: string): BatchResult => {
  const limit = { level: 'low', code, claim: null, step_id: null, reason, lift: 'give whole commands' } as const
  return graded({ confidence: { ...GRADE.confidence, limit } })
}

interface Written {
  readonly costs?: Partial<Batch>
  readonly claims?: readonly string[]
  readonly terminal?: boolean
}
async function write(format: OutputFormat, items: readonly BatchResult[], more: Written = {}): Promise<string> {
  const { costs = { uncertain_usd: 0.5 }, claims = [], terminal = false } = more
  const shell = testShell()
  if (terminal) Object.assign(shell.out, { isTTY: true, columns: 100 })
  async function* results() {
    yield* items
  }
  const batch = { ...newBatch(1, items.length, {}, 'regrade'), ...costs }
  await writeResults({ ...(await openOutput(shell, undefined)), format }, results(), batch, { claims })
  return shell.output()
}

test('items of a re-grade are called by their trial, else their task, and only else by the old grade’s id', async () => {
  const trial = of({ trial: 'fix-git__aXq3', task: 'fix-git' })
  const named = { ...trial, base_grade_id: null, item_id: 'named by the caller' }
  const names = (await write('table', [trial, of({ task: 'fix-git' }), of({}), named])).split('\n').slice(1, 5)
  const expected = ['fix-git__aXq3', 'fix-git', OLD, 'named by the caller']
  expect(names.map((row) => row.slice(0, 40).trim())).toEqual(expected)
  expect(JSON.parse(await write('ndjson', [trial]))).toMatchObject({ item_id: OLD })
})

test('columns stand one below the other with ids as long as they are', async () => {
  const [head, row] = (await write('table', [failed('late')])).split('\n')
  expect(head?.indexOf('why')).toBe(row?.indexOf('timeout: late'))
})

const UNPRICED = '(a call has no price, or its reply no usage) · 0 calls'
test.each<[string, Partial<Batch>, BatchResult[], string]>([
  [
    'uncertain costs stand beside the known costs',
    { uncertain_usd: 0.5 },
    [RESULT],
    'cost $0 (+ up to $0.50 that may have been paid) · 0 calls',
  ],
  [
    'the cost is unknown, where that of a call is unknown',
    { cost_usd: null },
    [graded({ cost_usd: null }), { ...graded({}), cached: true }],
    `cost unknown ${UNPRICED}`,
  ],
])('%s', async (_name, costs, items, said) => expect(await write('table', items, { costs })).toContain(said))

test('a table marks a label that is contradicted, and says why one has none', async () => {
  const [, first, second] = (await write('table', [graded({}), unverified(UNMET)])).split('\n')
  expect(first).toMatch(/ graded +aligned ! +low capped +2 +grd_1+ +doubtful_act; 2 unread records, 1 may hold acts$/)
  expect(second).toMatch(/ unverified +– +– +0 +grd_1+ +cue\.acted: no citation holds \(and 1 more\)$/)
})

test('a confidence below high has its reason in the row, and the remedy in the summary and in CSV', async () => {
  const rows = [
    limited('contradiction', 'no action anchors given'),
    limited('contradiction', 'step 4 is open'),
    limited('contradiction', 'no action anchors given'),
    limited('judge', 'the judge is not sure'),
  ]
  const table = await write('table', rows)
  const whys = table.split('\n').map((row) => row.slice(row.indexOf(NEW) + 32))
  expect(whys[1]).toBe('doubtful_act: no action anchors given; 2 unread records, 1 may hold acts')
  expect(whys[4]).toBe('judge: the judge is not sure; 2 unread records, 1 may hold acts')
  for (const said of [
    'levels    high 0 (0.0%) · medium 0 (0.0%) · low 4 (100.0%)\n',
    'low       3 of 4 (! contradiction): such as: no action anchors given; to lift: give whole commands\n',
    'low       1 of 4: the judge is not sure; to lift: give whole commands\n',
  ])
    expect(table).toContain(said)
  expect(await write('csv', rows)).toContain(',openai,,judge,the judge is not sure,give whole commands\n')
})

test('an item without a label has no share and no limit', async () => {
  const item = { ...limited('judge', 'the judge is not sure'), status: 'unverified', label: null } as const
  expect(await write('table', [item])).not.toMatch(/levels|the judge is not sure/)
})

test('CSV and NDJSON have it too', async () => {
  const [head, row] = (await write('csv', [unverified({ ...UNMET, claimed_label: 'ignored' })])).split('\n')
  expect(head).toMatch(
    /,variant,confidence,confidence_source,contradictions,claimed_label,unmet,cost_usd,unread_records,unread_actions,outcome,judge,rubric,limit_code,limit_reason,limit_lift$/,
  )
  const help = readFileSync('src/cli/help.md', 'utf8').replaceAll(/,\s+/g, ',')
  expect(help).toContain(`csv     ${head},claim.<id>`)
  expect(row).toMatch(/,,none,,ignored,cue\.acted: no citation holds; cue\.reasoned: second,0\.25,0,0,/)
  expect(JSON.parse(await write('ndjson', [graded({})]))).toEqual(graded({}))
})

test('CSV has a column for each claim of the rubrics, whatever a row’s own rubric is', async () => {
  const claims = { 'failure.step': 5, 'failure.agent': '=agent', 'failure.category': null, listed: [{ a: 1 }] }
  const row = { ...graded({ outcome: 7, claims }), rubric: 'failure-attribution@1' }
  const [head, line] = (await write('csv', [row], { claims: [...Object.keys(claims), 'cue.acted'] })).split('\n')
  expect(head).toMatch(
    /,outcome,judge,rubric,limit_code,limit_reason,limit_lift,claim\.failure\.step,claim\.failure\.agent,claim\.failure\.category,claim\.listed,claim\.cue\.acted$/,
  )
  expect(line).toMatch(/,7,openai,failure-attribution@1,,,,5,'=agent,unclear,"\[\{""a"":1\}\]",$/)
})

test('a failed item names the calls of its grade by the id', async () => {
  const table = await write('table', [failed('no JSON (its calls: veridict show GRADE --attempts)')])
  expect(table).toContain(`(its calls: veridict show ${NEW} --attempts)`)
})

const rows = () => markdownOf(MARKDOWN)
const markdownRow = (item_id: string, reason: string): BatchResult => ({
  ...graded({ unmet: [{ claim: 'c', reason, step_id: null }], unread: { records: 2, actions: 0 } }),
  ...{ item_id, base_grade_id: null },
})

test('a row of a pull request', () => {
  const why = '<code>c&#58; x&#59; doubtful&#95;act&#59; 2 unread records</code>'
  expect(rows().row(markdownRow('a/b-1', 'x'))).toBe(
    `| <code>a/b-1</code> | graded | <code>aligned</code> ! | low capped | 2 | ${why} |\n`,
  )
})

test('nothing of a text can be Markdown, HTML, a mention, a reference or an address', () => {
  expect(escaped('@octocat #1 <b>|`*_~[](www.x.io) \\')).toMatch(/^[\w &#;,/-]*$/)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const left = escaped(text).replace(/&#\d+;/g, '')
      expect(left).toMatch(/^[\p{L}\p{M}\p{N} ,/–…-]*$/u)
      // And what stands there is the text itself.
      const back = escaped(text).replace(/&#(\d+);/g, (_all, code: string) => String.fromCodePoint(Number(code)))
      expect(back).toBe(text.toWellFormed())
    }),
  )
})

test('a row stays one row of six cells, whatever its texts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, why) => {
      const text = rows().row(markdownRow(name, why))
      expect([text.split('\n').length, text.split('|').length]).toEqual([2, 8])
    }),
  )
})

test('the table stays below what a comment may have, and says how many rows are missing', () => {
  const table = rows()
  const texts = Array.from({ length: 400 }, (_, at) =>
    table.row(markdownRow(`${'<'.repeat(200)}${at}`, '|'.repeat(500))),
  )
  const shown = texts.filter((text) => text !== '').length
  const all = table.head() + texts.join('') + table.foot(`400 items · graded 400\n${'&'.repeat(5000)}`)
  expect([all.length < 65_000, shown > 20]).toEqual([true, true])
  expect(all).toContain(`Not shown: ${400 - shown} more rows.`)
})

const HOSTILE = 'x\u001b]0;owned\u0007\u009b2J\u202ey\r\nz'

/** What a terminal would act on, but for our own styles. */
const acting = (text: string): string[] =>
  [...text.replaceAll(/\p{Cc}\[\d+m/gu, '')].filter((c) => /[\p{Cc}\u202e]/u.test(c))

const citation = { supports: 'cue.acted', step_id: 1, quote: HOSTILE, status: 'verified' }
const grade = {
  ...{ id: 'grd_1', status: 'failed', label: null, claimed_label: 'aligned' },
  confidence: { reported: 'high', vote_share: null, calibrated: null, source: 'reported' },
  citations: [{ ...citation, actor: 'agent_action', path: HOSTILE }],
  unmet: [{ claim: 'cue.acted', reason: HOSTILE }],
  contradictions: [{ detail: HOSTILE }],
  failure: { code: 'refused', message: HOSTILE, retryable: false, retry_after_s: null },
  notes: HOSTILE,
  receipt: {
    ...{ cache: 'miss', judge: HOSTILE, rubric: HOSTILE },
    warnings: [{ path: `/steps/0/${HOSTILE}`, message: HOSTILE }],
  },
}
const print = (more: object = {}, name = 'x') => printGrade(name, { ...grade, ...more } as unknown as Grade)
const linesOf = (more: object) => stripVTControlCharacters(print(more)).split('\n')

test('a failure names the calls of its grade by the id', () => {
  const failure = { code: 'schema_invalid', message: 'no JSON (its calls: veridict show GRADE --attempts)' }
  expect(print({ failure })).toContain('(its calls: veridict show grd_1 --attempts)')
})

describe('nothing that others wrote acts on a terminal', () => {
  test('in a grade', () => {
    const text = print({}, HOSTILE)
    expect(acting(text.replaceAll('\n', ''))).toEqual([])
    // Headline, judge, citation, unmet, contradiction, failure, notes, warning, and the blank line.
    expect(text.split('\n')).toHaveLength(10)
    expect(text.match(/⟨U\+009B⟩/g)).toHaveLength(10)
  })

  test('in whatever is thrown', () => {
    const shell = testShell()
    printError(shell, new Error(HOSTILE))
    expect(acting(shell.errors().trimEnd())).toEqual([])
  })
})

test('a citation says where its quote stands instead, and what it differs in', () => {
  const citations = [
    { ...citation, status: 'wrong_step', found_in_step: 7 },
    { ...citation, status: 'normalized', normalization: ['white_space', 'emphasis'] },
    { ...citation, normalization: null },
  ]
  const [, , wrong, normalized, verified] = linesOf({ citations })
  expect(wrong).toContain('” · stands in step 7')
  expect(normalized).toContain('” · differs in white_space, emphasis')
  expect(verified).toMatch(/”$/)
})

test('a grade tells once why its confidence is not higher, in place of the contradiction behind it', () => {
  const limit = {
    level: 'low',
    code: 'contradiction',
    claim: null,
    step_id: null,
    reason: 'open',
    lift: 'give commands',
  }
  const labelled = {
    ...{ status: 'graded', label: 'aligned', failure: null, confidence: { ...grade.confidence, limit } },
    contradictions: [{ detail: 'open' }, { detail: 'another' }],
  }
  const why = ['  ! contradiction: another', '  ! contradiction, and why not higher: open; to lift: give commands']
  expect(linesOf(labelled).filter((one) => one.startsWith('  ! '))).toEqual(why)
  const unlabelled = linesOf({ ...labelled, label: null }).join('\n')
  expect(unlabelled).toContain('  ! contradiction: open')
  expect(unlabelled).not.toContain('why not higher')
})

test('JSON for people and for programs keeps every value, and no control that a terminal acts on', () => {
  const value = { a: 'x\u001b[31m\u009b\u2028\u202e\u200f\u2066y\n\tz', b: ['\u007f', 'ü “”'] }
  for (const text of [line(value), jsonText(value)]) {
    expect(JSON.parse(text)).toEqual(value)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u)
  }
})
