import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { openVeridict } from '../../library/open.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { GradeRequest } from '../../schemas/trial.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import { jsonCommand } from '../input/command-options.ts'
import { printGrade } from '../output/grade-text.ts'
import { asTyped } from '../program-name.ts'
import { type Console, inConsole } from '../session.ts'
import type { Shell } from '../shell.ts'

const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url))

const DESCRIPTION = 'grade the bundled examples with the built-in judge: no key, no network, nothing written'

export const demoCommand = (shell: Shell): Command =>
  jsonCommand('demo', DESCRIPTION)
    .addHelpText(
      'after',
      `
Shows each grade with its checked evidence, and compares the grade with the expected grade.

Exit codes: 0 all grades are as expected; 1 a grade differs.

Example:
  veridict demo`,
    )
    .action((options: { readonly json?: boolean }) => inConsole(shell, options, demo))

interface Expected {
  readonly label: Grade['label']
  readonly status: Grade['status']
  readonly why: string
}

/** Grades the examples without the environment: the output is the same everywhere, and nothing is written. */
async function demo(console: Console): Promise<ExitCode> {
  const { target, shell } = console
  await using veridict = await openVeridict({ env: {} })
  const texts: string[] = []
  const grades: Grade[] = []
  const areExpected = await showExamples({ write: (text: string) => texts.push(text) > 0 }, async (request) => {
    const grade = await veridict.grade(request)
    grades.push(grade)
    return grade
  })
  console.data = grades
  await target.write(`${texts.join('')}They are in ${EXAMPLES}\n${asTyped(shell, NEXT)}`)
  return areExpected ? EXIT.graded : EXIT.refused
}

const NEXT = `
Your own:  veridict grade FILE -g TRUTH       (veridict grade --help: formats and ground truths)
Many:      veridict batch FOLDER -g TRUTHS
Pages:     veridict serve                     (then http://127.0.0.1:8787/audit/)
`

/** Prints the grade of every example, or its refusal. Returns whether all grades are the expected grades. */
export async function showExamples(
  out: { write(text: string): unknown },
  grade: (request: GradeRequest) => Promise<Grade | string>,
): Promise<boolean> {
  const entries = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = entries.map(({ name }) => name).sort()
  let right = 0
  for (const name of names) {
    const read = (file: string) => JSON.parse(readFileSync(join(EXAMPLES, name, file), 'utf8'))
    const { label, status, why } = read('expected.json') as Expected
    const made = await grade({ trajectory: read('trajectory.json'), ground_truth: read('ground-truth.json') })
    if (typeof made === 'string') {
      out.write(`${name}: ${made}\n\n`)
      continue
    }
    const isExpected = made.label === label && made.status === status
    if (isExpected) right++
    out.write(printGrade(name, made).trimEnd())
    out.write(`\n  ${isExpected ? 'as expected' : `EXPECTED ${label ?? status}`}: ${why}\n\n`)
  }
  out.write(`${right} of ${names.length} examples graded as expected.\n`)
  return right === names.length && right > 0
}
