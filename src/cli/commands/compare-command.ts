import { styleText } from 'node:util'
import { ServiceError } from '../../client/errors.ts'
import { count } from '../../domain/words.ts'
import type { Statistic } from '../../schemas/agreement.ts'
import { REASON_WORDS } from '../../schemas/reason-words.ts'
import type { Comparison, Flip } from '../../schemas/regrade.ts'
import { CliError, EXIT } from '../errors.ts'
import { type Options, OUTPUT_FORMATS, output } from '../options.ts'
import { clip, csvOf, NDJSON, oneLine, pad, type Rows, tally } from '../output/text.ts'
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
    let page = await firstPage(session, sides)
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

type Sides = Parameters<Session['veridict']['compare']>[0]

const firstPage = ({ veridict }: Session, sides: Sides): Promise<Comparison> =>
  veridict.compare({ ...sides, limit: 200 }).catch((error: unknown) => {
    const isWithoutBase =
      error instanceof ServiceError && error.status === 400 && error.errors.some(({ path }) => path.endsWith('/base'))
    if (sides.base !== undefined || !isWithoutBase) throw error
    const head = oneLine(sides.head)
    throw new CliError(`${head} is no re-grade: give BASE HEAD`, [`Like: veridict compare BASE ${head}`])
  })

/** Builds the error of two batches without a common trial. A matrix of zeros would look like agreement. */
const nothingShared = ({ base, head, unpaired }: Comparison): CliError =>
  new CliError('no trial stands in both', [
    `${unpaired.base_only} only in ${oneLine(base)} · ${unpaired.head_only} only in ${oneLine(head)}`,
    ...(unpaired.other_truth > 0 ? [`${count(unpaired.other_truth, 'run')} in both, with another ground truth`] : []),
    ...(unpaired.other_rubric > 0 ? [`${count(unpaired.other_rubric, 'run')} in both, asked by another rubric`] : []),
  ])

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

const flipRows = ({ format }: Session, comparison: Comparison): Pick<Rows<Flip>, 'head' | 'row'> => {
  if (format === 'csv') return FLIPS
  if (format === 'ndjson') return NDJSON
  return { head: () => comparisonText(comparison), row: flipText }
}

function comparisonText(comparison: Comparison): string {
  const { base, head, pairs, same, flipped, unpaired } = comparison
  // A re-grade without a base is compared with the grades that were graded again.
  const before = base === head ? 'the grades before' : clip(base, 60)
  const flips = styleText(flipped > 0 ? 'yellow' : 'green', `${flipped} flipped`)
  const rows = [
    styleText('bold', `${before} → ${clip(head, 60)}`),
    `${count(pairs, 'pair')} with a label on both sides: ${same} the same, ${flips}`,
    `base  ${sideText(comparison.base_counts)}`,
    `head  ${sideText(comparison.head_counts)}`,
    ...unpairedRows(unpaired),
    '',
    ...matrixRows(comparison.matrix),
    ...agreementRows(comparison),
    '',
  ]
  return `${rows.join('\n')}\n`
}

function unpairedRows({ base_only, head_only, without_label, other_truth }: Comparison['unpaired']): string[] {
  if (base_only + head_only + without_label === 0) return []
  const unlabelled = `${without_label} without a label on at least one side`
  return [
    `unpaired  ${base_only} only in base · ${head_only} only in head · ${unlabelled}`,
    ...(other_truth > 0
      ? [`          ${count(other_truth, 'run')} in both, with another ground truth: not paired`]
      : []),
  ]
}

/** Renders the agreement with 95% intervals, and the flips that repeated asking would give. */
function agreementRows({ agreement, repeat_noise: noise }: Comparison): string[] {
  if (agreement === undefined) return []
  const { raw_agreement: raw, cohen_kappa, krippendorff_alpha, gwet_ac1 } = agreement
  const words = Object.entries({ raw, κ: cohen_kappa, α: krippendorff_alpha, AC1: gwet_ac1 })
  const expected = noise?.expected_flips
  const repeats = expected == null ? [] : [`repeat noise alone would give about ${expected.toFixed(1)} flips`]
  return ['', `agreement  ${words.map(([word, value]) => `${word} ${statisticText(value)}`).join(' · ')}`, ...repeats]
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

const WIDTH = 16

function matrixRows({ labels, counts }: Comparison['matrix']): string[] {
  const head = pad('base \\ head', WIDTH) + labels.map((label) => label.padStart(WIDTH)).join('')
  const rows = labels.map((label, at) => {
    const cells = (counts[at] ?? []).map((n, column) => {
      const style = n === 0 ? 'dim' : column === at ? 'green' : 'yellow'
      return styleText(style, String(n).padStart(WIDTH))
    })
    return pad(label, WIDTH) + cells.join('')
  })
  return [styleText('bold', head), ...rows]
}

function flipText({ base, head, task, trajectory }: Flip): string {
  const change = `${pad(clip(base.label ?? '–', 15), 15)} → ${pad(clip(head.label ?? '–', 15), 15)}`
  const who = `${base.grade_id} ${base.receipt.judge} → ${head.grade_id} ${head.receipt.judge}`
  return `${styleText('yellow', change)}  ${pad(clip(task ?? trajectory, 40), 40)}  ${styleText('dim', clip(who, 100))}\n`
}
