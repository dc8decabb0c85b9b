import { createHash, type Hash } from 'node:crypto'
import { appendFile, lstat, mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ServiceError } from '../../client/errors.ts'
import { isSettled, waitsForWorker } from '../../client/persist.ts'
import { defined } from '../../domain/result.ts'
import { count } from '../../domain/words.ts'
import { VERSION } from '../../grading/software.ts'
import type { RegradeRequest } from '../../schemas/agreement.ts'
import type { Batch } from '../../schemas/batch.ts'
import { BATCH_STATUSES, type BatchStatus, GRADE_STATUSES } from '../../schemas/vocabulary.ts'
import * as f from '../follow.ts'
import * as o from '../options.ts'
import { csvRows, type LabelValues, parseValues, summary, withReplies } from '../output/results-format.ts'
import { doneOf, inOrder, roundText } from '../output/screen.ts'
import * as t from '../output/text.ts'
import { type Answer, type Session, sessionCommand } from '../session.ts'
import { CliError, EXIT, exitOfCounts, unwritable } from '../shell.ts'

type StatusOptions = o.Options & { readonly status?: BatchStatus; readonly limit: number; readonly follow?: boolean }
const MOST_LISTED = 200

export const status = sessionCommand<StatusOptions, [id?: string]>('status', {
  args: { '[batch]': 'its id or name' },
  options: [
    o.option('-f, --follow', 'show the batch until it ends'),
    o.choice('--status <status>', 'list only batches of this status', BATCH_STATUSES),
    o.option('--limit <n>', `the number of batches to list, at most ${MOST_LISTED}`, o.wholeNumber(MOST_LISTED), 20),
  ],
  async work(session, { status, limit, follow }, id) {
    if (id !== undefined) return showBatch(session, id, follow)
    if (follow)
      throw new CliError('which batch? --follow shows one until it ends', [
        'Give its id: `veridict status` lists the batches.',
      ])
    const { items, next_cursor } = await session.veridict.batches({ limit, ...defined({ status }) })
    const table = t.tableOf<Batch>([
      ['batch', 30, ({ id }) => id],
      ['status', 11, (batch) => f.stateOf(session, batch)],
      ['done', 13, ({ counts }) => `${doneOf(counts)}/${counts.total}`],
      ['failed', 6, ({ counts }) => String(counts.failed)],
      ['cost', 15, costCell],
      ['created', 24, ({ created_at }) => created_at],
      ['kind', 7, ({ kind }) => kind],
      ['name', 0, ({ name }) => t.clip(name ?? '', 40)],
    ])
    await t.writeRows(session, items, { table })
    return { data: items, notes: [next_cursor === null ? '' : 'There are more: --limit shows them.'] }
  },
})

const costCell = ({ cost_usd, uncertain_usd }: Batch): string => {
  const shown = cost_usd === null ? '?' : t.dollars(cost_usd)
  return uncertain_usd > 0 ? `${shown} (+${t.dollars(uncertain_usd)}?)` : shown
}

async function showBatch(session: Session, id: string, follow = false): Promise<Answer> {
  const batch = await f.lookAt(session, id, follow)
  const name = batch.name === null ? '' : ` ${t.oneLine(batch.name)}`
  const begun = f.isOrphan(session, batch) ? 'begun' : 'created'
  // The time of a state before the end is not stored.
  const since = batch.finished_at === null ? `, ${begun} ${batch.created_at}` : ` since ${batch.finished_at}`
  const wait = waitsForWorker(batch) ? ` (${t.oneLine(batch.parked_reason ?? '')})` : ''
  const state = `${batch.id}${name}: ${f.stateOf(session, batch)}${wait}${since}`
  const text = t.present([state, summary(batch), roundText(batch)]).join('\n')
  const code = f.restsFor(session, batch, follow) ? EXIT.parked : exitOfCounts(batch.counts)
  return { data: batch, text: `${text}\n`, notes: [f.restText(session, batch)], code }
}

type ResultsOptions = o.Options & { readonly wait?: boolean; readonly values?: LabelValues }

export const results = sessionCommand<ResultsOptions, [id: string]>('results', {
  args: o.BATCH,
  options: [
    ...[...o.output(o.RESULTS_FORMATS), o.STRICT_UNREAD],
    o.option('-w, --wait', 'follow the batch to its end first'),
    o.option('--values <label=number,…>', 'with -o inspect: numbers of labels; others stay unscored', parseValues),
  ],
  async work(session, { out, ...options }, id) {
    const { format } = session
    if (options.values !== undefined && format !== 'inspect') throw new CliError('--values is for --output inspect')
    if (format === 'inspect' && out?.toLowerCase().endsWith('.jsonl') === false)
      throw new CliError('Inspect reads JSON lines from a file whose name ends in .jsonl')
    const batch = await f.lookAt(session, id, options.wait)
    if (format !== 'bundle') return f.writeEnds(session, batch, options, options.wait === true)
    const folder = out ?? `bundle-${batch.id}`
    await writeBundle(session, batch, folder)
    const items = count(batch.counts.total, 'item')
    return { data: { batch, folder }, text: `${t.oneLine(folder)}: ${items}; manifest.json lists its files\n` }
  },
})

export const resume = sessionCommand<o.Options, [id: string]>('resume', {
  args: o.BATCH,
  options: [...o.ITEMS, o.DETACH, o.STRICT_UNREAD],
  async work(session, options, id) {
    const { veridict, view, local } = session
    const before = await veridict.batch(id)
    const isParked = before.status === 'parked'
    // A running service goes on with its open batches by itself.
    const goesOn = isParked || (local !== null && !isSettled(before))
    const now = goesOn ? await veridict.resume(id) : before
    if (!isParked) view.note(`${id} is not parked: it is ${before.status}`)
    return f.finishBatch(session, now, options)
  },
})

export const cancel = sessionCommand<o.Options, [id: string]>('cancel', {
  args: o.BATCH,
  async work(session, _options, id) {
    const { veridict } = session
    const before = await veridict.batch(id)
    if (f.isEnded(before))
      throw new CliError(`${id} has ended already: it is ${before.status}`, [`Its results: veridict results ${id}`])
    const ended = await f.watchBatch(session, await veridict.cancel(id))
    const { total, ...counts } = ended.counts
    return { data: ended, text: `${id} is ${ended.status}: ${count(total, 'item')} · ${t.tally(counts)}\n` }
  },
})

type Was = Readonly<{ grade?: string[]; judge_was?: string; rubric_was?: string; recheck?: boolean }>
type RegradeOptions = o.Options & Pick<RegradeRequest['query'], 'label' | 'status'> & Was

const STORED = [
  o.option('-b, --batch <id>', 'grades of this batch'),
  o.option('--grade <id>', 'this grade; may be repeated', o.collect),
  o.option('--label <label>', 'grades with this label of their rubric'),
  o.choice('--status <status>', 'grades of this status', GRADE_STATUSES),
  o.option('--judge-was <name>', 'grades of this judge'),
  o.option('--rubric-was <id>', 'grades under this rubric, id@version or an id for all of its versions'),
  ...o.filters('agent', 'model', 'task'),
]
const RECHECK = o.option('--recheck', 'check the stored replies again under today’s evidence rules; no judge is asked')

export const regrade = sessionCommand<RegradeOptions>('regrade', {
  options: [...STORED, ...o.GRADING, o.DETACH, ...o.ITEMS, RECHECK],
  async work(session, options) {
    const { veridict, view, flag, json } = session
    const request = regradeRequest(options)
    if (options.dry_run) return f.estimateAnswer(session, await veridict.estimateRegrade(request), options.judge)
    const begun = await veridict.regrade(request)
    view.note(`${begun.id}: ${count(begun.counts.total, 'item')}; items without a grade and equal items are left out`)
    const answer = await f.finishBatch(session, begun, options)
    if (json || options.detach || answer.code === EXIT.parked) return answer
    return { ...answer, notes: [...(answer.notes ?? []), `What changed: veridict compare ${begun.id}${flag}`] }
  },
})

function regradeRequest(options: RegradeOptions): RegradeRequest {
  const { grade: ids, judge_was, rubric_was, recheck } = options
  const query = {
    ...o.chosen(options, 'batch', 'label', 'status', 'agent', 'model', 'task'),
    ...defined({ ids, judge: judge_was, rubric: rubric_was }),
  }
  if (Object.keys(query).length === 0)
    throw new CliError('which grades? Nothing chooses them', [
      'Give --batch ID, or any of --grade --label --status --judge-was --rubric-was --agent --model --task.',
    ])
  return { query, ...o.settingsOf(options), ...(recheck && { recheck }) }
}

type Write = (name: string, text: string) => Promise<void>

/** Writes the bundle of a batch (`results --help`). Throws a CliError for a batch that has not ended, and for a folder that exists. */
async function writeBundle(session: Session, batch: Batch, folder: string): Promise<void> {
  if (!f.isEnded(batch))
    throw new CliError(`${batch.id} has not ended (${batch.status}): a bundle holds all of its items`, [
      `Follow it to its end: veridict status ${batch.id}${session.flag} --follow`,
    ])
  const { veridict, signal, view } = session
  const grades = new Set<string>()
  const calls = new Set<string>()
  /** The digests of rubrics in grades, by name; null: no grade is of the rubric. */
  const rubrics = new Map<string, string | null>()
  const readGrade = (id: string) => Promise.all([veridict.readGrade(id, { signal }), veridict.calls(id, { signal })])
  const head = { kind: 'veridict-bundle', software: `veridict ${VERSION}`, batch: batch.id }
  await createFolder(folder, head, async (write) => {
    await write('batch.json', t.jsonText(batch))
    const csv = csvRows(await f.claimColumns(session, batch.id))
    await write('results.csv', csv.head())
    for await (const result of veridict.results(batch.id, { signal })) {
      if (result.grade_id !== null) grades.add(result.grade_id)
      if (result.rubric != null) rubrics.set(result.rubric, null)
      await write('results.ndjson', t.line(result))
      await write('results.csv', csv.row(result))
    }
    await write('findings.json', t.jsonText(await veridict.findings(batch.id)))
    let written = 0
    for await (const [grade, entries] of inOrder(grades, readGrade)) {
      const { attempts, rubric, rubric_digest } = grade.receipt
      await write('grades.ndjson', t.line(withReplies(grade, entries)))
      for (const { id } of attempts) calls.add(id)
      rubrics.set(rubric, rubric_digest)
      view.doing(`${++written} of ${count(grades.size, 'grade')}`)
    }
    for await (const call of veridict.batchCalls(batch.id, { signal }))
      if (!calls.has(call.id)) await write('other-calls.ndjson', t.line(call))
    for (const [rubric, digest] of rubrics) await writeRubric(session, rubric, digest, write)
  })
}

/** Writes a rubric as it is loaded now; a rubric that differs from the digest of the grades is left out. */
async function writeRubric({ veridict, signal }: Session, name: string, digest: string | null, write: Write) {
  const rubric = await veridict.readRubric(name, { signal }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return null
    throw error
  })
  if (rubric === null || (digest !== null && rubric.digest !== digest)) return
  await write(`rubrics/${rubric.name.replaceAll(/[^\w@.-]/g, '_')}.json`, t.jsonText(rubric))
}

/** Creates a folder, readable by its owner alone, that takes its name when its files and their manifest are whole. An existing folder is never touched. */
async function createFolder(folder: string, head: object, work: (write: Write) => Promise<void>): Promise<void> {
  const path = resolve(folder)
  const partial = join(dirname(path), `.${basename(path)}.partial-${crypto.randomUUID()}`)
  const files = new Map<string, { bytes: number; readonly hash: Hash }>()
  const write: Write = async (name, text) => {
    const file = files.get(name) ?? { bytes: 0, hash: createHash('sha256') }
    files.set(name, file)
    file.bytes += Buffer.byteLength(text)
    file.hash.update(text)
    await appendFile(join(partial, name), text, { mode: 0o600 })
  }
  const refuseExisting = async () => {
    if ((await lstat(path).catch(() => null)) !== null)
      throw new CliError(`${path} is there already, and is not overwritten`, ['Give --out another folder.'])
  }
  await refuseExisting()
  try {
    await mkdir(partial, { mode: 0o700 })
    await mkdir(join(partial, 'rubrics'))
    await work(write)
    const listed = [...files].map(([name, { bytes, hash }]) => ({ name, bytes, sha256: hash.digest('hex') }))
    await write('manifest.json', t.jsonText({ ...head, files: listed.sort((a, b) => (a.name < b.name ? -1 : 1)) }))
    await refuseExisting()
    await rename(partial, path)
  } catch (error) {
    throw unwritable(path, error, 'Give --out a new folder inside one that exists.')
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}
