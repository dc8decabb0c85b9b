import { ServiceError } from '../../client/errors.ts'
import { isSettled, waitsForWorker } from '../../client/persist.ts'
import { count } from '../../domain/count.ts'
import type { Batch } from '../../schemas/batch.ts'
import { retryTime } from '../output/progress.ts'
import { oneLine, paintFor } from '../output/text.ts'
import { CliError, EXIT, type ExitCode } from './errors.ts'
import { asTyped } from './program-name.ts'
import type { Session } from './session.ts'

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

/** Tells whether an open batch rests: this process is no service, and no service is known. */
export const isOrphan = ({ connection }: Pick<Session, 'connection'>, batch: Batch): boolean =>
  connection.embedded && !isSettled(batch)

/** Renders the state of a batch. A database alone does not tell a running batch from an interrupted batch; counts do. */
export const stateOf = (session: Pick<Session, 'connection'>, batch: Batch): string =>
  isOrphan(session, batch) && batch.status === 'running' && batch.counts.running === 0 ? 'interrupted' : batch.status

/** Prints the reason why a batch rests, the time of the next try, and the command that goes on. Never resumes the batch. */
export function tellRest({ shell, connection }: Session, batch: Batch): void {
  const resume = `veridict resume ${batch.id}${connection.flag}`
  if (batch.status === 'parked') {
    const paint = paintFor(shell.err, shell.env)
    const lines = [
      `${paint('yellow', 'parked')}: ${oneLine(batch.parked_reason ?? 'no reason given')}`,
      ...parkedAdvice(batch, connection.embedded, resume),
      `What is done so far: veridict results ${batch.id}${connection.flag}`,
    ]
    shell.err.write(asTyped(shell, `${lines.join('\n  ')}\n`))
  } else if (waitsForWorker(batch)) {
    const line = oneLine(batch.parked_reason ?? '')
    const advice = 'Nothing is lost: the batch goes on when a process that runs batches here has the judge.'
    shell.err.write(asTyped(shell, `${line}\n  ${advice}\n  Go on from here: ${resume}\n`))
  } else if (isOrphan({ connection }, batch)) {
    const who =
      batch.counts.running > 0 ? 'this process does not run the batch; if no other does' : 'nobody runs this batch'
    shell.err.write(asTyped(shell, `${who}: go on with \`${resume}\`\n`))
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

function parkedAdvice({ resumes_at }: Batch, isEmbedded: boolean, resume: string): string[] {
  if (resumes_at === null) return [`Nothing is lost. When that is mended, go on: ${resume}`]
  if (isEmbedded)
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
