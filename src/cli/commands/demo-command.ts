import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { buildContext } from '../../boot/context.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { GradeRequest } from '../../schemas/grade-request.ts'
import { configurationOf } from '../client/database.ts'
import { EXIT, type ExitCode, runCommand } from '../client/errors.ts'
import { asTyped } from '../client/program-name.ts'
import type { Shell } from '../client/shell.ts'
import { printGrade } from '../output/grade-text.ts'

const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url))

/** The demo ignores the environment: the output is the same everywhere, and nothing is written. */
const UNCONFIGURED = { VERIDICT_DATABASE: ':memory:' }

export const demoCommand = (shell: Shell): Command =>
  new Command('demo')
    .description('grade the bundled examples with the built-in judge: no key, no network, nothing written')
    .addHelpText(
      'after',
      `
Shows each grade with its checked evidence, and compares the grade with the expected grade.

Exit codes: 0 all grades are as expected; 1 a grade differs.

Example:
  veridict demo`,
    )
    .action(() => runCommand(shell, () => demo(shell)))

interface Expected {
  readonly label: Grade['label']
  readonly status: Grade['status']
  readonly why: string
}

async function demo(shell: Shell): Promise<ExitCode> {
  const { config, secrets } = configurationOf(UNCONFIGURED)
  const context = await buildContext({ config, secrets, adopts_batches: false })
  try {
    const areExpected = await showExamples(shell.out, async (request) => {
      const outcome = await context.service.grade(request)
      return outcome.ok ? outcome.grade : outcome.refusal.detail
    })
    shell.out.write(`They are in ${EXAMPLES}\n${asTyped(shell, NEXT)}`)
    return areExpected ? EXIT.graded : EXIT.refused
  } finally {
    await context.close()
  }
}

const NEXT = `
Your own:  veridict grade FILE -g TRUTH       (veridict grade --help: formats and ground truths)
Many:      veridict batch FOLDER -g TRUTHS
Pages:     veridict serve                     (then http://127.0.0.1:8787/audit/)
`

/** Prints the grade of every example, or its refusal. Returns whether all grades are the expected grades. */
export async function showExamples(
  out: Pick<Writable, 'write'>,
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
