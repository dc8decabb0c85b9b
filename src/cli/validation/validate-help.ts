import { DATASETS } from '../../archives/labelled/labelled-item.ts'
import { SERVER_HELP } from '../client/service-connection.ts'

const NAMES = Object.entries(DATASETS).map(([name, text]) => `  ${name.padEnd(18)} ${text}`)

export const VALIDATE_HELP = `
Grades runs that people labelled, as \`veridict batch\` does (cache, caps and going on are the same), and says how often the judge is
right: of all, of each class, for each claim, against chance and against always giving the most common answer; how far its
confidence can be trusted; how its evidence held; what it cost. The data stay where they are.

DATA and its PATH, the folder as its authors publish it:
${NAMES.join('\n')}
or one FILE: NDJSON of grade requests, each with a member "human": {"outcome": label}, {"claims": {"failure.step": 3}}, or both.
What people did not say is left out. Runs of one metadata.task are taken as one cluster; metadata.variant makes groups.

The certificate (--save) is JSON: judge, resolved model, rubric digest, data digest, date, all measures, and each item’s answer.
--against FILE pairs it with an earlier one of the same data and rubric, and tests whether both judges are right equally often:
the 95% interval of the difference has to lie within ± --margin, for every claim. It is what to do before a model is retired.

${SERVER_HELP}

Exit codes:
  0    measured; with --against: equivalent
  1    bad input, no service, or a certificate of other data or another rubric: no batch was made; what had been graded
       while reading is kept
  2    with --against: equivalence is not shown
  3    an item failed or was cancelled: the certificate counts it as not right
  4    the batch is parked and waits for you
  130  interrupted; what is done is kept

Examples:
  veridict validate who-and-when Who_and_When/ -j openai --dry-run
  veridict validate who-and-when Who_and_When/ -j openai --max-cost-usd 20 --save openai.json
  veridict validate who-and-when Who_and_When/ -j successor --against openai.json
  veridict validate labelled.ndjson --rubric tab-behavior@2 -o json`
