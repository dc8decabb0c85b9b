import { type Command, InvalidArgumentError } from 'commander'
import { waitsForYou } from '../../client/persist.ts'
import { count } from '../../domain/words.ts'
import type { Batch } from '../../schemas/batch.ts'
import { CliError, EXIT, type ExitCode, exitOfCounts, requireBatchId, strictCode } from '../errors.ts'
import {
  finishBatch,
  isOrphan,
  printResults,
  restsFor,
  stateOf,
  tell,
  tellOverBudget,
  tellRest,
  watchBatch,
} from '../follow.ts'
import { RESULTS_HELP } from '../input/command-help.ts'
import { jsonCommand, type Options, withItems, withStrict } from '../input/command-options.ts'
import { writeBundle } from '../output/bundle.ts'
import { inspectNote, parseValues, writeInspectScores } from '../output/inspect-scores.ts'
import { doneOf } from '../output/progress.ts'
import { RESULTS_FORMATS } from '../output/results-format.ts'
import { oneLine } from '../output/text.ts'
import { inSession, type Session } from '../session.ts'
import type { Shell } from '../shell.ts'

interface ResultsOptions extends Options {
  readonly wait?: boolean
  readonly values?: ReadonlyMap<string, number>
}

export const resultsCommand = (shell: Shell): Command =>
  withStrict(withItems(jsonCommand('results', 'write the results of a batch'), RESULTS_FORMATS))
    .argument('<batch>', 'its id, as `veridict status` lists it')
    .option('-w, --wait', 'follow the batch to its end first')
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
  const { veridict, flag, signal, format } = session
  requireBatchId(id)
  if (options.values !== undefined && format !== 'inspect') throw new CliError('--values is for --output inspect')
  const first = await veridict.batch(id, { signal })
  session.follows = true
  const follows = options.wait === true && !isOrphan(session, first)
  if (follows && format !== 'inspect' && format !== 'bundle') return finishBatch(session, first, options)
  const batch = follows ? await watchBatch(session, first) : first
  if (format === 'bundle') return bundle(session, batch, options)
  const unread =
    format === 'inspect' ? await printScores(session, batch, options) : (await printResults(session, batch)).items
  const open = batch.counts.total - doneOf(batch.counts)
  if (open > 0) {
    const state = `${open} of ${count(batch.counts.total, 'item')} ${open === 1 ? 'has' : 'have'} not ended (${stateOf(session, batch)})`
    const isResting = isOrphan(session, batch) || waitsForYou(batch)
    tell(session, isResting ? state : `${state}; wait for them: veridict results ${id}${flag} --wait`)
  }
  tellRest(session, batch)
  tellOverBudget(session, batch)
  return restsFor(session, batch, options.wait === true)
    ? EXIT.parked
    : strictCode(exitOfCounts(batch.counts), options, unread)
}

async function bundle(session: Session, batch: Batch, { out }: ResultsOptions): Promise<ExitCode> {
  const folder = out ?? `bundle-${batch.id}`
  await writeBundle(session, batch, folder)
  session.shell.out.write(`${oneLine(folder)}: ${count(batch.counts.total, 'item')}; manifest.json lists its files\n`)
  return EXIT.graded
}

/** Writes scores for Inspect. Returns the count of items with unread records. */
async function printScores(session: Session, batch: Batch, { values, out }: ResultsOptions): Promise<number> {
  const { veridict, target, signal } = session
  let unread = 0
  async function* counted() {
    for await (const result of veridict.results(batch.id, { signal })) {
      if ((result.grade?.unread?.records ?? 0) > 0) unread++
      yield result
    }
  }
  const lines = out?.toLowerCase().endsWith('.jsonl') ?? false
  const counts = await writeInspectScores(target, counted(), { values: values ?? null, lines })
  await target.commit()
  tell(session, `${batch.id}: ${inspectNote(counts)}`)
  return unread
}

function readValues(text: string): ReadonlyMap<string, number> {
  const values = parseValues(text)
  if (values === null)
    throw new InvalidArgumentError('It looks like aligned=1,compliant=0: each label once, with a number.')
  return values
}
