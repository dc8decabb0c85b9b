import { Command } from 'commander'
import { ServiceError } from '../../client/errors.ts'
import { count } from '../../domain/count.ts'
import type { Comparison } from '../../schemas/regrade.ts'
import { CliError, EXIT, type ExitCode } from '../client/cli-error.ts'
import { inSession, type Session } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { COMPARE_HELP } from '../input/command-help.ts'
import { type OutputOptions, type ServerOption, withOutput, withServer } from '../input/command-options.ts'
import { comparisonHead, flipText } from '../output/flips-format.ts'
import { oneLine, paintFor } from '../results/terminal-text.ts'

interface CompareOptions extends OutputOptions, ServerOption {
  readonly rubric?: string
}

export const compareCommand = (shell: Shell): Command =>
  withServer(withOutput(new Command('compare')))
    .description('show the different labels of two gradings of the same trials')
    .argument('<batch...>', 'BASE HEAD, or only HEAD where it is a re-grade')
    .option(
      '-r, --rubric <id>',
      'needed where both ask by several rubrics: compare what this one asks, whatever its version',
    )
    .addHelpText('after', COMPARE_HELP)
    .action((ids: string[], options: CompareOptions, command: Command) => {
      if (ids.length > 2) command.error('error: compare takes BASE and HEAD, or only HEAD')
      return inSession(shell, { ...options, database: 'read' }, (session) => compare(session, ids, options))
    })

/** Tells whether the service refused a batch without a base: the batch is no re-grade. */
const isWithoutBase = (error: unknown): boolean =>
  error instanceof ServiceError && error.status === 400 && error.errors.some(({ path }) => path.endsWith('/base'))

const withoutBase = (head: string): CliError =>
  new CliError(`${oneLine(head)} is no re-grade: give BASE HEAD`, [`Like: veridict compare BASE ${oneLine(head)}`])

/** Builds the error of two batches without a common trial. A matrix of zeros would look like agreement. */
const nothingShared = ({ base, head, unpaired }: Comparison): CliError =>
  new CliError('no trial stands in both', [
    `${unpaired.base_only} only in ${oneLine(base)} · ${unpaired.head_only} only in ${oneLine(head)}`,
    ...(unpaired.other_truth > 0 ? [`${count(unpaired.other_truth, 'run')} in both, with another ground truth`] : []),
    ...(unpaired.other_rubric > 0 ? [`${count(unpaired.other_rubric, 'run')} in both, asked by another rubric`] : []),
  ])

async function compare(session: Session, ids: readonly string[], { rubric }: CompareOptions): Promise<ExitCode> {
  const { client, target, format, shell, signal } = session
  const [first = '', second] = ids
  const sides = {
    ...(second === undefined ? { head: first } : { base: first, head: second }),
    ...(rubric && { rubric }),
  }
  const paint = paintFor(target.screen, shell.env)
  let page: Comparison = await client.compare({ ...sides, limit: 200 }).catch((error: unknown) => {
    throw second === undefined && isWithoutBase(error) ? withoutBase(first) : error
  })
  if (page.pairs + page.unpaired.without_label === 0) throw nothingShared(page)
  await target.write(comparisonHead(page, format, paint))
  for (;;) {
    for (const flip of page.flips) await target.write(flipText(flip, format, paint))
    if (page.next_cursor === null) break
    signal.throwIfAborted()
    page = await client.compare({ ...sides, limit: 200, cursor: page.next_cursor, statistics: false })
  }
  await target.commit()
  return EXIT.graded
}
