import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runScript, UsageError, withFile } from '../../tools/command-line.ts'
import { type AttackCase, JUDGES, type JudgeName } from './attack-case.ts'
import { allCases, sliceOf } from './catalogue.ts'
import { chosen, exportedCases, readPart, readResults, requestLine } from './exchange.ts'
import { heldOutCases, withGivenAnchors } from './held-out/catalogue.ts'
import { kindCases } from './kinds/catalogue.ts'
import { deniesGivenAct, KINDS } from './kinds/kind-case.ts'
import { printKindFailures, printKinds, printReasons } from './kinds/kinds-report.ts'
import { runKinds } from './kinds/run-kinds.ts'
import { printReport } from './report.ts'
import { runSuite } from './suite.ts'

const USAGE = `npm run --silent attack --        run the suite; exits 1 where an attack outside of the known limits gets a wrong label
  --classes a,b  --judges a,b  --every N     a part of it
  --kinds [--only a,b] [--every N]           only the kinds of findings on realistic runs: mistaken and honest answers, by kind
    --cases a,b                              only cases whose names begin so
    --refuse                                 with \`evidence.denied_acts: refuse\`: only denials of given acts, none of which may get a label
    --markdown  --failures  --reasons          their table in Markdown; all failures and why; why honest answers are at low
  --held-out [--cases a,b] [--failures]      the frozen shapes that no rule was written against, each with an honest twin
    --given                                  with action anchors for both instructions, written from their texts alone
    --file FILE                              cases of another file in the form of held-out/cases.ndjson
  --list                                     the names of the cases
  --export [--classes a,b] [--every N]       the cases as NDJSON that \`veridict batch\` and POST /v1/batches take
  --score FILE [--classes a,b] [--every N]   the tables of what \`veridict results BATCH -o ndjson\` printed, or of {item_id, label} of another judge
Exit codes: 0 passed; 1 not passed; 2 something was given wrongly.`

const OPTIONS = {
  classes: { type: 'string' },
  every: { type: 'string' },
  judges: { type: 'string' },
  only: { type: 'string' },
  score: { type: 'string' },
  kinds: { type: 'boolean' },
  'held-out': { type: 'boolean' },
  file: { type: 'string' },
  given: { type: 'boolean' },
  cases: { type: 'string' },
  refuse: { type: 'boolean' },
  markdown: { type: 'boolean' },
  failures: { type: 'boolean' },
  reasons: { type: 'boolean' },
  list: { type: 'boolean' },
  export: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

const tell = (line: string) => process.stderr.write(`${line}\n`)
const print = (line: string) => console.log(line)
const readOptions = () => parseArgs({ options: OPTIONS }).values
type Options = ReturnType<typeof readOptions>

/** Lists the cases that the options leave of the suite. */
function chosenCases(values: Options): AttackCase[] {
  const { classes, every } = readPart(values)
  return sliceOf(allCases(), every).filter((one) => classes === null || classes.includes(one.attack))
}

async function attack(values: Options): Promise<boolean> {
  const judges: readonly JudgeName[] | null = chosen(values.judges, JUDGES, 'judge')
  const cases = chosenCases(values)
  const progress = process.stderr.isTTY
  const results = await runSuite(cases, judges, (done) => {
    if (progress) process.stderr.write(`\r${done} of ${cases.length} cases`)
  })
  if (progress) process.stderr.write('\n')
  return printReport(results, print)
}

/** Reads the held-out cases, of FILE where the option names a file. */
const readHeldOut = ({ file, given }: Options) => {
  const cases = file === undefined ? heldOutCases() : withFile(file, () => heldOutCases(file))
  return given === true ? withGivenAnchors(cases) : cases
}

/** Runs the cases by kind of finding. */
async function attackKinds(values: Options): Promise<boolean> {
  const kinds = chosen(values.only, KINDS, 'kind')
  const { every } = readPart(values)
  const begins = values.cases?.split(',') ?? ['']
  const cases = (values['held-out'] ? readHeldOut(values) : kindCases(tell))
    .filter((one, at) => at % every === 0 && (kinds === null || kinds.some((kind) => kind === one.kind)))
    .filter(({ name }) => begins.some((begin) => name.startsWith(begin)))
    .filter((one) => values.refuse !== true || deniesGivenAct(one))
  const results = await runKinds(cases, values.refuse !== true, values.refuse === true ? 'refuse' : 'flag')
  const passed = printKinds(results, print, values.markdown)
  if (values.reasons === true) printReasons(results, print)
  else if (values.markdown !== true) printKindFailures(results, print, values.failures ? results.length : undefined)
  return passed
}

/** The whole suite: its kinds, then its classes. A part by class or judge is one of the classes alone. */
async function attackAll(values: Options): Promise<boolean> {
  const isPart = values.classes !== undefined || values.judges !== undefined
  const held = isPart || (await attackKinds(values))
  if (!isPart) print('')
  return (await attack(values)) && held
}

function score(values: Options, file: string): boolean {
  const text = withFile(file, () => readFileSync(file, 'utf8'))
  const results = readResults(text, exportedCases(readPart(values)))
  const held = printReport(results, print)
  // A judge that says nothing true where nobody attacks shows nothing about attacks.
  return held && results.some((one) => one.case.attack === 'control' && one.outcome === 'right')
}

/** What belongs together: an option that would be passed over in silence is refused. */
function checkOptions(values: Options): void {
  for (const one of ['only', 'markdown', 'failures', 'cases', 'refuse'] as const)
    if (values[one] && !values.kinds && !values['held-out'])
      throw new UsageError(`--${one} goes with --kinds or --held-out`)
  for (const one of ['file', 'given'] as const)
    if (values[one] !== undefined && !values['held-out']) throw new UsageError(`--${one} goes with --held-out`)
  const modes = ['list', 'export', 'score', 'kinds', 'held-out'] as const
  const given = modes.filter((one) => values[one] !== undefined)
  if (given.length > 1) throw new UsageError(`--${given.join(' and --')} do not go together`)
}

async function main(): Promise<boolean> {
  const values = readOptions()
  checkOptions(values)
  if (values.help) print(USAGE)
  else if (values.list) for (const one of chosenCases(values)) print(one.name)
  else if (values.export) for (const one of exportedCases(readPart(values))) print(requestLine(one))
  else if (values.score !== undefined) return score(values, values.score)
  else if (values.kinds || values['held-out']) return attackKinds(values)
  else return attackAll(values)
  return true
}

await runScript(async () => ((await main()) ? 0 : 1))
