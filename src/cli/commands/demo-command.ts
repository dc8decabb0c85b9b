import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openVeridict } from '../../library/open.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { GradeRequest } from '../../schemas/trial.ts'
import { EXIT } from '../errors.ts'
import { printGrade } from '../output/grade-text.ts'
import { consoleCommand } from '../session.ts'
import { asTyped } from '../shell.ts'

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
    await using veridict = await openVeridict({ env: {} })
    const { text, grades, areExpected } = await gradeExamples((request) => veridict.grade(request))
    console.data = grades
    await console.write(`${text}They are in ${EXAMPLES}\n${asTyped(console.shell, NEXT)}`)
    return areExpected ? EXIT.graded : EXIT.refused
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
