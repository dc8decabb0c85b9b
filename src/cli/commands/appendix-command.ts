import { Command } from 'commander'
import { ServiceError } from '../../client/errors.ts'
import { waitsForYou } from '../../client/persist.ts'
import { count } from '../../domain/count.ts'
import { VERSION } from '../../grading/software.ts'
import type { Batch, BatchResult } from '../../schemas/batch.ts'
import type { AttemptSummary, BatchCall, Grade, LedgerEntry } from '../../schemas/grade.ts'
import { CliError } from '../client/cli-error.ts'
import type { Client, RubricText } from '../client/client.ts'
import { EXIT, type ExitCode } from '../client/exit-codes.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { APPENDIX_HELP } from '../input/command-help.ts'
import { type ServerOption, withServer } from '../input/command-options.ts'
import { inOrder } from '../input/in-order.ts'
import { line } from '../input/ndjson.ts'
import { AppendixFolder } from '../results/appendix-folder.ts'
import { type Prompt, renderPage } from '../results/appendix-page.ts'
import { AppendixTally, limitsSent } from '../results/appendix-tally.ts'
import { fullGrade, rawOf } from '../results/show-receipt.ts'

interface AppendixOptions extends ServerOption {
  readonly out?: string
}

/** One item with what stands behind it. */
interface Evidence {
  readonly result: BatchResult
  readonly grade: Grade | null
  readonly calls: readonly LedgerEntry[]
}

export const appendixCommand = (shell: Shell): Command =>
  withServer(new Command('appendix'))
    .description(
      'write what a paper’s appendix needs of a batch: prompt, settings, counts, failures, raw replies, digests',
    )
    .argument('<batch>', 'its id, as `veridict status` lists it')
    .option('--out <folder>', 'the folder to make (default: appendix-BATCH); one that is there is never overwritten')
    .addHelpText('after', APPENDIX_HELP)
    .action((id: string, { out, ...options }: AppendixOptions) =>
      inSession(shell, { ...options, database: 'read' }, (session) => write(session, id, out ?? `appendix-${id}`)),
    )

async function write(session: Session, id: string, path: string): Promise<ExitCode> {
  const { client, shell, signal } = session
  const batch = await client.readBatch(id, signal)
  requireEnded(session, batch)
  const folder = await AppendixFolder.create(path)
  try {
    const tally = await writeItems(session, batch, folder)
    const prompts = await writePrompts(client, tally, folder, signal)
    const judges = tally.ungraded.length === 0 ? [] : (await client.listJudges()).items
    await folder.write('batch.json', pretty(batch))
    const settings = tally.settings().map((made) => ({
      ...{ grades: made.grades, items: made.items },
      output_limits_sent: limitsSent(made),
      ...made.setting,
    }))
    if (settings.length > 0) await folder.write('settings.json', pretty(settings))
    await folder.write(
      'appendix.md',
      renderPage({ batch, tally, prompts, judges, files: folder.written(), version: VERSION }),
    )
    await folder.write('SHA256SUMS', sums(folder))
    await folder.commit()
    shell.out.write(`${path}: ${count(batch.counts.total, 'item')}; begin with ${path}/appendix.md\n`)
  } finally {
    await folder.discard()
  }
  return EXIT.graded
}

/** What is counted has to be whole. */
function requireEnded({ connection }: Session, batch: Batch): void {
  const { id, status } = batch
  if (status === 'done' || status === 'cancelled') return
  const named = `${id}${connection.flag}`
  throw new CliError(`${id} has not ended (${status}): an appendix counts all of its items`, [
    connection.embedded || waitsForYou(batch)
      ? `Let it go on: veridict resume ${named}`
      : `Follow it to its end: veridict status ${named} --follow`,
    `Or end it as it is: veridict cancel ${named}`,
  ])
}

/** Of each grade of the batch: the items that it answers, and whether it was made for one of them. */
type Answers = Map<string, { readonly item_ids: string[]; isMadeHere: boolean }>

async function readAnswers({ client, signal }: Session, batch: string): Promise<Answers> {
  const answers: Answers = new Map()
  for await (const { item_id, grade_id, cached } of client.results(batch, signal)) {
    if (grade_id === null) continue
    const known = answers.get(grade_id) ?? { item_ids: [], isMadeHere: false }
    known.item_ids.push(item_id)
    known.isMadeHere ||= !cached
    answers.set(grade_id, known)
  }
  return answers
}

async function writeItems(session: Session, batch: Batch, folder: AppendixFolder): Promise<AppendixTally> {
  const tally = new AppendixTally()
  const answers = await readAnswers(session, batch.id)
  for await (const evidence of readEvidence(session, batch.id)) {
    const { result, grade, calls } = evidence
    const answered = grade === null ? undefined : answers.get(grade.id)
    tally.addItem(result, grade, answered?.isMadeHere === true)
    await folder.write('items.ndjson', line(itemOf(evidence)))
    if (result.status !== 'graded') await folder.write('failures.ndjson', line(failureOf(evidence)))
    if (grade !== null && tally.addGrade(grade)) {
      await folder.write('grades.ndjson', line(fullGrade(grade, null)))
      for (const attempt of grade.receipt.attempts)
        if (tally.addCall(attempt, grade))
          await writeReply(folder, tally, replyOf(attempt, grade, calls, answered?.item_ids ?? [result.item_id]))
    }
    session.view.doing(`${tally.trials.length} of ${count(batch.counts.total, 'item')}`)
  }
  for await (const call of session.client.batchCalls(batch.id, session.signal))
    if (tally.addLoose(call)) await writeReply(folder, tally, looseReplyOf(call))
  return tally
}

async function writeReply(folder: AppendixFolder, tally: AppendixTally, reply: Reply): Promise<void> {
  if (reply.raw_reply === null) tally.without_raw_reply += 1
  await folder.write('replies.ndjson', line(reply))
}

/** How many items are read at once. */
const AT_ONCE = 8

const readEvidence = ({ client, signal }: Session, batch: string): AsyncGenerator<Evidence> =>
  inOrder(client.results(batch, signal), AT_ONCE, (result) => readOne(client, result, signal))

async function readOne(client: Client, result: BatchResult, signal: AbortSignal): Promise<Evidence> {
  if (result.grade_id === null) return { result, grade: null, calls: [] }
  const [grade, calls] = await Promise.all([
    client.readGrade(result.grade_id, signal),
    client.readCalls(result.grade_id, signal),
  ])
  return { result, grade, calls }
}

/** An item with the digests of the data that it is about. */
function itemOf({ result, grade }: Evidence) {
  const { item_id, index, status, label, judge, grade_id, cached, metadata } = result
  const {
    key = null,
    trajectory = null,
    ground_truth = null,
    rubric = null,
    rubric_digest = null,
  } = grade?.receipt ?? {}
  return {
    ...{ item_id, index, status, label, confidence: grade?.confidence.reported ?? null, judge },
    ...{ grade_id, cached, key, trajectory, ground_truth, rubric, rubric_digest, metadata },
  }
}

function failureOf({ result, grade }: Evidence) {
  const { item_id, status, judge, failure, grade_id } = result
  return {
    ...{ item_id, status, judge, grade_id },
    ...(failure !== null && { failure }),
    ...(status === 'cancelled' && { reason: 'the batch was cancelled before the item was graded' }),
    ...(grade !== null && { claimed_label: grade.claimed_label, unmet: grade.unmet }),
  }
}

type Reply = ReturnType<typeof replyOf> | ReturnType<typeof looseReplyOf>

/** A call that a grade rests on. */
const replyOf = (
  attempt: AttemptSummary,
  { id, receipt }: Grade,
  calls: readonly LedgerEntry[],
  item_ids: readonly string[],
) => ({
  belongs_to: 'grade',
  ...{ item_ids, grade_id: id, attempt_id: attempt.id, judge: receipt.judge },
  ...{ sample: attempt.sample, round: attempt.round, purpose: attempt.purpose, outcome: attempt.outcome },
  request_id: attempt.request_id,
  request_digest: attempt.request_digest ?? null,
  reply_digest: attempt.reply_digest ?? null,
  raw_reply: rawOf(attempt, calls),
})

/** A call of the batch that none of its grades rests on. */
const looseReplyOf = (call: BatchCall) => ({
  belongs_to: call.grade_id === null ? 'no grade' : 'a grade outside of this batch',
  ...{ item_ids: [], grade_id: call.grade_id, attempt_id: call.id, judge: call.judge },
  ...{ sample: call.sample, round: call.round, purpose: call.purpose, outcome: call.outcome },
  request_id: call.request_id,
  request_digest: call.request_digest,
  reply_digest: call.reply_digest ?? null,
  raw_reply: call.raw_reply ?? null,
})

/** The prompts of the rubrics by which was graded, as far as they are still what they were, and of those by which was to be. */
async function writePrompts(
  client: Client,
  tally: AppendixTally,
  folder: AppendixFolder,
  signal: AbortSignal,
): Promise<Map<string, Prompt>> {
  const digests = new Map<string, string | null>()
  for (const { setting } of tally.settings())
    if (!digests.has(setting.rubric)) digests.set(setting.rubric, setting.rubric_digest)
  for (const { rubric } of tally.ungraded) if (rubric !== null && !digests.has(rubric)) digests.set(rubric, null)
  const prompts = new Map<string, Prompt>()
  for (const [name, digest] of digests) {
    const loaded = await readRubric(client, name, signal)
    const rubric = digest === null || loaded?.digest === digest ? loaded : null
    prompts.set(name, { rubric, isUsed: digest !== null })
    if (rubric === null) continue
    const place = `prompt/${rubric.name.replaceAll(/[^\w@.-]/g, '_')}`
    await folder.write(`${place}/system.md`, rubric.system)
    await folder.write(`${place}/question.md`, rubric.question)
    await folder.write(`${place}/answer-schema.json`, pretty(rubric.answer_schema))
  }
  return prompts
}

const readRubric = (client: Client, name: string, signal: AbortSignal): Promise<RubricText | null> =>
  client.readRubric(name, signal).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return null
    throw error
  })

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** As `sha256sum -c` reads them. */
const sums = (folder: AppendixFolder): string =>
  folder
    .written()
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .join('')
