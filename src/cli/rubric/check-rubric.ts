import { join } from 'node:path'
import { type LoadedRubric, readRubric, rubricFolders } from '../../config/load-rubrics.ts'
import { readExamples } from '../../config/rubric-examples.ts'
import { placesIn } from '../../config/rubric-places.ts'
import { count } from '../../domain/count.ts'
import { rubricWarnings } from '../../domain/rubric/load/rubric-warnings.ts'
import { CliError, EXIT, type ExitCode } from '../client/cli-error.ts'
import type { Shell } from '../client/shell.ts'
import { inert, paintFor } from '../results/terminal-text.ts'
import { isFolder } from './find-rubric.ts'

/** Loads rubrics, and prints every fault and every doubtful rule. */
export function checkRubrics(shell: Shell, typed: readonly string[]): ExitCode {
  const folders = typed.flatMap((one) => {
    if (!isFolder(one)) throw new CliError(`there is no folder ${one}`, ['Begin one: veridict rubric new ID'])
    return rubricFolders(one)
  })
  const paint = paintFor(shell.out, shell.env)
  let faulty = 0
  for (const folder of folders) {
    const { name, faults, warnings } = examine(folder)
    for (const one of [...faults, ...warnings]) shell.out.write(`${inert(one)}\n`)
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
  const faults = examples.flatMap((one) => ('faults' in one ? one.faults : []))
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
