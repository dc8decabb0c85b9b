import { Command, InvalidArgumentError, Option } from 'commander'
import { DATASETS, type Dataset } from '../../archives/labelled/labelled-item.ts'
import { waitsForYou } from '../../client/persist.ts'
import { decimal } from '../../domain/decimal.ts'
import type { Question } from '../../domain/validation/judged-item.ts'
import type { Certificate } from '../../schemas/audit/certificate.ts'
import type { Batch } from '../../schemas/batch.ts'
import { CliError } from '../client/cli-error.ts'
import type { RubricText } from '../client/client.ts'
import { EXIT, type ExitCode } from '../client/exit-codes.ts'
import { tellOverBudget, tellRest } from '../client/known-batch.ts'
import { type Session, withSession } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import {
  batchOptions,
  type GradingOptions,
  type ServerOption,
  withGrading,
  withServer,
} from '../input/command-options.ts'
import { unlessBroken } from '../input/sent-trials.ts'
import { openTrialStream } from '../input/trial-lines.ts'
import { watchBatch } from '../output/batch-end.ts'
import { runCommand } from '../output/error-text.ts'
import { estimateText } from '../output/estimate-text.ts'
import { oneLine, paintFor } from '../results/terminal-text.ts'
import { compareCertificates, DEFAULT_MARGIN, requirePair } from '../validation/against.ts'
import { buildCertificate } from '../validation/build-certificate.ts'
import { loadCertificate, saveCertificate } from '../validation/certificate-file.ts'
import { readJudged } from '../validation/judged.ts'
import {
  type DataSource,
  fitLabels,
  type LabelledData,
  labelledTrials,
  readLabels,
} from '../validation/labelled-data.ts'
import { questionsOf } from '../validation/questions.ts'
import { VALIDATE_HELP } from '../validation/validate-help.ts'
import { comparisonTable, validationTable } from '../validation/validation-table.ts'

interface ValidateOptions extends Omit<GradingOptions, 'detach'>, ServerOption {
  readonly output: 'table' | 'json'
  readonly save?: string
  readonly against?: string
  readonly margin: number
}

export const validateCommand = (shell: Shell): Command =>
  withServer(withGrading(new Command('validate'), { detaches: false }))
    .description('measure how a judge agrees with people, on runs that they labelled')
    .argument(
      '<data...>',
      `${Object.keys(DATASETS).join(', ')} and its PATH; or only FILE, NDJSON of requests with "human"`,
    )
    .addOption(
      new Option('-o, --output <format>', 'a table, or the certificate').choices(['table', 'json']).default('table'),
    )
    .option('--save <file>', 'write the certificate there')
    .option('--against <file>', 'an earlier certificate: are both judges right equally often?')
    .option('--margin <share>', 'how far apart still counts as equally often', parseMargin, DEFAULT_MARGIN)
    .addHelpText('after', VALIDATE_HELP)
    .action((data: string[], options: ValidateOptions, command: Command) => {
      const source = sourceOf(data)
      if (source === null)
        command.error(`error: give one of ${Object.keys(DATASETS).join(', ')} and its PATH, or one FILE`)
      else return runCommand(shell, () => validateIn(shell, source, options))
    })

function parseMargin(text: string): number {
  const margin = decimal(text)
  if (!(margin > 0 && margin < 1)) throw new InvalidArgumentError('It is a share between 0 and 1, like 0.05.')
  return margin
}

const isDataset = (name: string): name is Dataset => Object.hasOwn(DATASETS, name)

function sourceOf([first = '', path, ...more]: readonly string[]): DataSource | null {
  if (path === undefined) return isDataset(first) ? null : { dataset: null, path: first }
  return isDataset(first) && more.length === 0 ? { dataset: first, path } : null
}

const validateIn = (shell: Shell, source: DataSource, { output, ...options }: ValidateOptions): Promise<ExitCode> =>
  withSession(shell, { ...options, ...(options.dryRun && { database: 'look_any' }) }, (session) =>
    validate(session, source, { output, ...options }),
  )

/** What is known before a judge is asked. */
interface Prepared {
  readonly labelled: LabelledData
  readonly questions: readonly Question[]
  readonly answers: ReturnType<typeof fitLabels>
  readonly head: Pick<Certificate, 'data' | 'rubric'>
}

async function validate(session: Session, source: DataSource, options: ValidateOptions): Promise<ExitCode> {
  const { shell, view, target } = session
  await shell.checkPaths?.([source.path])
  const base = options.against === undefined ? null : await loadCertificate(options.against)
  const prepared = await prepare(session, source, options)
  if (base !== null) requirePair(base, prepared.head, options.against ?? '')
  if (options.dryRun) return await estimate(session, source, options, prepared.head.rubric.name)
  const batch = await watchBatch(session, await beginBatch(session, source, options, prepared))
  if (waitsForYou(batch)) {
    tellRest(session, batch)
    return EXIT.parked
  }
  const { labelled, questions, answers, head } = prepared
  const judged = await readJudged(session, batch, labelled.labels, answers)
  const certificate = buildCertificate(judged, { ...head, batch, questions, judge: options.judge ?? null })
  view.end()
  if (options.save !== undefined) await saveCertificate(shell, options.save, certificate)
  const compared = base === null ? null : compareCertificates(base, certificate, options.margin)
  const paint = paintFor(target.screen, shell.env)
  if (options.output === 'json') {
    await target.write(
      `${JSON.stringify(compared === null ? certificate : { ...certificate, against: compared }, null, 1)}\n`,
    )
  } else {
    await target.write(validationTable(certificate, paint))
    if (compared !== null) await target.write(comparisonTable(compared, paint))
  }
  await target.commit()
  tellOverBudget(session, batch)
  if (batch.counts.failed + batch.counts.cancelled > 0) return EXIT.failed
  return compared?.equivalent === false ? EXIT.unverified : EXIT.graded
}

async function prepare(session: Session, source: DataSource, options: ValidateOptions): Promise<Prepared> {
  const labelled = await readLabels(session, source)
  const { labels, digest, skipped } = labelled
  const named = options.rubric ?? labelled.rubric
  if (labels.size === 0)
    throw new CliError(`nothing to validate with: no labelled run was found in ${oneLine(source.path)}`, [
      '`veridict validate --help` says what DATA and PATH are.',
    ])
  if (named === null)
    throw new CliError('which rubric? No line names one', ['Give --rubric ID, or a member "rubric" in each line.'])
  const rubric = await session.client.readRubric(named, session.signal)
  const questions = questionsFor(rubric)
  const data = { name: source.dataset ?? 'requests', items: labels.size, skipped, digest }
  return {
    ...{ labelled, questions },
    answers: fitLabels(labels, questions),
    head: { data, rubric: { name: rubric.name, digest: rubric.digest } },
  }
}

function questionsFor(rubric: Partial<RubricText>): Question[] {
  const { claims, outcome } = rubric
  if (claims === undefined || outcome === undefined || claims.some(({ type }) => type === undefined))
    throw new CliError('this service does not say what its rubrics claim: it is older than this command')
  return questionsOf({ claims, outcome })
}

/** How all items are graded: the same rubric, judge and samples for all, so that the certificate is of one of each. */
const batchOf = (options: ValidateOptions, rubric: string) => ({ ...batchOptions(options), rubric })

const streamOf = (session: Session, source: DataSource) =>
  openTrialStream(() => labelledTrials(session, source), session.view)

/** Creates the batch of the data. */
async function beginBatch(
  session: Session,
  source: DataSource,
  options: ValidateOptions,
  { head }: Prepared,
): Promise<Batch> {
  const { client, signal } = session
  const stream = await streamOf(session, source)
  return await unlessBroken(stream, client.createBatch(batchOf(options, head.rubric.name), stream.items(), signal))
}

async function estimate(
  session: Session,
  source: DataSource,
  options: ValidateOptions,
  rubric: string,
): Promise<ExitCode> {
  const { client, target, view, signal } = session
  const stream = await streamOf(session, source)
  const estimated = await unlessBroken(stream, client.estimateBatch(batchOf(options, rubric), stream.items(), signal))
  view.end()
  await target.write(estimateText(estimated, options.output === 'json' ? 'ndjson' : 'table'))
  await target.commit()
  return EXIT.graded
}
