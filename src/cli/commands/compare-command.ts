import type { Command } from 'commander'
import { ServiceError } from '../../client/errors.ts'
import { count } from '../../domain/words.ts'
import type { Statistic } from '../../schemas/agreement.ts'
import { REASON_WORDS } from '../../schemas/reason-words.ts'
import type { Comparison, Flip } from '../../schemas/regrade.ts'
import { CliError, EXIT, type ExitCode } from '../errors.ts'
import { COMPARE_HELP } from '../input/command-help.ts'
import { jsonCommand, type Options, withItems } from '../input/command-options.ts'
import { OUTPUT_FORMATS, type OutputFormat } from '../output/results-format.ts'
import { csvOf } from '../output/table.ts'
import { clip, line, oneLine, type Paint, pad, paintFor, tally } from '../output/text.ts'
import { inSession, type Session } from '../session.ts'
import type { Shell } from '../shell.ts'

export const compareCommand = (shell: Shell): Command =>
  withItems(jsonCommand('compare', 'show the different labels of two gradings of the same trials'), OUTPUT_FORMATS)
    .argument('<batch...>', 'BASE HEAD, or only HEAD for a re-grade')
    .option(
      '-r, --rubric <id>',
      'compare the answers to this rubric, whatever its version; needed where both batches ask by several rubrics',
    )
    .addHelpText('after', COMPARE_HELP)
    .action((ids: string[], options: Options, command: Command) => {
      if (ids.length > 2) command.error('error: compare takes BASE and HEAD, or only HEAD')
      return inSession(shell, { ...options, database: 'read' }, (session) => compare(session, ids, options))
    })

/** Builds the error of two batches without a common trial. A matrix of zeros would look like agreement. */
const nothingShared = ({ base, head, unpaired }: Comparison): CliError =>
  new CliError('no trial stands in both', [
    `${unpaired.base_only} only in ${oneLine(base)} · ${unpaired.head_only} only in ${oneLine(head)}`,
    ...(unpaired.other_truth > 0 ? [`${count(unpaired.other_truth, 'run')} in both, with another ground truth`] : []),
    ...(unpaired.other_rubric > 0 ? [`${count(unpaired.other_rubric, 'run')} in both, asked by another rubric`] : []),
  ])

async function compare(session: Session, ids: readonly string[], { rubric }: Options): Promise<ExitCode> {
  const { veridict, target, format, shell, signal } = session
  const [first = '', second] = ids
  const sides = {
    ...(second === undefined ? { head: first } : { base: first, head: second }),
    ...(rubric && { rubric }),
  }
  const paint = paintFor(target.screen, shell.env)
  let page: Comparison = await veridict.compare({ ...sides, limit: 200 }).catch((error: unknown) => {
    const isWithoutBase =
      error instanceof ServiceError && error.status === 400 && error.errors.some(({ path }) => path.endsWith('/base'))
    if (second !== undefined || !isWithoutBase) throw error
    const head = oneLine(first)
    throw new CliError(`${head} is no re-grade: give BASE HEAD`, [`Like: veridict compare BASE ${head}`])
  })
  if (page.pairs + page.unpaired.without_label === 0) throw nothingShared(page)
  const flips: Flip[] = []
  session.data = { ...page, flips, next_cursor: null }
  await target.write(comparisonHead(page, format, paint))
  for (;;) {
    if (session.json) flips.push(...page.flips)
    for (const flip of page.flips) await target.write(flipText(flip, format, paint))
    if (page.next_cursor === null) break
    signal.throwIfAborted()
    page = await veridict.compare({ ...sides, limit: 200, cursor: page.next_cursor, statistics: false })
  }
  await target.commit()
  return EXIT.graded
}

const FLIPS = csvOf<Flip>([
  ['task', ({ task }) => task],
  ['trajectory', ({ trajectory }) => trajectory],
  ['base_label', ({ base }) => base.label],
  ['head_label', ({ head }) => head.label],
  ['base_judge', ({ base }) => base.receipt.judge],
  ['head_judge', ({ head }) => head.receipt.judge],
  ['base_rubric', ({ base }) => base.receipt.rubric],
  ['head_rubric', ({ head }) => head.receipt.rubric],
  ['base_grade', ({ base }) => base.grade_id],
  ['head_grade', ({ head }) => head.grade_id],
])

/** Renders the head of a comparison. */
function comparisonHead(comparison: Comparison, format: OutputFormat, paint: Paint): string {
  if (format === 'csv') return FLIPS.head()
  if (format === 'ndjson') return ''
  const { pairs, same, flipped, unpaired } = comparison
  const alone = unpaired.base_only + unpaired.head_only + unpaired.without_label
  const rows = [
    `${paint('bold', `${baseText(comparison)} → ${clip(comparison.head, 60)}`)}`,
    `${count(pairs, 'pair')} with a label on both sides: ${same} the same, ${paint(flipped > 0 ? 'yellow' : 'green', `${flipped} flipped`)}`,
    `base  ${side(comparison.base_counts)}`,
    `head  ${side(comparison.head_counts)}`,
    ...(alone === 0
      ? []
      : [
          `unpaired  ${unpaired.base_only} only in base · ${unpaired.head_only} only in head · ${unpaired.without_label} without a label on at least one side${otherTruth(unpaired)}`,
        ]),
    '',
    ...matrixRows(comparison.matrix, paint),
    ...agreementRows(comparison),
    '',
  ]
  return `${rows.join('\n')}\n`
}

/** A re-grade without a base is compared with the grades that were graded again. */
const baseText = ({ base, head }: Comparison): string => (base === head ? 'the grades before' : clip(base, 60))

const otherTruth = ({ other_truth }: Comparison['unpaired']): string =>
  other_truth > 0 ? `\n          ${count(other_truth, 'run')} in both, with another ground truth: not paired` : ''

/** Renders the agreement with 95% intervals, and the flips that repeated asking would give. */
function agreementRows({ agreement, repeat_noise: noise }: Comparison): string[] {
  if (agreement === undefined) return []
  const { raw_agreement, cohen_kappa, krippendorff_alpha, gwet_ac1 } = agreement
  const words = [
    `raw ${statisticText(raw_agreement)}`,
    `κ ${statisticText(cohen_kappa)}`,
    `α ${statisticText(krippendorff_alpha)}`,
    `AC1 ${statisticText(gwet_ac1)}`,
  ]
  const expected = noise?.expected_flips
  const repeats = expected == null ? [] : [`repeat noise alone would give about ${expected.toFixed(1)} flips`]
  return ['', `agreement  ${words.join(' · ')}`, ...repeats]
}

/** Renders a statistic, `0.713 [0.64, 0.78]`, or the reason of its absence. */
export const statisticText = ({ value, ci95, reason }: Statistic): string => {
  if (value === null) return reason === null ? '–' : `– (${REASON_WORDS[reason] ?? reason})`
  const interval = ci95 === null ? '' : ` [${ci95.map((limit) => limit.toFixed(2)).join(', ')}]`
  return `${value.toFixed(3)}${interval}`
}

const side = ({ n, failures, ...ends }: Comparison['base_counts']): string => {
  const codes = tally(failures)
  return `${count(n, 'item')} · ${tally(ends)}${codes === '' ? '' : ` (${codes})`}`
}

const WIDTH = 16

function matrixRows({ labels, counts }: Comparison['matrix'], paint: Paint): string[] {
  const head = pad('base \\ head', WIDTH) + labels.map((label) => label.padStart(WIDTH)).join('')
  const rows = labels.map((label, at) => {
    const cells = (counts[at] ?? []).map((n, column) => {
      const text = String(n).padStart(WIDTH)
      return n === 0 ? paint('dim', text) : paint(column === at ? 'green' : 'yellow', text)
    })
    return pad(label, WIDTH) + cells.join('')
  })
  return [paint('bold', head), ...rows]
}

/** Renders a flip: a row, or a JSON line with both receipts. */
function flipText(flip: Flip, format: OutputFormat, paint: Paint): string {
  if (format === 'ndjson') return line(flip)
  const { base, head } = flip
  if (format === 'csv') return FLIPS.row(flip)
  const change = `${pad(clip(base.label ?? '–', 15), 15)} → ${pad(clip(head.label ?? '–', 15), 15)}`
  const who = `${base.grade_id} ${base.receipt.judge} → ${head.grade_id} ${head.receipt.judge}`
  return `${paint('yellow', change)}  ${pad(clip(flip.task ?? flip.trajectory, 40), 40)}  ${paint('dim', clip(who, 100))}\n`
}
