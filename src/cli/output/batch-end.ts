import { followBatch, waitsForWorker, waitsForYou } from '../../client/persist.ts'
import type { Batch } from '../../schemas/batch.ts'
import { tellOverBudget, tellRest } from '../client/batch-state.ts'
import { EXIT, type ExitCode, exitOfCounts, type Strictness, strictCode } from '../client/errors.ts'
import type { Session } from '../client/session.ts'
import { roundText } from './progress.ts'
import { type OutputFormat, summary, writeResults } from './results-format.ts'
import { paintFor, type ResultsTally } from './text.ts'

/** Follows a batch to its end, and writes its results. */
export async function finishBatch(session: Session, begun: Batch, strictness: Strictness = {}): Promise<ExitCode> {
  session.batch = begun
  const watched = watchBatch(session, begun)
  const stop = new AbortController()
  const early = writeEarly(session, watched, stop.signal)
  // The file of a parked or abandoned batch is discarded. Faults of the writing are reported below.
  early?.catch(() => undefined)
  try {
    const batch = await watched
    if (waitsForYou(batch) || waitsForWorker(batch)) {
      tellRest(session, batch)
      return EXIT.parked
    }
    const unread = await printResults(session, batch, early)
    tellOverBudget(session, batch)
    return strictCode(exitOfCounts(batch.counts), strictness, unread.items)
  } finally {
    stop.abort()
    await early?.catch(() => undefined)
  }
}

/** Writes results while their batch runs in this process and the file is not visible yet; else null. */
function writeEarly(session: Session, watched: Promise<Batch>, stop: AbortSignal): Promise<ResultsTally> | null {
  const { connection, target, format, client, shell, signal, batch } = session
  if (!connection.embedded || !target.isHidden || batch === null) return null
  const until = AbortSignal.any([signal, stop])
  const results = client.results(batch.id, until, true)
  return claimColumns(session, format, batch.id, until).then((claims) =>
    writeResults(target, format, results, watched, paintFor(target.screen, shell.env), claims, session.skipped),
  )
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

/** Shows the states of a batch, and returns the last state. A batch that waits for a worker is followed for 20 seconds more. */
export async function watchBatch(session: Session, begun: Batch): Promise<Batch> {
  const { client, signal, view } = session
  const leaving = new AbortController()
  let leave: NodeJS.Timeout | undefined
  let told = 0
  session.batch = begun
  try {
    for await (const next of followBatch(client, begun.id, AbortSignal.any([signal, leaving.signal]))) {
      session.batch = next
      clearTimeout(leave)
      if (waitsForWorker(next)) leave = setTimeout(() => leaving.abort(), WORKER_PATIENCE_MS)
      if (next.round !== undefined && next.round.number !== told) view.note(`${next.id}: ${roundText(next)}`)
      told = next.round?.number ?? told
      view.show(next)
    }
  } catch (error) {
    if (!leaving.signal.aborted || signal.aborted) throw error
  } finally {
    clearTimeout(leave)
  }
  view.end()
  return session.batch
}

/**
 * Writes the results, unless they are `written`. Prints the summary on stderr where the results are no table on stdout. Returns the unread
 * records.
 */
export async function printResults(
  session: Session,
  batch: Batch,
  written: Promise<ResultsTally> | null = null,
): Promise<ResultsTally> {
  const { shell, client, target, format, signal } = session
  const paint = paintFor(target.screen, shell.env)
  const write = async () => {
    const claims = await claimColumns(session, format, batch.id, signal)
    return writeResults(target, format, client.results(batch.id, signal), batch, paint, claims, session.skipped)
  }
  const tally = await (written ?? write())
  await target.commit()
  if (format !== 'table' || target.screen !== shell.out) {
    const text = summary(batch, paintFor(shell.err, shell.env), tally, session.skipped)
    shell.err.write(`${batch.id}: ${text.replaceAll('\n', '\n  ')}\n`)
  }
  return tally
}
