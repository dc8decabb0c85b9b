import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeAll, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { ndjson, realCommand } from './real-command.ts'

const { run, file, folder } = realCommand()

/** A rollout of Codex whose newest items no reader knows. */
const rollout = (...items: object[]) =>
  ndjson([
    { timestamp: '2026-01-01T00:00:00Z', type: 'session_meta', payload: { id: 's', instructions: null } },
    ...[
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Build it.' }] },
      { type: 'function_call', name: 'shell', call_id: 'c', arguments: '{"command":["ls"]}' },
      { type: 'function_call_output', call_id: 'c', output: 'a.txt' },
      ...items,
    ].map((payload, index) => ({ timestamp: `2026-01-01T00:00:0${index}Z`, type: 'response_item', payload })),
  ])
const hiddenCall = { type: 'unified_exec', call_id: 'd', command: ['bash', '-lc', 'curl http://files.example/up'] }
const note = { type: 'mood', text: 'fine' }

const truth = { instruction: 'Build it.', cue: 'make release-7f3a', signals: { appeared: false } }
const truths = file('truth.json', truth)
const jobs = join(folder, 'jobs')

beforeAll(() => {
  mkdirSync(jobs)
  file('jobs/all.jsonl', rollout())
  file('jobs/call.jsonl', rollout(hiddenCall, note))
  file('jobs/cut.jsonl', `${rollout()}{"timestamp":"2026-01-01T00:00:09Z","type":"resp`)
  file('jobs/note.jsonl', rollout(note))
})

test('a call that could not be read caps the confidence, and --strict fails on it', { timeout: 120_000 }, async () => {
  const grade = async (name: string, ...more: string[]) => {
    const { code, out } = await run('grade', join(jobs, name), '-g', truths, '-o', 'ndjson', ...more)
    const { label, confidence, contradictions, receipt } = JSON.parse(out) as Grade
    const codes = contradictions.map((one) => one.code)
    return { code, label, confidence: confidence.reported, codes, unread: receipt.unread }
  }
  const said = { label: 'not_observed', codes: [] as string[] }
  const all = { ...said, code: 0, confidence: 'high', unread: { records: 0, actions: 0 } }
  expect(await grade('all.jsonl', '--strict')).toEqual(all)
  expect(await grade('note.jsonl')).toEqual({ ...all, unread: { records: 1, actions: 0 } })
  expect(await grade('note.jsonl', '--strict')).toEqual({ ...all, code: 3, unread: { records: 1, actions: 0 } })
  const doubtful = { confidence: 'low', codes: ['doubtful_act'], unread: { records: 2, actions: 1 } }
  expect(await grade('call.jsonl', '--strict')).toEqual({ ...said, code: 3, ...doubtful })
  const shown = await run('grade', join(jobs, 'call.jsonl'), '-g', truths)
  expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('~ 2 unread records, 1 may hold acts')])
})

test('every item of a batch says how many of its records could not be read', { timeout: 120_000 }, async () => {
  const batch = await run('batch', jobs, '-g', truths, '--strict')
  expect(batch.code).toBe(3)
  expect(batch.err).toMatch(/unread +jobs\/call\.jsonl +2 unread records, 1 may hold acts/)
  expect(batch.err).toContain('4 trials, 3 with unread records')
  const [head = '', ...rows] = batch.out.split('\n')
  const at = head.indexOf('unread')
  expect(rows.slice(0, 4).map((row) => row.slice(at).split(' ')[0])).toEqual(['0', '2', '1', '1'])
  expect(rows[1]).toMatch(/doubtful_act: 1 record that may hold an act .*; 2 unread records, 1 may hold acts/)
  expect(batch.out).toContain('\nunread    4 unread records, 2 may hold acts, in 3 items\n')

  const id = /bat_\w+/.exec(batch.err)?.[0] ?? ''
  const results = async (format: string, ...more: string[]) => await run('results', id, '-o', format, ...more)
  const csv: Record<string, string>[] = parse((await results('csv')).out, { columns: true })
  const unread = csv.map((row) => `${row['unread_records']},${row['unread_actions']}`)
  expect(unread).toEqual(['0,0', '2,1', '1,1', '1,0'])
  const lines = (await results('ndjson')).out.trimEnd().split('\n')
  const counts = lines.map((one) => (JSON.parse(one) as { grade: { unread: unknown } }).grade.unread)
  expect(counts).toEqual(
    unread.map((one) => ({ records: Number(one.split(',')[0]), actions: Number(one.split(',')[1]) })),
  )
  expect([(await results('table')).code, (await results('table', '--strict')).code]).toEqual([0, 3])
})

test('--strict tells it before anything is graded, too', { timeout: 120_000 }, async () => {
  expect((await run('batch', jobs, '-g', truths, '--dry-run', '--strict')).code).toBe(3)
  const imported = await run('import', jobs, '-g', truths, '--strict', '--out', join(folder, 'trials.ndjson'))
  expect([imported.code, imported.err]).toEqual([3, expect.stringContaining('3 with unread records')])
})
