import { count } from '../../domain/words.ts'
import type { Statistic } from '../../schemas/agreement.ts'
import { REASON_WORDS } from '../../schemas/reason-words.ts'
import type { Comparison, Flip } from '../../schemas/regrade.ts'
import { CliError, EXIT } from '../errors.ts'
import { type Options, OUTPUT_FORMATS, output } from '../options.ts'
import { clip, csvOf, NDJSON, oneLine, type Rows, tableOf, tally } from '../output/text.ts'
import { type Session, sessionCommand } from '../session.ts'

export const compare = sessionCommand<Options, [first: string, second?: string]>(
  {
    name: 'compare',
    about: 'show the different labels of two gradings of the same trials',
    args: { '<batch>': 'BASE, or only HEAD for a re-grade', '[head]': 'HEAD' },
    options: [
      ...output(OUTPUT_FORMATS),
      [
        '-r, --rubric <id>',
        'compare the answers to this rubric, whatever its version; needed where both batches ask by several rubrics',
      ],
    ],
    database: 'read',
    help: [
      `Pairs the grades of the same trial and ground truth. For a single batch, a re-grade, the base are the grades that were graded
again.`,
      `Output: table (counts, the matrix of labels, every flip), ndjson (a flip a line, with both receipts), csv (a flip a row).
Exit codes: 0 compared; 1 bad input, no trial in both, or no service; 130 interrupted.`,
      `Examples:
  veridict compare bat_01 bat_02
  veridict compare bat_02 -o csv --out flips.csv     (bat_02 is a re-grade)
  veridict compare bat_01 bat_02 -r injection        (both ask by several rubrics)`,
    ],
  },
  async (session, { rubric }, first, second) => {
    const { signal, json, write } = session
    const sides = {
      ...(second === undefined ? { head: first } : { base: first, head: second }),
      ...(rubric && { rubric }),
    }
    let page = await session.veridict.compare({ ...sides, limit: 200 })
    if (page.pairs + page.unpaired.without_label === 0) throw nothingShared(page)
    const rows = flipRows(session, page)
    const flips: Flip[] = []
    session.data = { ...page, flips, next_cursor: null }
    await write(rows.head())
    for (;;) {
      if (json) flips.push(...page.flips)
      for (const flip of page.flips) await write(rows.row(flip))
      if (page.next_cursor === null) return EXIT.graded
      signal.throwIfAborted()
      page = await session.veridict.compare({ ...sides, limit: 200, cursor: page.next_cursor, statistics: false })
    }
  },
)

/** Builds the error of two batches without a common trial. A matrix of zeros would look like agreement. */
const nothingShared = ({ base, head, unpaired }: Comparison): CliError =>
  new CliError('no trial stands in both', [`${oneLine(base)} and ${oneLine(head)}: ${tally(unpaired)}`])

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

const FLIP_TABLE = tableOf<Flip>([
  ['base', 15, ({ base }) => clip(base.label ?? '–', 15)],
  ['head', 15, ({ head }) => clip(head.label ?? '–', 15)],
  ['trial', 40, ({ task, trajectory }) => clip(task ?? trajectory, 40)],
  ['grade of base', 40, ({ base }) => clip(`${base.grade_id} ${base.receipt.judge}`, 40)],
  ['grade of head', 0, ({ head }) => clip(`${head.grade_id} ${head.receipt.judge}`, 60)],
])

const flipRows = ({ format }: Session, comparison: Comparison): Pick<Rows<Flip>, 'head' | 'row'> => {
  if (format === 'csv') return FLIPS
  if (format === 'ndjson') return NDJSON
  const flips = comparison.flipped === 0 ? '' : FLIP_TABLE.head()
  return { ...FLIP_TABLE, head: () => `${comparisonText(comparison)}${flips}` }
}

function comparisonText(comparison: Comparison): string {
  const { base, head, pairs, same, flipped, unpaired } = comparison
  const { labels, counts } = comparison.matrix
  const matrix = tableOf<number>([
    ['base \\ head', 15, (row) => clip(labels[row] ?? '', 15)],
    ...labels.map((label, column) => [clip(label, 15), 15, (row: number) => String(counts[row]?.[column])] as const),
  ])
  const rows = [
    `${clip(base, 60)} → ${clip(head, 60)}`,
    `${count(pairs, 'pair')} with a label on both sides: ${same} the same, ${flipped} flipped`,
    `base      ${sideText(comparison.base_counts)}`,
    `head      ${sideText(comparison.head_counts)}`,
    `unpaired  ${tally(unpaired) || 'none'}`,
    '',
    matrix.head() + labels.map((_label, row) => matrix.row(row)).join(''),
    ...agreementRows(comparison),
  ]
  return `${rows.join('\n')}\n`
}

/** Renders the agreement with 95% intervals, and the flips that repeated asking would give. */
function agreementRows({ agreement, repeat_noise: noise }: Comparison): string[] {
  if (agreement === undefined) return []
  const { raw_agreement: raw, cohen_kappa, krippendorff_alpha, gwet_ac1 } = agreement
  const words = Object.entries({ raw, κ: cohen_kappa, α: krippendorff_alpha, AC1: gwet_ac1 })
  const expected = noise?.expected_flips
  const repeats = expected == null ? [] : [`repeat noise alone would give about ${expected.toFixed(1)} flips`]
  return [`agreement  ${words.map(([word, value]) => `${word} ${statisticText(value)}`).join(' · ')}`, ...repeats, '']
}

/** Renders a statistic, `0.713 [0.64, 0.78]`, or the reason of its absence. */
export const statisticText = ({ value, ci95, reason }: Statistic): string => {
  if (value === null) return reason === null ? '–' : `– (${REASON_WORDS[reason] ?? reason})`
  const interval = ci95 === null ? '' : ` [${ci95.map((limit) => limit.toFixed(2)).join(', ')}]`
  return `${value.toFixed(3)}${interval}`
}

const sideText = ({ n, failures, ...ends }: Comparison['base_counts']): string => {
  const codes = tally(failures)
  return `${count(n, 'item')} · ${tally(ends)}${codes === '' ? '' : ` (${codes})`}`
}
