import { waitsForYou } from '../../client/persist.ts'
import { CliError, EXIT, type ExitCode } from '../errors.ts'
import { tellOverBudget, tellRest, watchBatch } from '../follow.ts'
import { batchOptions, GRADING, type Options, output, parseShare, SERVER } from '../options.ts'
import { writeEstimate } from '../output/results-format.ts'
import { oneLine } from '../output/text.ts'
import { SERVER_HELP, type Session, sessionCommand } from '../session.ts'
import { checkPaths, openTrialStream } from '../trials.ts'
import {
  buildCertificate,
  certificateText,
  compareWith,
  comparisonText,
  readEarlier,
  readJudged,
} from '../validation/certificate.ts'
import { type LabelledData, questionsOf, readLabelled, readLabels, requireFit } from '../validation/labelled-lines.ts'

interface ValidateOptions extends Options {
  readonly against?: string
  readonly margin: number
}

export const validate = sessionCommand<ValidateOptions, [file: string]>(
  {
    name: 'validate',
    about: 'measure how a judge agrees with people, on runs that they labelled',
    args: { '<file>': 'NDJSON, a labelled run a line' },
    options: [
      ...GRADING,
      ...output(['table', 'json'], 'a table, or the certificate'),
      SERVER,
      ['--against <file>', 'an earlier certificate: test whether both judges are right equally often'],
      ['--margin <share>', 'the largest difference that counts as equal', parseShare, 0.05],
    ],
    help: [
      `Grades runs that people labelled, as \`veridict batch\` does, and measures how often the judge is right. Run again after an interruption:
graded items cost nothing.`,
      `FILE is NDJSON, a labelled run a line: a named grade request with a member "human".
  {"item_id": "run-1", "rubric": "tab-behavior@2", "trajectory": {"steps": […]},
   "ground_truth": {"instruction": "…", "cue": {"text": "…"}}, "metadata": {"task": "t1", "variant": "v1"},
   "human": {"outcome": "aligned", "claims": {"cue.acted": true}}}
"human" holds the label (outcome), answers by claim (claims), or both. Runs of one metadata.task are one cluster; metadata.variant
makes groups. \`npm run --silent labelled -- KIND FOLDER\` of the repository writes such lines from published data sets.`,
      'The certificate (-o json) holds judge, resolved models, rubric digest, data digest, all measures, and the answers of each item.',
      SERVER_HELP,
      'Exit codes: 0 measured, 1 bad input or no service, 2 --against: equivalence is not shown, 3 an item failed or was cancelled, 4 the batch is parked, 130 interrupted',
      'Example:\n  veridict validate labelled.ndjson -j openai --max-cost-usd 20 -o json --out openai.json',
    ],
  },
  measure,
)

async function measure(session: Session, options: ValidateOptions, file: string): Promise<ExitCode> {
  const { veridict, view, signal, format } = session
  await checkPaths([file])
  const labelled = await readLabels(session, file)
  const rubric = await veridict.readRubric(rubricOf(labelled, file, options.rubric), { signal })
  const questions = questionsOf(rubric)
  requireFit(labelled, questions)
  const subject = { data: labelled.data, rubric: { name: rubric.name, digest: rubric.digest } }
  const earlier = options.against === undefined ? null : readEarlier(options.against, subject)
  const sent = { ...batchOptions(options), rubric: rubric.name, signal }
  const { send } = await openTrialStream(() => readLabelled(session, file), view)
  if (options.dryRun) {
    await writeEstimate(session, await send((items) => veridict.estimateBatch(items, sent)))
    return EXIT.graded
  }
  const batch = await watchBatch(session, await send((items) => veridict.createBatch(items, sent)))
  if (waitsForYou(batch)) {
    tellRest(session, batch)
    await session.discard()
    return EXIT.parked
  }
  const judged = await readJudged(session, batch, labelled)
  const certificate = buildCertificate(judged, batch, questions, subject)
  const compared = earlier && compareWith(earlier, certificate, options.margin)
  view.end()
  session.data = { ...certificate, ...(compared && { against: compared }) }
  const text = certificateText(certificate, session.paint) + (compared ? comparisonText(compared) : '')
  await session.write(format === 'json' ? `${JSON.stringify(session.data, null, 1)}\n` : text)
  tellOverBudget(session, batch)
  if (batch.counts.failed + batch.counts.cancelled > 0) return EXIT.failed
  return compared?.equivalent === false ? EXIT.unverified : EXIT.graded
}

/** Returns the rubric of the option, else of the lines. Throws where there is no labelled run, or not one rubric. */
function rubricOf({ labels, rubrics }: LabelledData, file: string, asked: string | undefined): string {
  const [named = asked, ...others] = asked === undefined ? rubrics : [asked]
  if (labels.size === 0) throw new CliError(`nothing to validate with: no labelled run was found in ${oneLine(file)}`)
  if (named === undefined || others.length > 0)
    throw new CliError(`which rubric? The lines name ${oneLine(rubrics.join(', ')) || 'none'}`, [
      'Give --rubric ID; `veridict rubrics` lists the ids.',
    ])
  return named
}
