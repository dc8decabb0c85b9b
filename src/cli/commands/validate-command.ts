import { basename } from 'node:path'
import { EXIT } from '../errors.ts'
import { overBudgetText, watchToEnd } from '../follow.ts'
import { GRADING, type Options, option, output, parseShare, settingsOf } from '../options.ts'
import { jsonText } from '../output/grade-text.ts'
import { estimateAnswer } from '../output/results-format.ts'
import { present } from '../output/text.ts'
import { sessionCommand } from '../session.ts'
import { checkPaths, openTrialStream, readTrialsOf, requireNames } from '../trials.ts'
import {
  buildCertificate,
  certificateText,
  compareWith,
  comparisonText,
  readEarlier,
} from '../validation/certificate.ts'
import { firstRubric, labelledRuns, readJudged } from '../validation/labelled.ts'

type ValidateOptions = Options & { readonly against?: string; readonly margin: number }

export const validate = sessionCommand<ValidateOptions, [file: string]>(
  'validate',
  {
    args: { '<file>': 'NDJSON, a labelled run a line' },
    options: [
      ...GRADING,
      ...output(['table', 'json'], 'a table, or the certificate'),
      option('--against <file>', 'an earlier certificate: test whether both judges are right equally often'),
      option('--margin <share>', 'the largest difference that counts as equal', parseShare, 0.05),
    ],
    database: 'make',
  },
  async (session, { against, margin, ...options }, file) => {
    const { veridict, view, signal, format } = session
    await checkPaths([file], against === undefined ? [] : [against])
    const earlier = against === undefined ? null : readEarlier(against)
    await requireNames(session, options)
    const rubric = await veridict.readRubric(options.rubric ?? (await firstRubric(session, file)), { signal })
    const runs = labelledRuns(basename(file), rubric, earlier)
    const sent = { ...settingsOf(options), rubric: rubric.name, signal }
    const { send } = openTrialStream(() => runs.read(readTrialsOf(session, [file], { rubric: rubric.name })), view)
    if (options.dry_run)
      return estimateAnswer(session, await send((items) => veridict.estimateBatch(items, sent)), options.judge)
    const batch = await watchToEnd(session, await send((items) => veridict.createBatch(items, sent)))
    const certificate = buildCertificate(await readJudged(session, batch, runs.labels), batch, runs)
    const compared = earlier && compareWith(earlier, certificate, margin)
    const data = { ...certificate, ...(compared && { against: compared }) }
    const text = certificateText(certificate, batch) + (compared ? comparisonText(compared) : '')
    const isFailed = batch.counts.failed + batch.counts.cancelled > 0
    return {
      data,
      text: format === 'json' ? jsonText(data) : text,
      notes: present([overBudgetText(batch)]),
      code: isFailed ? EXIT.failed : compared?.equivalent === false ? EXIT.unverified : EXIT.graded,
    }
  },
)
