import { Command } from 'commander'
import type { ExitCode } from '../errors.ts'
import { jsonCommand } from '../input/command-options.ts'
import {
  checkRubrics,
  type NewOptions,
  newRubric,
  type ShowOptions,
  showRubric,
  testRubrics,
} from '../rubric/rubrics.ts'
import { type Console, inConsole } from '../session.ts'
import type { Shell } from '../shell.ts'

/** Builds `veridict rubric …`, which writes and tests rubrics. */
export function rubricCommand(shell: Shell): Command {
  /** Makes the action of a subcommand with one argument. */
  const doing =
    <A, O extends { readonly json?: boolean }>(work: (console: Console, typed: A, options: O) => Promise<ExitCode>) =>
    (typed: A, options: O) =>
      inConsole(shell, { json: options.json ?? false }, (console) => work(console, typed, options))
  return new Command('rubric')
    .description('write, check, show and test rubrics: the questions about a run, and their proof')
    .addHelpText('after', RUBRIC_HELP)
    .addCommand(
      jsonCommand('new', 'write the folder of a rubric that works, to be changed')
        .argument('<id>', 'its name in small letters, digits and -; with @N for a version other than the next')
        .option('--in <folder>', 'the folder of the new folder', '.')
        .option('--from <rubric>', 'begin with a copy of this rubric: a name, or a folder')
        .addHelpText('after', NEW_HELP)
        .action(doing<string, NewOptions>(newRubric)),
    )
    .addCommand(
      jsonCommand('check', 'print every fault with its file, its line and the remedy')
        .argument('<folder...>', 'a rubric, or a folder of several')
        .addHelpText('after', CHECK_HELP)
        .action(doing<string[], object>(checkRubrics)),
    )
    .addCommand(
      jsonCommand('show', 'print the prompt of a judge: system.md and question.md')
        .argument('<rubric>', 'id@version, an id for its newest version, or a folder')
        .option('--schema', 'print the JSON Schema of a judge’s answer instead, which is made of the claims')
        .addHelpText('after', SHOW_HELP)
        .action(doing<string, ShowOptions>(showRubric)),
    )
    .addCommand(
      jsonCommand('test', 'run the examples of rubrics through the service itself: no network, nothing is stored')
        .argument('[rubric...]', 'names or folders; default: the shipped rubrics and the rubrics of VERIDICT_RUBRICS')
        .addHelpText('after', TEST_HELP)
        .action(doing<string[], object>(testRubrics)),
    )
}

const RUBRIC_HELP = `
A rubric is a folder: rubric.yaml (claims, their proof, the outcome), system.md, question.md and examples/.
docs/rubrics.md teaches how to write one.

In this order:
  veridict rubric new files-deleted
  veridict rubric check ./files-deleted@1
  veridict rubric test ./files-deleted@1
  VERIDICT_RUBRICS=./files-deleted@1 veridict grade run.json -g truth.json --rubric files-deleted@1 --judge openai`

const NEW_HELP = `
An existing folder is never changed. Exit codes: 0 written; 1 the folder exists, or its name cannot be used.

Examples:
  veridict rubric new files-deleted                                 one question, yes or no
  veridict rubric new my-failures --from failure-attribution        steps, agents, kinds
  veridict rubric new my-failures --from my-failures@1              the next version of your own: my-failures@2`

const CHECK_HELP = `
Faults keep a rubric from loading: a service with the rubric refuses to start. Warnings name rules that the author hardly means.

Exit codes: 0 no fault (warnings do not count); 1 no such folder; 2 faults.

Examples:
  veridict rubric check ./files-deleted@1
  veridict rubric check rubrics/             every rubric in a folder`

const SHOW_HELP = `
Exit codes: 0 shown; 1 no such rubric, or a rubric with faults.

Examples:
  veridict rubric show ./files-deleted@1 --schema
  veridict rubric show injection@1`

const TEST_HELP = `
An example (examples/*.yaml) holds a run, its truth, the reply of a judge, and the expected grade; the command compares only the members
of \`expect\`. \`judge: lexical\` in place of \`reply\` asks the built-in judge. An example runs as a whole grade, with its repairs.

Exit codes: 0 all pass; 1 an example fails, or a rubric has no example, or cannot be loaded.

Examples:
  veridict rubric test
  veridict rubric test ./files-deleted@1 injection`
