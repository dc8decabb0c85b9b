import type { Difference, ExampleResult, runExamples } from '../../boot/rubric-examples.ts'
import type { LoadedRubric } from '../../config/rubrics.ts'
import { count } from '../../domain/count.ts'
import { EXIT, type ExitCode } from '../client/errors.ts'
import type { Shell } from '../client/shell.ts'
import { inert, oneLine, type Paint, pad, paintFor } from '../output/text.ts'
import { findRubrics, knownRubrics } from './rubrics.ts'

type RunExamples = typeof runExamples

/** Runs the examples of rubrics, and prints each difference from the expected grade. */
export async function testRubrics(shell: Shell, typed: readonly string[], run: RunExamples): Promise<ExitCode> {
  const paint = paintFor(shell.out, shell.env)
  const rubrics = typed.length === 0 ? knownRubrics(shell) : typed.flatMap((name) => findRubrics(shell, name))
  let passed = 0
  let failed = 0
  for await (const { rubric, results } of run(unique(rubrics))) {
    shell.out.write(`${paint('bold', rubric.rubric.name)}  ${inert(rubric.folder)}\n`)
    for (const result of results) {
      const isGood = result.faults.length + result.differences.length === 0
      if (isGood) passed++
      else failed++
      shell.out.write(isGood ? `  ${paint('green', 'ok')}    ${oneLine(result.name)}\n` : failure(result, paint))
    }
    if (results.length > 0) continue
    failed++
    shell.out.write(`  ${paint('red', 'FAIL')}  has no example: write ${inert(rubric.folder)}/examples/one.yaml\n`)
  }
  shell.out.write(
    `\n${count(passed + failed, 'example')} · passed ${passed}${failed > 0 ? ` · failed ${failed}` : ''}\n`,
  )
  return failed > 0 ? EXIT.refused : EXIT.graded
}

const unique = (rubrics: readonly LoadedRubric[]): LoadedRubric[] => [
  ...new Map(rubrics.map((loaded) => [loaded.rubric.name, loaded])).values(),
]

function failure({ name, file, faults, differences, grade }: ExampleResult, paint: Paint): string {
  const why = [
    ...(grade?.unmet ?? []).map(({ claim, reason }) => `${claim}: ${reason}`),
    ...(grade?.contradictions ?? []).map(({ code, detail }) => `${code}: ${detail}`),
    ...(grade?.receipt.attempts ?? []).flatMap(({ message }) => message ?? []),
  ]
  const lines = [
    `  ${paint('red', 'FAIL')}  ${oneLine(name)}`,
    ...(grade === null ? [] : [`        ${inert(file)}`]),
    ...faults.map((fault) => `        ${inert(fault)}`),
    ...differences.map((difference) => `        ${differenceText(difference, paint)}`),
    ...[...new Set(why)].map((reason) => `        the grade says: ${oneLine(reason)}`),
  ]
  return `${lines.join('\n')}\n`
}

const differenceText = ({ what, expected, got }: Difference, paint: Paint): string =>
  `${pad(inert(what), 16)} ${paint('red', `- ${valueText(expected)}`)}  ${paint('green', `+ ${valueText(got)}`)}`

const valueText = (value: unknown): string => oneLine(JSON.stringify(value) ?? 'absent')
