import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import { ServiceError } from '../../client/errors.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { GradeRequest } from '../../schemas/trial.ts'
import { CliError, EXIT, type ExitCode, exitOfGrade, explain, strictCode } from '../errors.ts'
import { chosen, JUDGING, LIST, type Options, option, STRICT_UNREAD } from '../options.ts'
import { printGrade } from '../output/grade-text.ts'
import { limitRows, newTally, tallyLimit } from '../output/results-format.ts'
import { inert, line, oneLine } from '../output/text.ts'
import { consoleCommand, type Session, sessionCommand, tell } from '../session.ts'
import { asTyped } from '../shell.ts'
import { readTrialsOf, type Trial, warningText } from '../trials.ts'

interface Refusal extends Pick<CliError, 'code' | 'message' | 'advice'> {
  readonly file: string
}

export const grade = sessionCommand<Options, [paths: string[]]>(
  {
    name: 'grade',
    args: { '<path...>': 'trajectory files, or all else that `veridict batch` takes' },
    options: [
      option(
        '-g, --ground-truth <file>',
        'JSON with the truth that the rubric needs (veridict rubric show); by default instruction, cue, distractor and signals',
      ).makeOptionMandatory(),
      ...[...JUDGING, LIST, STRICT_UNREAD],
    ],
  },
  async (session, options, paths) => {
    const { json, format } = session
    const all = newTally()
    const data: object[] = []
    const refused: Refusal[] = []
    let code: ExitCode = EXIT.graded
    const refuse = (file: string, error: unknown) => {
      const { code: word, message, advice } = explain(error, options.judge)
      refused.push({ file, code: word, message, advice })
      data.push({ file, error: { code: word, message, advice } })
      const refusal = [`${styleText('red', 'refused')}  ${oneLine(file)}: ${message}`, ...advice].map(inert)
      if (!json) tell(session, refusal.join('\n  '))
      code = higher(code, EXIT.refused)
    }
    for await (const item of readTrialsOf(session, paths, options)) {
      if (item.kind === 'skipped') {
        refuse(item.source, new CliError(oneLine(item.detail)))
        continue
      }
      const file = fileOf(item)
      try {
        const made = await gradeTrial(session, item, options)
        data.push({ file, ...made })
        tallyLimit(all, { label: made.label, grade: made })
        code = higher(code, strictCode(exitOfGrade(made), options, made.receipt.unread?.records ?? 0))
      } catch (error) {
        if (session.signal.aborted || !isRefusal(error)) throw error
        refuse(file, error)
      }
    }
    if (data.length === refused.length && (json || refused.length === 0)) throw nothingGraded(refused)
    return { data, code, text: format === 'table' && all.graded > 1 ? `${limitRows(all).join('\n')}\n` : '' }
  },
)

const higher = (one: ExitCode, other: ExitCode): ExitCode => (one > other ? one : other)

/** Tells an error of a single trial. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ServiceError && error.status >= 400 && error.status < 500

/** Builds the error of a command that graded nothing. Without `--json` the refusals stand on stderr already. */
function nothingGraded([only, ...more]: readonly Refusal[]): CliError {
  if (only === undefined) return new CliError('nothing to grade: no trajectory was found there')
  const { file, message, advice, code } = only
  if (more.length === 0) return new CliError(`${oneLine(file)}: ${message}`, advice, EXIT.refused, code)
  const places = [only, ...more].map((refusal) => `${oneLine(refusal.file)}: ${refusal.message}`)
  return new CliError(`all ${places.length} files were refused`, places)
}

/** Names a trial by its path as typed, with its run where a file has several. */
const fileOf = ({ name, source }: Trial): string =>
  source.endsWith(name) || source.includes('#') || !name.includes('#') ? source : `${source}#${name.split('#').at(-1)}`

async function gradeTrial(
  { veridict, write, format, signal, shell }: Session,
  trial: Trial,
  options: Options,
): Promise<Grade> {
  const request = { ...chosen(options, 'judge', 'rubric', 'samples', 'cache'), ...trial.request }
  const made = await veridict.grade(request as GradeRequest, { signal })
  const file = fileOf(trial)
  await write(format === 'table' ? printGrade(file, made) : line({ file, ...made }))
  for (const warning of trial.warnings) tell({ shell }, warningText(file, warning))
  return made
}

const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url))

type Expected = Pick<Grade, 'label' | 'status'> & { readonly why: string }

/** Grades the examples without the environment: the output is the same everywhere, and nothing is written. */
export const demo = consoleCommand(
  {
    name: 'demo',
  },
  async (console) => {
    const { openVeridict } = await import('../../library/open.ts')
    await using veridict = await openVeridict({ env: {} })
    const { text, grades, areExpected } = await gradeExamples((request) => veridict.grade(request))
    const shown = `${text}They are in ${EXAMPLES}\n${asTyped(console.shell, NEXT)}`
    return { data: grades, text: shown, code: areExpected ? EXIT.graded : EXIT.refused }
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
