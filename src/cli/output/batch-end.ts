import type { Batch } from '../../schemas/batch.ts'
import { EXIT, type ExitCode, exitOfCounts, type Strictness, strictCode } from '../client/exit-codes.ts'
import { followBatch } from '../client/follow-batch.ts'
import { tellOverBudget, tellRest } from '../client/known-batch.ts'
import type { Session } from '../client/session.ts'
import { summary, writeResults } from '../results/results-format.ts'
import { paintFor } from '../results/terminal-text.ts'
import type { UnreadTally } from '../results/unread-text.ts'
import { waitsForYou } from './progress-meter.ts'
import { roundText } from './progress-text.ts'

/** Follows a batch to its end, shows it, and writes its results. */
export async function finishBatch(session: Session, begun: Batch, strictness: Strictness = {}): Promise<ExitCode> {
  const batch = await watchBatch(session, begun)
  if (waitsForYou(batch)) {
    tellRest(session, batch)
    return EXIT.parked
  }
  const unread = await printResults(session, batch)
  tellOverBudget(session, batch)
  return strictCode(exitOfCounts(batch.counts), strictness, unread.items)
}

/** The last state of a batch, after showing all before it. */
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

/** Results to the target; where that is no table, what they come to is told on stderr. Answers what could not be read. */
export async function printResults(
  { shell, client, target, format, signal }: Session,
  batch: Batch,
): Promise<UnreadTally> {
  const results = client.results(batch.id, signal)
  const unread = await writeResults(target, format, results, batch, paintFor(target.screen, shell.env))
  await target.commit()
  if (format !== 'table' || target.screen !== shell.out)
    shell.err.write(`${batch.id}: ${summary(batch, paintFor(shell.err, shell.env), unread).replaceAll('\n', '\n  ')}\n`)
  return unread
}
