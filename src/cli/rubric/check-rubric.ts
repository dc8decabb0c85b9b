import { join } from 'node:path'
import { readExamples } from '../../config/rubric-examples.ts'
import { type LoadedRubric, placesIn, readRubric, rubricFolders } from '../../config/rubrics.ts'
import { count } from '../../domain/count.ts'
import { rubricWarnings } from '../../domain/rubric/load/rubric-warnings.ts'
import { CliError, EXIT, type ExitCode } from '../client/cli-error.ts'
import type { Shell } from '../client/shell.ts'
import { inert, paintFor } from '../results/terminal-text.ts'
import { isFolder } from './find-rubric.ts'

/** Loads rubrics, and prints every fault and every doubtful rule. */
export function checkRubrics(shell: Shell, typed: readonly string[]): ExitCode {
  const folders = typed.flatMap((path) => {
    if (!isFolder(path)) throw new CliError(`there is no folder ${path}`, ['Begin path: veridict rubric new ID'])
    return rubricFolders(path)
  })
  const paint = paintFor(shell.out, shell.env)
  let faulty = 0
  for (const folder of folders) {
    const { name, faults, warnings } = examine(folder)
    for (const text of [...faults, ...warnings]) shell.out.write(`${inert(text)}\n`)
    if (faults.length > 0) faulty++
    const found = [
      ...(faults.length > 0 ? [paint('red', count(faults.length, 'fault'))] : []),
      ...(warnings.length > 0 ? [paint('yellow', count(warnings.length, 'warning'))] : []),
    ]
    shell.out.write(`${inert(folder)}  ${found.join(', ') || paint('green', `${name} is well`)}\n`)
  }
  return faulty > 0 ? EXIT.unverified : EXIT.graded
}

interface Examined {
  readonly name: string
  readonly faults: readonly string[]
  readonly warnings: readonly string[]
}

function examine(folder: string): Examined {
  const examples = readExamples(folder)
  const faults = examples.flatMap((example) => ('faults' in example ? example.faults : []))
  const read = readRubric(folder)
  if ('faults' in read) return { name: folder, faults: [...read.faults, ...faults], warnings: [] }
  const none = `${join(folder, 'examples')}  warning: has no example: write one.yaml, so that \`veridict rubric test\` has something to run`
  return {
    name: read.rubric.name,
    faults,
    warnings: [...warningsOf(read), ...(examples.length === 0 ? [none] : [])],
  }
}

function warningsOf({ rubric, folder, yaml }: LoadedRubric): string[] {
  const placeOf = placesIn(yaml)
  return rubricWarnings(rubric).map((issue) => `${join(folder, placeOf(issue))}  warning: ${issue.message}`)
}
