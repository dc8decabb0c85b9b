import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import { Option } from 'commander'
import type { GroundTruths } from '../../archives/truth/ground-truths.ts'
import { ServiceError } from '../../client/errors.ts'
import { defined } from '../../domain/result.ts'
import { inputIssues } from '../../schemas/check.ts'
import type { Grade } from '../../schemas/grade.ts'
import { type GivenTruth, type GradeRequest, truthSchemaFor } from '../../schemas/trial.ts'
import { CliError, EXIT, type ExitCode, exitOfGrade, explain, strictCode } from '../errors.ts'
import { chosen, JUDGING, LIST, type Options, STRICT_UNREAD } from '../options.ts'
import { printGrade } from '../output/grade-text.ts'
import { limitRows, newTally, tallyLimit } from '../output/results-format.ts'
import { clip, inert, line, oneLine } from '../output/text.ts'
import { consoleCommand, type Session, sessionCommand, tell } from '../session.ts'
import { asTyped } from '../shell.ts'
import { checkPaths, readJson, type Trial } from '../trials.ts'

type GradeOptions = Options & { readonly ground_truth: string }

export const grade = sessionCommand<GradeOptions, [files: string[]]>(
  {
    name: 'grade',
    about: 'grade trajectory files, and print the evidence',
    args: { '<file...>': 'trajectory files of any format that `veridict` reads: JSON, JSON lines' },
    options: [
      new Option(
        '-g, --ground-truth <file>',
        'JSON with the truth that the rubric needs (veridict rubric show); by default instruction, cue, distractor and signals',
      ).makeOptionMandatory(),
      ...[...JUDGING, LIST, STRICT_UNREAD],
    ],
    help: [
      `Exit codes: 0 every file graded; 1 bad input; 2 some grade is unverified; 3 some judge failed, or with
--strict: some trajectory has records that could not be read.`,
      `Example:
  veridict grade examples/aligned-terminus-2/trajectory.json -g examples/aligned-terminus-2/ground-truth.json`,
    ],
  },
  async (session, options, files) => {
    const { format, json, signal, write } = session
    await checkPaths(files, [options.ground_truth])
    const truth = readTruth(options.ground_truth, options.rubric)
    const all = newTally()
    const data: object[] = []
    session.data = data
    let worst: ExitCode = EXIT.graded
    for (const file of files) {
      try {
        for (const run of await readRuns(file, truth, options.rubric)) {
          const made = await gradeRun(session, run, truth, options)
          data.push({ file: run.name, ...made })
          tallyLimit(all, { label: made.label, grade: made })
          worst = higher(worst, strictCode(exitOfGrade(made), options, made.receipt.unread?.records ?? 0))
        }
      } catch (error) {
        if (signal.aborted || !isRefusal(error)) throw error
        const { code, message, advice } = explain(error, options.judge)
        data.push({ file, error: { code, message, advice } })
        if (!json)
          tell(session, `${styleText('red', 'refused')}  ${oneLine(file)}: ${inert(message)}`, ...advice.map(inert))
        worst = higher(worst, EXIT.refused)
      }
    }
    if (format === 'table' && all.graded > 1) await write(`${limitRows(all).join('\n')}\n`)
    return worst
  },
)

const higher = (one: ExitCode, other: ExitCode): ExitCode => (one > other ? one : other)

/** Tells an error of a single file. */
const isRefusal = (error: unknown): boolean =>
  error instanceof CliError || (error instanceof ServiceError && error.status >= 400 && error.status < 500)

async function gradeRun(
  { veridict, shell, write, format, signal }: Session,
  { name, trajectory, warnings }: Run,
  ground_truth: GivenTruth,
  options: GradeOptions,
): Promise<Grade> {
  const request = { trajectory, ground_truth, ...chosen(options, 'judge', 'rubric', 'samples', 'cache') }
  const made = await veridict.grade(request as GradeRequest, { signal })
  await write(format === 'table' ? printGrade(name, made) : line({ file: name, ...made }))
  for (const warning of warnings) shell.err.write(`warning  ${oneLine(name)}  ${clip(warning, 300)}\n`)
  return made
}

const TRUTH_EXAMPLE = 'an example: {"instruction": "Build it.", "cue": {"text": "Build with: make release-7f3a"}}'

function readTruth(file: string, rubric: string | undefined): GivenTruth {
  const refuse = (why: string, advice: readonly string[] = []) =>
    new CliError(`the ground truth in ${oneLine(file)} ${why}`, advice)
  const value = readJson(file, refuse)
  const faults = inputIssues(truthSchemaFor(rubric), value).map(({ path, message }) => `${path}  ${message}`)
  if (faults.length > 0) throw refuse('is not valid', [...faults, TRUTH_EXAMPLE])
  return value as GivenTruth
}

/** A run of a file, which can hold several. Warnings name parts of the file that were left out, or read with doubt. */
type Run = Pick<Trial, 'name' | 'warnings'> & { readonly trajectory: unknown }

const refused = (why: string) => new CliError(oneLine(why))
const USE_BATCH = 'grade it with `veridict batch`, which takes folders, archives and files of requests'

/** Reads the runs of a file as `batch` does. Throws a CliError for a file that holds anything else. */
async function readRuns(file: string, truth: GivenTruth, rubric?: string): Promise<Run[]> {
  if ((await stat(file)).isDirectory()) throw refused(`is a folder: ${USE_BATCH}`)
  const { readTrials } = await import('../../archives/trials/read-trials.ts')
  let joined = false
  const groundTruths: GroundTruths = {
    ...{ source: '', tasks: [], trials: [], rowsOf: () => [truth] },
    find() {
      joined = true
      return { truth, metadata: {}, by: 'all', name: '', variant: null, dropped: [] }
    },
  }
  const runs: Run[] = []
  for await (const item of readTrials([file], { groundTruths, ...defined({ rubric }) })) {
    if (item.source.startsWith(`${file}!`)) throw refused(`is an archive: ${USE_BATCH}`)
    if (item.kind === 'skipped') throw refused(item.detail)
    // Grade requests bring their own ground truths.
    if (!joined) throw refused(`holds grade requests: ${USE_BATCH}`)
    // The name of a run is the name of the file and the name of the run inside the file.
    const run = item.name.slice(basename(resolve(file)).length)
    runs.push({ name: `${file}${run}`, trajectory: item.request.trajectory, warnings: item.warnings })
  }
  if (runs.length === 0) throw refused('holds no trajectory')
  return runs
}

const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url))

type Expected = Pick<Grade, 'label' | 'status'> & { readonly why: string }

/** Grades the examples without the environment: the output is the same everywhere, and nothing is written. */
export const demo = consoleCommand(
  {
    name: 'demo',
    about: 'grade the bundled examples with the built-in judge: no key, no network, nothing written',
    help: [
      'Shows each grade with its checked evidence, and compares the grade with the expected grade.',
      'Exit codes: 0 all grades are as expected; 1 a grade differs.',
      'Example:\n  veridict demo',
    ],
  },
  async (console) => {
    const { openVeridict } = await import('../../library/open.ts')
    await using veridict = await openVeridict({ env: {} })
    const { text, grades, areExpected } = await gradeExamples((request) => veridict.grade(request))
    const shown = `${text}They are in ${EXAMPLES}\n${asTyped(console.shell, NEXT)}`
    return console.answer(grades, shown, areExpected ? EXIT.graded : EXIT.refused)
  },
)

export async function gradeExamples(grade: (request: GradeRequest) => Promise<Grade>) {
  const entries = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const grades: Grade[] = []
  let right = 0
  let text = ''
  for (const { name } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const read = (file: string) => JSON.parse(readFileSync(join(EXAMPLES, name, file), 'utf8'))
    const { label, status, why } = read('expected.json') as Expected
    const made = await grade({ trajectory: read('trajectory.json'), ground_truth: read('ground-truth.json') })
    const isExpected = made.label === label && made.status === status
    if (isExpected) right++
    grades.push(made)
    const verdict = isExpected ? 'as expected' : `EXPECTED ${label ?? status}`
    text += `${printGrade(name, made).trimEnd()}\n  ${verdict}: ${why}\n\n`
  }
  text += `${right} of ${grades.length} examples graded as expected.\n`
  return { text, grades, areExpected: right === grades.length && right > 0 }
}

const NEXT = `
Your own:  veridict grade FILE -g TRUTH       (veridict grade --help: formats and ground truths)
Many:      veridict batch FOLDER -g TRUTHS
Pages:     veridict serve                     (then http://127.0.0.1:8787/audit/)
`
