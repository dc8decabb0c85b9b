import { Command, InvalidArgumentError } from 'commander'
import { waitsForYou } from '../../client/persist.ts'
import { count } from '../../domain/count.ts'
import type { Batch } from '../../schemas/batch.ts'
import {
  CliError,
  EXIT,
  type ExitCode,
  exitOfCounts,
  STRICT_UNREAD_HELP,
  type Strictness,
  strictCode,
} from '../client/cli-error.ts'
import { isOrphan, stateOf, tellOverBudget, tellRest } from '../client/known-batch.ts'
import { asTyped } from '../client/program-name.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { RESULTS_HELP } from '../input/command-help.ts'
import { type OutputOptions, type ServerOption, withOutput, withServer } from '../input/command-options.ts'
import { finishBatch, printResults, watchBatch } from '../output/batch-end.ts'
import { doneOf } from '../output/progress.ts'
import { writeBundle } from '../results/bundle.ts'
import { inspectNote, parseValues, writeInspectScores } from '../results/inspect-scores.ts'
import { RESULTS_FORMATS } from '../results/results-format.ts'
import { oneLine } from '../results/terminal-text.ts'

interface ResultsOptions extends OutputOptions, ServerOption, Strictness {
  readonly wait?: boolean
  readonly values?: ReadonlyMap<string, number>
}

export const resultsCommand = (shell: Shell): Command =>
  withServer(withOutput(new Command('results'), RESULTS_FORMATS))
    .description('write the results of a batch')
    .argument('<batch>', 'its id, as `veridict status` lists it')
    .option('-w, --wait', 'follow the batch to its end first')
    .option('--strict', STRICT_UNREAD_HELP)
    .option(
      '--values <label=number,…>',
      'with -o inspect: the numbers of labels; other labels stay unscored',
      readValues,
    )
    .addHelpText('after', RESULTS_HELP)
    .action((id: string, options: ResultsOptions) =>
      inSession(shell, { ...sessionOptions(options), database: 'read' }, (session) => results(session, id, options)),
    )

/** Leaves out the folder of a bundle: the session would open a file of that name. */
const sessionOptions = ({ out, ...options }: ResultsOptions) =>
  options.output === 'bundle' ? options : { ...options, ...(out !== undefined && { out }) }

async function results(session: Session, id: string, options: ResultsOptions): Promise<ExitCode> {
  const { client, shell, connection, signal, format } = session
  const isInspect = format === 'inspect'
  if (options.values !== undefined && !isInspect) throw new CliError('--values is for --output inspect')
  const found = await client.readBatch(id, signal)
  if (format === 'bundle') return await bundle(session, found, options)
  const rests = isOrphan(session, found)
  if (options.wait && !rests && !isInspect) return await finishBatch(session, found, options)
  const batch = options.wait && !rests ? await watchBatch(session, found) : found
  const unread = isInspect ? await printScores(session, batch, options) : (await printResults(session, batch)).items
  const open = batch.counts.total - doneOf(batch.counts)
  if (open > 0) {
    const state = `${open} of ${count(batch.counts.total, 'item')} ${open === 1 ? 'has' : 'have'} not ended (${stateOf(session, batch)})`
    const wait = `; wait for them: veridict results ${id}${connection.flag} --wait`
    shell.err.write(asTyped(shell, `${state}${rests || waitsForYou(batch) ? '' : wait}\n`))
  }
  tellRest(session, batch)
  tellOverBudget(session, batch)
  if ((rests && options.wait) || waitsForYou(batch)) return EXIT.parked
  return strictCode(exitOfCounts(batch.counts), options, unread)
}

async function bundle(session: Session, found: Batch, { wait, out }: ResultsOptions): Promise<ExitCode> {
  const batch = wait && !isOrphan(session, found) ? await watchBatch(session, found) : found
  const folder = out ?? `bundle-${batch.id}`
  await writeBundle(session, batch, folder)
  session.shell.out.write(`${oneLine(folder)}: ${count(batch.counts.total, 'item')}; manifest.json lists its files\n`)
  return EXIT.graded
}

/** Writes scores for Inspect. Returns the count of items with unread records. */
async function printScores(session: Session, batch: Batch, { values, out }: ResultsOptions): Promise<number> {
  const { client, target, shell, signal } = session
  let unread = 0
  async function* counted() {
    for await (const result of client.results(batch.id, signal)) {
      if ((result.grade?.unread?.records ?? 0) > 0) unread++
      yield result
    }
  }
  const lines = out?.toLowerCase().endsWith('.jsonl') ?? false
  const counts = await writeInspectScores(target, counted(), { values: values ?? null, lines })
  await target.commit()
  shell.err.write(`${batch.id}: ${inspectNote(counts)}\n`)
  return unread
}

function readValues(text: string): ReadonlyMap<string, number> {
  const values = parseValues(text)
  if (values === null)
    throw new InvalidArgumentError('It looks like aligned=1,compliant=0: each label once, with a number.')
  return values
}
