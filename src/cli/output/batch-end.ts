import { followBatch, waitsForYou } from '../../client/persist.ts'
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
    if (waitsForYou(batch)) {
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

/** Shows the states of a batch, and returns the last state. */
export async function watchBatch(session: Session, begun: Batch): Promise<Batch> {
  let batch = begun
  let told = 0
  session.batch = batch
  for await (const next of followBatch(session.client, begun.id, session.signal)) {
    batch = next
    session.batch = next
    if (next.round !== undefined && next.round.number !== told) session.view.note(`${next.id}: ${roundText(next)}`)
    told = next.round?.number ?? told
    session.view.show(next)
  }
  session.view.end()
  return batch
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
