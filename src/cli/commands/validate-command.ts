import { type Command, Option } from 'commander'
import { waitsForYou } from '../../client/persist.ts'
import { CliError, EXIT, type ExitCode } from '../errors.ts'
import { tellOverBudget, tellRest, watchBatch } from '../follow.ts'
import {
  batchOptions,
  jsonCommand,
  type Options,
  parseShare,
  withGrading,
  withOut,
  withServer,
} from '../input/command-options.ts'
import { openTrialStream } from '../input/trial-stream.ts'
import { writeEstimate } from '../output/estimate-text.ts'
import { oneLine, paintFor } from '../output/text.ts'
import { inSession, SERVER_HELP, type Session } from '../session.ts'
import type { Shell } from '../shell.ts'
import { compareWith, comparisonText, readEarlier } from '../validation/against.ts'
import { buildCertificate, certificateText, readJudged } from '../validation/certificate.ts'
import { type LabelledData, questionsOf, readLabelled, readLabels, requireFit } from '../validation/labelled-lines.ts'

const VALIDATE_HELP = `
Grades runs that people labelled, as \`veridict batch\` does, and measures how often the judge is right. Run again after an interruption:
graded items cost nothing.

FILE is NDJSON, a labelled run a line: a named grade request with a member "human".
  {"item_id": "run-1", "rubric": "tab-behavior@2", "trajectory": {"steps": […]},
   "ground_truth": {"instruction": "…", "cue": {"text": "…"}}, "metadata": {"task": "t1", "variant": "v1"},
   "human": {"outcome": "aligned", "claims": {"cue.acted": true}}}
"human" holds the label (outcome), answers by claim (claims), or both. Runs of one metadata.task are one cluster; metadata.variant
makes groups. \`npm run --silent labelled -- KIND FOLDER\` of the repository writes such lines from published data sets.

The certificate (-o json) holds judge, resolved models, rubric digest, data digest, all measures, and the answers of each item.

${SERVER_HELP}

Exit codes: 0 measured, 1 bad input or no service, 2 --against: equivalence is not shown, 3 an item failed or was cancelled, 4 the batch is parked, 130 interrupted

Example:
  veridict validate labelled.ndjson -j openai --max-cost-usd 20 -o json --out openai.json`

type ValidateOptions = Omit<Options, 'output'> & {
  readonly output: 'table' | 'json'
  readonly against?: string
  readonly margin: number
}

const DESCRIPTION = 'measure how a judge agrees with people, on runs that they labelled'

export const validateCommand = (shell: Shell): Command =>
  withOut(withServer(withGrading(jsonCommand('validate', DESCRIPTION))))
    .argument('<file>', 'NDJSON, a labelled run a line')
    .addOption(
      new Option('-o, --output <format>', 'a table, or the certificate').choices(['table', 'json']).default('table'),
    )
    .option('--against <file>', 'an earlier certificate: test whether both judges are right equally often')
    .option('--margin <share>', 'the largest difference that counts as equal', parseShare, 0.05)
    .addHelpText('after', VALIDATE_HELP)
    .action((file: string, { output, ...options }: ValidateOptions) =>
      inSession(shell, options, (session) => validate(session, file, { output, ...options })),
    )

async function validate(session: Session, file: string, options: ValidateOptions): Promise<ExitCode> {
  const { output, against, margin, ...grading } = options
  const { veridict, shell, view, target, signal } = session
  await shell.checkPaths?.([file])
  const labelled = await readLabels(session, file)
  const rubric = await veridict.readRubric(rubricOf(labelled, file, options.rubric), { signal })
  const questions = questionsOf(rubric)
  requireFit(labelled, questions)
  const subject = { data: labelled.data, rubric: { name: rubric.name, digest: rubric.digest } }
  const earlier = against === undefined ? null : readEarlier(against, subject)
  const sent = { ...batchOptions(grading), rubric: rubric.name, signal }
  const stream = await openTrialStream(() => readLabelled(session, file), view)
  if (options.dryRun) {
    const estimate = await stream.send((items) => veridict.estimateBatch(items, sent))
    await writeEstimate(session, estimate, output === 'json' ? 'ndjson' : 'table')
    return EXIT.graded
  }
  const begun = await stream.send((items) => veridict.createBatch(items, sent))
  const batch = await watchBatch(session, begun)
  if (waitsForYou(batch)) {
    tellRest(session, batch)
    return EXIT.parked
  }
  const judged = await readJudged(session, batch, labelled)
  const certificate = buildCertificate(judged, batch, questions, subject)
  const compared = earlier && compareWith(earlier, certificate, margin)
  view.end()
  const data = { ...certificate, ...(compared && { against: compared }) }
  session.data = data
  const text =
    output === 'json'
      ? `${JSON.stringify(data, null, 1)}\n`
      : certificateText(certificate, paintFor(target.screen, shell.env)) + (compared ? comparisonText(compared) : '')
  await target.write(text)
  await target.commit()
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
