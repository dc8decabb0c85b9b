import { followBatch, isSettled, waitsForWorker, waitsForYou } from '../client/persist.ts'
import { count } from '../domain/words.ts'
import type { Batch, BatchResult } from '../schemas/batch.ts'
import { COMMAND_STOPPED } from '../schemas/vocabulary.ts'
import { CliError, EXIT, type ExitCode, exitOfCounts, type Strictness, strictCode } from './errors.ts'
import { retryTime, roundText } from './output/progress.ts'
import { type OutputFormat, summary, writeResults } from './output/results-format.ts'
import { oneLine, paintFor, type ResultsTally } from './output/text.ts'
import { asTyped } from './program-name.ts'
import type { Connection, Session } from './session.ts'

/** Follows a batch to its end, and writes its results; or with `detach` prints its id. */
export async function finishBatch(
  session: Session,
  begun: Batch,
  options: Strictness & { readonly detach?: boolean } = {},
): Promise<ExitCode> {
  session.batch = begun
  if (options.detach === true) {
    session.data = begun
    await session.target.write(`${begun.id}\n`)
    tell(session, `Follow: veridict status ${begun.id}${session.flag} --follow`)
    return EXIT.graded
  }
  const batch = await watchBatch(session, begun)
  if (!isEnded(batch)) {
    session.data = { batch, results: [] }
    tellRest(session, batch)
    return EXIT.parked
  }
  const unread = await printResults(session, batch)
  tellOverBudget(session, batch)
  return strictCode(exitOfCounts(batch.counts), options, unread.items)
}

/** Writes a line for people, with hints as they are typed here, on stderr. */
export const tell = ({ shell }: Pick<Session, 'shell'>, ...lines: readonly string[]): void =>
  void shell.err.write(asTyped(shell, `${lines.join('\n  ')}\n`))

/** Lists the claims of all rubrics of a batch, for the header of a CSV. Empty for other formats. */
export async function claimColumns({ veridict, signal }: Session, format: OutputFormat, id: string): Promise<string[]> {
  if (format !== 'csv') return []
  const rubrics = await veridict.batchRubrics(id, { signal })
  return [...new Set(rubrics.flatMap(({ claims }) => claims.map((claim) => claim.id)))]
}

/** A worker that is started again announces its judges within this time. */
const WORKER_PATIENCE_MS = 20_000

/** A service that is started again takes the run lock within this time. */
const RUNNER_PATIENCE_S = 5

/** Calls `leave` once no process has run the batch of another process for five seconds. Returns the function that ends the watch. */
function watchRunner({ local, follows }: Session, leave: () => void): () => void {
  if (!follows || local === null) return () => undefined
  let silent = 0
  const timer = setInterval(() => {
    silent = local.hasRunner() ? 0 : silent + 1
    if (silent >= RUNNER_PATIENCE_S) leave()
  }, 1000)
  return () => clearInterval(timer)
}

/** A read of a local batch costs no call over HTTP. */
const LONGEST_LOCAL_LOOK_MS = 100

/**
 * Shows the states of a batch, and returns the last state. A batch that waits for a worker is followed for 20 seconds more, a batch of another
 * process for five seconds after the end of that process.
 */
export async function watchBatch(session: Session, begun: Batch): Promise<Batch> {
  const { veridict, local, signal, view } = session
  const leaving = new AbortController()
  let leave: NodeJS.Timeout | undefined
  let shownRound = 0
  session.batch = begun
  if (local?.runsElsewhere() === true && !isSettled(begun))
    view.note(`${begun.id}: ${runnerText(local.shares_batches)}`)
  const unwatch = watchRunner(session, () => leaving.abort())
  const stopped = AbortSignal.any([signal, leaving.signal])
  const read = (id: string, stop?: AbortSignal) => veridict.batch(id, { signal: stop })
  try {
    for await (const next of followBatch(read, begun.id, stopped, local === null ? undefined : LONGEST_LOCAL_LOOK_MS)) {
      session.batch = next
      clearTimeout(leave)
      if (waitsForWorker(next)) leave = setTimeout(() => leaving.abort(), WORKER_PATIENCE_MS)
      if (next.round !== undefined && next.round.number !== shownRound) view.note(`${next.id}: ${roundText(next)}`)
      shownRound = next.round?.number ?? shownRound
      view.show(next)
    }
  } catch (error) {
    if (!leaving.signal.aborted || signal.aborted) throw error
  } finally {
    clearTimeout(leave)
    unwatch()
  }
  view.end()
  return session.batch
}

const runnerText = (isShared: boolean): string =>
  isShared
    ? 'services and workers on this PostgreSQL run the batch; this command follows it'
    : 'another process runs the batches of this database (a service, or an earlier command); this command follows it'

/** Writes the results. Prints the summary on stderr where the results are no table on stdout. Returns the unread records. */
export async function printResults(session: Session, batch: Batch): Promise<ResultsTally> {
  const { veridict, shell, target, format, skipped, signal, json } = session
  const results: BatchResult[] = []
  async function* read(): AsyncGenerator<BatchResult> {
    for await (const result of veridict.results(batch.id, { signal })) {
      if (json) results.push(result)
      yield result
    }
  }
  session.data = { batch, results }
  const claims = await claimColumns(session, format, batch.id)
  const paint = paintFor(target.screen, shell.env)
  const tally = await writeResults(target, format, read(), batch, paint, claims, skipped)
  await target.commit()
  if (!json && (format !== 'table' || target.screen !== shell.out)) {
    const text = summary(batch, paintFor(shell.err, shell.env), tally, skipped)
    shell.err.write(`${batch.id}: ${text.replaceAll('\n', '\n  ')}\n`)
  }
  return tally
}

const isEnded = ({ status }: Batch): boolean => status === 'done' || status === 'cancelled'

/** Tells whether no process runs an open batch. */
export const isOrphan = ({ local }: Pick<Session, 'local'>, batch: Batch): boolean =>
  !isSettled(batch) && local?.hasRunner() === false

/** Renders the state of a batch. A database stores no state of an interrupted batch: its run lock is free. */
export const stateOf = (session: Pick<Session, 'local'>, batch: Batch): string =>
  batch.status === 'running' && isOrphan(session, batch) ? 'interrupted' : batch.status

/** Tells whether a command that looks at the batch exits as parked. `follows`: a batch that no process runs counts, too. */
export const restsFor = (session: Session, batch: Batch, follows: boolean): boolean =>
  waitsForYou(batch) || waitsForWorker(batch) || (follows && isOrphan(session, batch))

/** Prints the reason why a batch rests, the time of the next try, and the command that goes on. Never resumes the batch. */
export function tellRest(session: Session, batch: Batch): void {
  const { shell, flag } = session
  const named = `${batch.id}${flag}`
  const resume = `veridict resume ${named}`
  const reason = oneLine(batch.parked_reason ?? 'no reason given')
  if (batch.status === 'parked')
    tell(
      session,
      `${paintFor(shell.err, shell.env)('yellow', 'parked')}: ${reason}`,
      ...parkedAdvice(batch, session, resume),
      `Results so far: veridict results ${named}`,
    )
  else if (waitsForWorker(batch))
    tell(
      session,
      reason,
      'Nothing is lost: the batch goes on by itself once `veridict serve` or `veridict worker` runs on this database with the judge.',
      `Follow: veridict status ${named} --follow`,
    )
  else if (isOrphan(session, batch)) tell(session, `no process runs this batch: go on with \`${resume}\``)
}

function parkedAdvice({ resumes_at, parked_reason }: Batch, { local }: Connection, resume: string): string[] {
  if (resumes_at === null)
    return [
      `Nothing is lost. ${parked_reason === COMMAND_STOPPED ? 'Go on' : 'Once the cause is mended, go on'}: ${resume}`,
    ]
  if (local?.hasRunner() === false)
    return [`A service on this database tries again ${retryTime(resumes_at)}. If none runs, go on: ${resume}`]
  return [
    `Nothing is lost, and you need do nothing: it tries again by itself ${retryTime(resumes_at)}.`,
    `Sooner, once that is mended: ${resume}`,
  ]
}

/** Prints the count of items over the budget, and the command that grades them. A cap parks no batch: such items have ended. */
export function tellOverBudget(session: Pick<Session, 'shell'>, { failures, max_cost_usd }: Batch): void {
  const over = failures['budget_exceeded'] ?? 0
  if (over === 0) return
  const [which, next] =
    max_cost_usd === null
      ? ['a cap of the key or the day', 'the same command once there is room under the cap']
      : [`--max-cost-usd ${max_cost_usd}`, 'the same command with a higher --max-cost-usd']
  const they = over === 1 ? 'it' : 'them'
  tell(
    session,
    `${count(over, 'item')} over the budget (${which}): ${next} grades ${they}; what is graded costs nothing`,
  )
}

/** Throws for a batch in this process, which would end with the process. */
export function requireServer({ local }: Session): void {
  if (local !== null)
    throw new CliError('--detach needs a service that goes on: a batch in this process ends with it', [
      'Give --server URL, or leave --detach away.',
    ])
}
