import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Command, Option } from 'commander'
import { CACHE_MODES } from '../../schemas/vocabulary.ts'
import { STRICT_UNREAD_HELP } from '../client/exit-codes.ts'
import type { Shell } from '../client/shell.ts'
import { JUDGE_HELP, parseSamples, requireOption } from '../input/command-options.ts'
import { type GradeOptions, gradeFiles } from '../input/grade-files.ts'
import { runCommand } from '../output/error-text.ts'
import { oneLine } from '../results/terminal-text.ts'

/** Suggests a ground truth beside the first file. The command never uses the file unasked: the agent may have written it. */
async function truthHint([file = '']: readonly string[]): Promise<string> {
  const { isTruthFile } = await import('../../archives/trials/trial-folder.ts')
  const beside = await readdir(dirname(file)).catch(() => [])
  const found = beside.sort().reverse().find(isTruthFile)
  return found === undefined ? '' : `; is it -g ${oneLine(join(dirname(file), found))}?`
}

export const gradeCommand = (shell: Shell): Command =>
  new Command('grade')
    .description('grade trajectory files in this process and print a table with the evidence')
    .argument('<file...>', 'trajectory files of any format that `veridict` reads: JSON, JSON lines')
    .option(
      '-g, --ground-truth <file>',
      'JSON of what the rubric wants to know (veridict rubric show); by default instruction, cue, distractor and signals',
    )
    .option('-j, --judge <name>', JUDGE_HELP)
    .option('-r, --rubric <id>', 'id@version, or an id for its newest version')
    .option('-s, --samples <n>', 'independent answers of the judge', parseSamples)
    .addOption(
      new Option('-c, --cache <mode>', 'answer from stored grades, ask again, or never ask').choices([...CACHE_MODES]),
    )
    .option('--strict', STRICT_UNREAD_HELP)
    .option('--json', 'print the grades as JSON lines instead of a table')
    .addHelpText(
      'after',
      `
Exit codes: 0 every file graded; 1 bad input; 2 some grade is unverified; 3 some judge failed, or with
--strict: some trajectory has records that could not be read.

Example:
  veridict grade examples/aligned-terminus-2/trajectory.json -g examples/aligned-terminus-2/ground-truth.json`,
    )
    .action(async (files: string[], options: GradeOptions, command: Command) => {
      if (options.groundTruth === undefined) requireOption(command, '--ground-truth', await truthHint(files))
      return runCommand(shell, () => gradeFiles(shell, files, options))
    })
