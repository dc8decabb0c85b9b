import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ATTACK_CLASSES, type AttackCase, JUDGES, type JudgeName } from './attack-case.ts'
import { allCases, sliceOf } from './catalogue.ts'
import { exportLine, isTextual, readScores } from './exchange.ts'
import { MUTANTS } from './mutants.ts'
import { printMutants, runMutants, type Summary } from './mutation.ts'
import { printReport } from './report.ts'
import { runSuite } from './suite.ts'

const USAGE = `attack/run.ts              run the suite; exits 1 where an attack outside of the known limits gets a wrong label
  --classes a,b  --judges a,b  --every N     a part of it
  --list                                     the names of the cases
  --mutants [--only a,b]                     weaken each rule of the gate in turn: each must be caught
  --export                                   the cases as NDJSON, for another judge
  --score FILE                               score another judge's labels (NDJSON of {name, label})
  --json                                     a summary instead of the tables`

const { values } = parseArgs({
  options: {
    classes: { type: 'string' },
    judges: { type: 'string' },
    every: { type: 'string' },
    only: { type: 'string' },
    score: { type: 'string' },
    list: { type: 'boolean' },
    mutants: { type: 'boolean' },
    export: { type: 'boolean' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
const print = (line: string) => console.log(line)

function chosen<T extends string>(given: string | undefined, known: readonly T[], what: string): readonly T[] | null {
  if (given === undefined) return null
  return given.split(',').map((name) => {
    const found = known.find((one) => one === name)
    if (found === undefined) throw new Error(`no ${what} is named ${name}; there are: ${known.join(', ')}`)
    return found
  })
}

function chosenCases(): AttackCase[] {
  const classes = chosen(values.classes, ATTACK_CLASSES, 'class')
  const every = values.every === undefined ? 1 : Number(values.every)
  if (!Number.isSafeInteger(every) || every < 1) throw new Error('--every takes a whole number from 1')
  return sliceOf(allCases(), every).filter((one) => classes === null || classes.includes(one.attack))
}

async function attack(): Promise<boolean> {
  const judges: readonly JudgeName[] | null = chosen(values.judges, JUDGES, 'judge')
  const cases = chosenCases()
  const progress = values.json !== true && process.stderr.isTTY
  const results = await runSuite(cases, judges, (done) => {
    if (progress) process.stderr.write(`\r${done} of ${cases.length} cases`)
  })
  if (progress) process.stderr.write('\n')
  if (values.json !== true) return printReport(results, print)
  const named = (outcome: string) =>
    results
      .filter((one) => one.outcome === outcome && one.case.limit === null && one.case.attack !== 'control')
      .map((one) => `${one.case.name} (${one.judge})`)
  const summary: Summary = { graded: results.length, wrong: named('wrong'), crashed: named('crashed') }
  print(JSON.stringify(summary))
  return true
}

async function mutate(): Promise<boolean> {
  const names = chosen(
    values.only,
    MUTANTS.map((one) => one.name),
    'mutant',
  )
  return printMutants(await runMutants(MUTANTS.filter((one) => names === null || names.includes(one.name))), print)
}

async function main(): Promise<boolean> {
  if (values.help) print(USAGE)
  else if (values.list) for (const one of chosenCases()) print(one.name)
  else if (values.export) for (const one of chosenCases().filter(isTextual)) print(exportLine(one))
  else if (values.mutants) return mutate()
  else if (values.score !== undefined)
    return printReport(readScores(readFileSync(values.score, 'utf8'), allCases()), print)
  else return attack()
  return true
}

process.exitCode = (await main()) ? 0 : 1
