import { readdirSync, readFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GroundTruths } from '../../archives/truth/ground-truths.ts'
import { ServiceError } from '../../client/errors.ts'
import { defined } from '../../domain/result.ts'
import { inputIssues } from '../../schemas/check.ts'
import type { Grade } from '../../schemas/grade.ts'
import { type GivenTruth, type GradeRequest, truthSchemaFor } from '../../schemas/trial.ts'
import { adviceFor, EXIT, type ExitCode, exitOfGrade, strictCode } from '../errors.ts'
import { chosen, JUDGING, LIST, type Options, STRICT_UNREAD } from '../options.ts'
import { printGrade, printRefusal } from '../output/grade-text.ts'
import { limitRows, newTally, type ResultsTally, tallyLimit } from '../output/results-format.ts'
import { clip, line, oneLine } from '../output/text.ts'
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
      [
        '-g, --ground-truth <file>',
        'JSON with the truth that the rubric needs (veridict rubric show); by default instruction, cue, distractor and signals',
      ],
      ...[...JUDGING, LIST, STRICT_UNREAD],
    ],
    help: [
      `Exit codes: 0 every file graded; 1 bad input; 2 some grade is unverified; 3 some judge failed, or with
--strict: some trajectory has records that could not be read.`,
      `Example:
  veridict grade examples/aligned-terminus-2/trajectory.json -g examples/aligned-terminus-2/ground-truth.json`,
    ],
    // The `requiredOption` of commander would be reported before an unknown option.
    async check(command, { ground_truth }, files) {
      if (ground_truth !== undefined) return
      const hint = await truthHint(files)
      command.error(`error: required option '-g, --ground-truth <file>' not specified${hint}`)
    },
  },
  async (session, options, files) => {
    await checkPaths(files, [options.ground_truth])
    const all = newTally()
    const data: object[] = []
    session.data = data
    let worst: ExitCode = EXIT.graded
    for (const file of files) {
      const code = await gradeFile(session, file, options, { all, data }).catch((error: unknown) => {
        const { message, issues } = refusalOf(error)
        const errors = issues.map(({ path, ...issue }) => ({ path: path ?? '', ...issue }))
        data.push({ file, error: { message, errors } })
        if (!session.json) tell(session, printRefusal(file, message, issues))
        return EXIT.refused
      })
      if (code > worst) worst = code
    }
    if (session.format === 'table' && all.graded > 1) await session.write(`${limitRows(all).join('\n')}\n`)
    return worst
  },
)

/** Suggests a ground truth beside the first file. The command never uses the file unasked: the agent may have written it. */
async function truthHint([file = '']: readonly string[]): Promise<string> {
  const { isTruthFile } = await import('../../archives/trials/trial-folder.ts')
  const beside = await readdir(dirname(file)).catch(() => [])
  const truth = beside.sort().reverse().find(isTruthFile)
  return truth === undefined ? '' : `; is it -g ${oneLine(join(dirname(file), truth))}?`
}

/** Faulty places of a file; an advice has no path. */
type Issues = Parameters<typeof printRefusal>[2]

class Refusal extends Error {
  readonly issues: Issues

  constructor(reason: string, issues: Issues = []) {
    super(reason)
    this.issues = issues
  }
}

/** Makes the refusal of a file. Throws errors that concern no single file. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (!(error instanceof ServiceError) || error.status < 400 || error.status >= 500) throw error
  const advice = adviceFor(error)
  if (advice.length === 0) return new Refusal(error.detail, error.errors)
  const lines = [...error.errors.map(({ message }) => message), ...advice]
  const issues = lines.map((message) => ({ path: null, message }))
  return new Refusal(error.detail, issues)
}

async function gradeFile(
  { veridict, shell, write, format, signal }: Session,
  file: string,
  options: GradeOptions,
  { all, data }: { readonly all: ResultsTally; readonly data: object[] },
): Promise<ExitCode> {
  const { rubric } = options
  const ground_truth = readTruth(options.ground_truth, rubric)
  let worst: ExitCode = EXIT.graded
  for (const { name, trajectory, warnings } of await readRuns(file, ground_truth, rubric)) {
    const request = { trajectory, ground_truth, ...chosen(options, 'judge', 'rubric', 'samples', 'cache') }
    const made = await veridict.grade(request as GradeRequest, { signal })
    data.push({ file: name, ...made })
    await write(format === 'table' ? printGrade(name, made) : line({ file: name, ...made }))
    tallyLimit(all, { label: made.label, grade: made })
    for (const warning of warnings) shell.err.write(`warning  ${oneLine(name)}  ${clip(warning, 300)}\n`)
    const code = strictCode(exitOfGrade(made), options, made.receipt.unread?.records ?? 0)
    if (code > worst) worst = code
  }
  return worst
}

function readTruth(file: string, rubric: string | undefined): GivenTruth {
  const refuse = (why: string, issues: Issues = []) => new Refusal(`the ground truth in ${file} ${why}`, issues)
  const value = readJson(file, refuse)
  const issues = inputIssues(truthSchemaFor(rubric), value)
  if (issues.length > 0) throw refuse('is not valid', [...issues, TRUTH_EXAMPLE])
  return value as GivenTruth
}

const TRUTH_EXAMPLE = {
  path: null,
  message: 'an example: {"instruction": "Build it.", "cue": {"text": "Build with: make release-7f3a"}}',
}

/** A run of a file, which can hold several. Warnings name parts of the file that were left out, or read with doubt. */
type Run = Pick<Trial, 'name' | 'warnings'> & { readonly trajectory: unknown }

const USE_BATCH = 'grade it with `veridict batch`, which takes folders, archives and files of requests'

/** Reads the runs of a file as `batch` does. Throws a Refusal for a file that holds anything else. */
async function readRuns(file: string, truth: GivenTruth, rubric?: string): Promise<Run[]> {
  if ((await stat(file)).isDirectory()) throw new Refusal(`is a folder: ${USE_BATCH}`)
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
    if (item.source.startsWith(`${file}!`)) throw new Refusal(`is an archive: ${USE_BATCH}`)
    if (item.kind === 'skipped') throw new Refusal(item.detail)
    // Grade requests bring their own ground truths.
    if (!joined) throw new Refusal(`holds grade requests: ${USE_BATCH}`)
    // The name of a run is the name of the file and the name of the run inside the file.
    const run = item.name.slice(basename(resolve(file)).length)
    runs.push({ name: `${file}${run}`, trajectory: item.request.trajectory, warnings: item.warnings })
  }
  if (runs.length === 0) throw new Refusal('holds no trajectory')
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
