import { ServiceError } from '../../client/errors.ts'
import { followBatch, isSettled, waitsForWorker } from '../../client/persist.ts'
import { COMMAND_STOPPED } from '../../db/batches.ts'
import { count } from '../../domain/count.ts'
import type { Batch } from '../../schemas/batch.ts'
import { CliError, EXIT, type ExitCode, exitOfCounts, type Strictness, strictCode } from '../client/errors.ts'
import { asTyped } from '../client/program-name.ts'
import type { Session } from '../client/session.ts'
import { retryTime, roundText } from './progress.ts'
import { type OutputFormat, summary, writeResults } from './results-format.ts'
import { oneLine, paintFor, type ResultsTally } from './text.ts'

/** Follows a batch to its end, and writes its results. */
export async function finishBatch(session: Session, begun: Batch, strictness: Strictness = {}): Promise<ExitCode> {
  const batch = await watchBatch(session, begun)
  if (!isEnded(batch)) {
    tellRest(session, batch)
    return EXIT.parked
  }
  const unread = await printResults(session, batch)
  tellOverBudget(session, batch)
  return strictCode(exitOfCounts(batch.counts), strictness, unread.items)
}

/** Lists the claims of all rubrics of a batch, for the header of a CSV. Empty for other formats. */
export async function claimColumns(
  { client }: Pick<Session, 'client'>,
  format: OutputFormat,
  id: string,
  signal?: AbortSignal,
): Promise<string[]> {
  if (format !== 'csv') return []
  const rubrics = await client.batchRubrics(id, signal)
  return [...new Set(rubrics.flatMap(({ claims }) => claims.map((claim) => claim.id)))]
}

/** A worker that is started again announces its judges within this time. */
const WORKER_PATIENCE_MS = 20_000

/** A service that is started again takes the run lock within this time. */
const RUNNER_PATIENCE_S = 5

/** Calls `leave` once no process has run the batch of another process for five seconds. Returns the function that ends the watch. */
function watchRunner({ connection, follows }: Session, leave: () => void): () => void {
  if (!follows || !connection.embedded) return () => undefined
  let silent = 0
  const timer = setInterval(() => {
    silent = connection.hasRunner() ? 0 : silent + 1
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
  const { client, signal, view } = session
  const leaving = new AbortController()
  let leave: NodeJS.Timeout | undefined
  let shownRound = 0
  session.batch = begun
  const unwatch = watchRunner(session, () => leaving.abort())
  const longestLookMs = session.connection.embedded ? LONGEST_LOCAL_LOOK_MS : undefined
  const stopped = AbortSignal.any([signal, leaving.signal])
  try {
    for await (const next of followBatch(client.readBatch, begun.id, stopped, longestLookMs)) {
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

/** Writes the results. Prints the summary on stderr where the results are no table on stdout. Returns the unread records. */
export async function printResults(session: Session, batch: Batch): Promise<ResultsTally> {
  const { client, shell, target, format, skipped, signal } = session
  const claims = await claimColumns(session, format, batch.id, signal)
  const paint = paintFor(target.screen, shell.env)
  const tally = await writeResults(target, format, client.results(batch.id, signal), batch, paint, claims, skipped)
  await target.commit()
  if (format !== 'table' || target.screen !== shell.out) {
    const text = summary(batch, paintFor(shell.err, shell.env), tally, skipped)
    shell.err.write(`${batch.id}: ${text.replaceAll('\n', '\n  ')}\n`)
  }
  return tally
}

/** Resumes an open batch in this process. A running service goes on with its batches by itself. */
export async function goOn({ client, connection }: Session, batch: Batch): Promise<Batch> {
  if (!connection.embedded || isSettled(batch)) return batch
  try {
    return await client.resumeBatch(batch.id)
  } catch (error) {
    // The batch ended in between.
    if (error instanceof ServiceError && error.status === 409) return await client.readBatch(batch.id)
    throw error
  }
}

const isEnded = ({ status }: Batch): boolean => status === 'done' || status === 'cancelled'

/** Tells whether no process runs an open batch. */
export const isOrphan = ({ connection }: Pick<Session, 'connection'>, batch: Batch): boolean =>
  !isSettled(batch) && !connection.hasRunner()

/** Renders the state of a batch. A database stores no state of an interrupted batch: its run lock is free. */
export const stateOf = (session: Pick<Session, 'connection'>, batch: Batch): string =>
  batch.status === 'running' && isOrphan(session, batch) ? 'interrupted' : batch.status

/** Prints the reason why a batch rests, the time of the next try, and the command that goes on. Never resumes the batch. */
export function tellRest({ shell, connection }: Session, batch: Batch): void {
  const resume = `veridict resume ${batch.id}${connection.flag}`
  if (batch.status === 'parked') {
    const paint = paintFor(shell.err, shell.env)
    const lines = [
      `${paint('yellow', 'parked')}: ${oneLine(batch.parked_reason ?? 'no reason given')}`,
      ...parkedAdvice(batch, connection, resume),
      `Results so far: veridict results ${batch.id}${connection.flag}`,
    ]
    shell.err.write(asTyped(shell, `${lines.join('\n  ')}\n`))
  } else if (waitsForWorker(batch)) {
    const line = oneLine(batch.parked_reason ?? '')
    const advice =
      'Nothing is lost: the batch goes on by itself once `veridict serve` or `veridict worker` runs on this database with the judge.'
    const follow = `veridict status ${batch.id}${connection.flag} --follow`
    shell.err.write(asTyped(shell, `${line}\n  ${advice}\n  Follow: ${follow}\n`))
  } else if (isOrphan({ connection }, batch)) {
    shell.err.write(asTyped(shell, `no process runs this batch: go on with \`${resume}\`\n`))
  }
}

/** Prints the count of items over the budget, and the command that grades them. A cap parks no batch: such items have ended. */
export function tellOverBudget({ shell }: Pick<Session, 'shell'>, { failures, max_cost_usd }: Batch): void {
  const over = failures['budget_exceeded'] ?? 0
  if (over === 0) return
  const which = max_cost_usd === null ? 'a cap of the key or the day' : `--max-cost-usd ${max_cost_usd}`
  const next =
    max_cost_usd === null
      ? 'the same command once there is room under the cap'
      : 'the same command with a higher --max-cost-usd'
  const they = over === 1 ? 'it' : 'them'
  shell.err.write(
    asTyped(
      shell,
      `${count(over, 'item')} over the budget (${which}): ${next} grades ${they}; what is graded costs nothing\n`,
    ),
  )
}

function parkedAdvice(
  { resumes_at, parked_reason }: Batch,
  connection: Session['connection'],
  resume: string,
): string[] {
  if (resumes_at === null)
    return [
      `Nothing is lost. ${parked_reason === COMMAND_STOPPED ? 'Go on' : 'Once the cause is mended, go on'}: ${resume}`,
    ]
  if (!connection.hasRunner())
    return [`A service on this database tries again ${retryTime(resumes_at)}. If none runs, go on: ${resume}`]
  return [
    `Nothing is lost, and you need do nothing: it tries again by itself ${retryTime(resumes_at)}.`,
    `Sooner, once that is mended: ${resume}`,
  ]
}

/** Prints the id of a batch that goes on at a service, for `--detach`. */
export function tellDetached({ shell, connection }: Session, batch: Batch): ExitCode {
  shell.out.write(`${batch.id}\n`)
  shell.err.write(asTyped(shell, `Follow: veridict status ${batch.id}${connection.flag} --follow\n`))
  return EXIT.graded
}

/** Throws for a batch in this process, which would end with the process. */
export function requireServer({ connection }: Session): void {
  if (connection.embedded)
    throw new CliError('--detach needs a service that goes on: a batch in this process ends with it', [
      'Give --server URL, or leave --detach away.',
    ])
}
