import type { Command } from 'commander'
import { defined } from '../../domain/result.ts'
import { count } from '../../domain/words.ts'
import {
  ALIGNMENT_FIGURES,
  type Corrected,
  type JudgeEvidence,
  NO_FIELD,
  type Paired,
  type PairedReport,
  type Pairing,
  type Report,
  type ReportGroup,
} from '../../schemas/report.ts'
import { CliError, EXIT, type ExitCode, nothingFits } from '../errors.ts'
import { REPORT_HELP } from '../input/command-help.ts'
import { jsonCommand, type Options, withItems } from '../input/command-options.ts'
import { OUTPUT_FORMATS } from '../output/results-format.ts'
import { clip, line, oneLine, pad, percent, tally } from '../output/text.ts'
import { inSession, type Session } from '../session.ts'
import type { Shell } from '../shell.ts'

interface ReportOptions extends Options {
  readonly groupBy?: string
  readonly batch?: string
  readonly pairBy?: Pairing
  readonly base?: string
  readonly head?: string
}

const DESCRIPTION = 'show the shares of outcomes and claims of stored grades, with intervals and denominators'

export const reportCommand = (shell: Shell): Command =>
  withItems(jsonCommand('report', DESCRIPTION), OUTPUT_FORMATS)
    .option('--group-by <field>', 'a field of the metadata, judge, surface or none (default: agent)')
    .option('-j, --judge <name>', 'the grades of this judge; needed where several judges graded the selection')
    .option(
      '-r, --rubric <id>',
      'id@version, or an id for all of its versions; needed where the selection has several rubrics',
    )
    .option('-b, --batch <id>', 'the trials of this batch, as they ended in it')
    .option('--agent <name>', 'only this agent')
    .option('--model <name>', 'only this model')
    .option('--task <name>', 'only this task')
    .option('--variant <name>', 'only this variant')
    .option('--pair-by <name>', 'variant, agent or model: compare --base with --head, trial by trial')
    .option('--base <value>', 'a value of --pair-by')
    .option('--head <value>', 'a value of --pair-by')
    .addHelpText('after', REPORT_HELP)
    .action((options: ReportOptions) =>
      inSession(shell, { ...options, database: 'read' }, (session) => write(session, options)),
    )

async function write(session: Session, options: ReportOptions): Promise<ExitCode> {
  const { veridict, target, format } = session
  const { groupBy: group_by, pairBy: pair_by, judge, rubric, batch, agent, model, task, variant, base, head } = options
  const query = defined({ group_by, judge, rubric, batch, agent, model, task, variant, pair_by, base, head })
  if (format === 'csv') await target.write(await veridict.reportCsv(query))
  else {
    const report = await veridict.report(query)
    if (format === 'table' && report.judges.length === 0) throw await nothingFits(veridict, query)
    const noField = report.notes.find((note) => note.startsWith(NO_FIELD))
    if (format === 'table' && noField !== undefined && group_by !== undefined && group_by !== 'surface')
      throw new CliError(oneLine(noField))
    await target.write(format === 'table' ? reportText(report) : line(report))
    session.data = report
  }
  await target.commit()
  return EXIT.graded
}

/** Renders a report, a figure a line: `name  value % [interval]  k/n`. */
function reportText(report: Report): string {
  const { judges, rubric, group_by, overall, groups, paired, evidence, notes } = report
  const lines = [
    `${oneLine(rubric ?? 'no rubric')} · judge ${judges.map(oneLine).join(', ') || 'none'} · by ${oneLine(group_by)}`,
    ...(overall === null ? [] : ['', 'all trials', ...groupLines(overall)]),
    ...(groups.length === 1
      ? []
      : groups.flatMap((group) => ['', clip(group.key ?? '(not given)', 80), ...groupLines(group)])),
    ...(paired === null ? [] : pairedLines(paired)),
    ...evidence.flatMap(evidenceLines),
    ...notes.map((note, index) => `${index === 0 ? '\n' : ''}note: ${oneLine(note)}`),
  ]
  return `${lines.join('\n')}\n`
}

function groupLines({ counts, shares, levels, mean, claims, corrected, ...figures }: ReportGroup): string[] {
  const { n, graded, unverified, failed, cancelled, tasks } = counts
  const claimLines = Object.entries(claims).flatMap(([id, claim]) => [
    ...Object.entries(claim.shares).map(([value, share]) => figureLine(`${id} ${value}`, share)),
    ...(claim.mean === null ? [] : [figureLine(`${id} mean`, claim.mean, number)]),
  ])
  return [
    `  ${count(n, 'trial')}${tasks === 0 ? ', none with a task' : ` of ${count(tasks, 'task')}`}: ${graded} graded, ${unverified} unverified, ${failed} failed, ${cancelled} cancelled`,
    ...Object.entries(shares).map(([label, share]) => figureLine(label, share)),
    ...Object.entries(levels).flatMap(([label, levels]) =>
      tally(levels) === '' ? [] : `  ${pad(clip(`${label}, confidence`, WIDTH), WIDTH)}  ${tally(levels)}`,
    ),
    ...(mean === null ? [] : [figureLine('mean', mean, number)]),
    ...correctedLines(corrected),
    ...ALIGNMENT_FIGURES.flatMap((name) => {
      const figure = figures[name]
      return figure === undefined ? [] : [figureLine(name, figure)]
    }),
    ...claimLines,
  ]
}

const correctedLines = ({ estimator, reason, shares, n_reviews }: Corrected): string[] =>
  estimator === null
    ? [`  not corrected: ${oneLine(reason)}`]
    : [
        ...Object.entries(shares).map(([label, share]) => figureLine(`${label}, corrected`, share)),
        `  corrected by ${n_reviews} reviews, ${estimator}`,
      ]

function pairedLines({ base, head, pairs, measures, alignment }: PairedReport): string[] {
  const compared = ({ measure, base_rate, head_rate, mcnemar_p, difference }: Paired): string[] => [
    figureLine(`${measure}, base`, base_rate),
    figureLine(`${measure}, head`, head_rate),
    `${figureLine(`${measure}, difference`, difference)}${mcnemar_p === null ? '' : `  p ${mcnemar_p.toPrecision(2)}`}`,
  ]
  return [
    '',
    `${clip(head, 40)} against ${clip(base, 40)}: ${pairs} pairs`,
    ...measures.flatMap(compared),
    ...Object.entries(alignment ?? {}).flatMap(([name, pair]) => [
      figureLine(`${name}, base`, pair.base),
      figureLine(`${name}, head`, pair.head),
      figureLine(`${name}, difference`, pair.difference),
    ]),
  ]
}

const evidenceLines = ({ judge, grades, citations }: JudgeEvidence): string[] => [
  '',
  `evidence of ${clip(judge, 60)}`,
  ...Object.entries(grades).map(([status, share]) => figureLine(`grades ${status}`, share)),
  ...Object.entries(citations).map(([status, share]) => figureLine(`citations ${status}`, share)),
]

interface Figure {
  readonly value: number | null
  readonly ci95: readonly number[] | null
  readonly reason?: string | null
  readonly k?: number
  readonly n?: number
}

const WIDTH = 36
const number = (value: number): string => value.toPrecision(4)

function figureLine(name: string, { value, ci95, reason, k, n }: Figure, show = percent): string {
  const of = n === undefined ? '' : `  ${k === undefined ? '' : `${k}/`}${n}`
  const interval = ci95 === null ? '' : `  [${ci95.map(show).join(', ')}]`
  const why = reason ? `  (${reason})` : ''
  return `  ${pad(clip(name, WIDTH), WIDTH)}  ${value === null ? '–' : show(value)}${interval}${of}${why}`
}
