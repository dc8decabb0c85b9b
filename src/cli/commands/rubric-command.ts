import { Command } from 'commander'
import type { ExitCode } from '../client/exit-codes.ts'
import type { Shell } from '../client/shell.ts'
import { runCommand } from '../output/error-text.ts'
import { checkRubrics } from '../rubric/check-rubric.ts'
import { type NewOptions, newRubric } from '../rubric/new-rubric.ts'
import { CHECK_HELP, NEW_HELP, RUBRIC_HELP, SHOW_HELP, TEST_HELP } from '../rubric/rubric-help.ts'
import { type ShowOptions, showRubric } from '../rubric/show-rubric.ts'
import { testRubrics } from '../rubric/test-rubric.ts'

/** Builds `veridict rubric …`, which writes and tests rubrics. */
export function rubricCommand(shell: Shell): Command {
  const doing = (work: () => ExitCode | Promise<ExitCode>): Promise<void> => runCommand(shell, async () => work())
  const rubric = new Command('rubric')
    .description('write, check, show and test rubrics: what is asked about a run, and what proves it')
    .addHelpText('after', RUBRIC_HELP)
  rubric.addCommand(
    new Command('new')
      .description('write the folder of a rubric that works, to be changed')
      .argument('<id>', 'its name in small letters, digits and -; with @N for a version other than the next')
      .option('--in <folder>', 'where to write it', '.')
      .option('--from <rubric>', 'begin with a copy of this one: a name, or a folder')
      .addHelpText('after', NEW_HELP)
      .action((id: string, options: NewOptions) => doing(() => newRubric(shell, id, options))),
  )
  rubric.addCommand(
    new Command('check')
      .description('tell every fault with its file, its line and what to do')
      .argument('<folder...>', 'a rubric, or a folder of several')
      .addHelpText('after', CHECK_HELP)
      .action((folders: string[]) => doing(() => checkRubrics(shell, folders))),
  )
  rubric.addCommand(
    new Command('show')
      .description('what is asked, what proves it, what follows from it')
      .argument('<rubric>', 'id@version, an id for its newest version, or a folder')
      .option('--json', 'as one JSON line; with --prompt or --schema: with both')
      .option('--prompt', 'the texts that a judge is sent: system.md and question.md')
      .option('--schema', 'the JSON Schema of a judge’s answer, which is made of the claims')
      .addHelpText('after', SHOW_HELP)
      .action((name: string, options: ShowOptions) => doing(() => showRubric(shell, name, options))),
  )
  rubric.addCommand(
    new Command('test')
      .description('run the examples of rubrics through the service itself: no network, nothing is stored')
      .argument('[rubric...]', 'names or folders; without one: the shipped ones and those of VERIDICT_RUBRICS')
      .addHelpText('after', TEST_HELP)
      .action((typed: string[]) =>
        doing(async () => testRubrics(shell, typed, (await import('../../boot/rubric-examples.ts')).runExamples)),
      ),
  )
  return rubric
}
