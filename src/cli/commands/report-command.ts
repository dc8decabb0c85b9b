import { count } from '../../domain/words.ts'
import type { ReportQuery } from '../../library/veridict.ts'
import {
  ALIGNMENT_FIGURES,
  type Corrected,
  NO_FIELD,
  type PairedReport,
  type Rate,
  type Report,
  type ReportGroup,
} from '../../schemas/report.ts'
import { CliError, nothingFits } from '../errors.ts'
import { type Options, OUTPUT_FORMATS, output } from '../options.ts'
import { clip, line, oneLine, pad, percent, tally } from '../output/text.ts'
import { sessionCommand } from '../session.ts'

export const report = sessionCommand<Options & ReportQuery>(
  {
    name: 'report',
    about: 'show the shares of outcomes and claims of stored grades, with intervals and denominators',
    options: [
      ...output(OUTPUT_FORMATS),
      ['--group-by <field>', 'a field of the metadata, judge, surface or none (default: agent)'],
      ['-j, --judge <name>', 'the grades of this judge; needed where several judges graded the selection'],
      [
        '-r, --rubric <id>',
        'id@version, or an id for all of its versions; needed where the selection has several rubrics',
      ],
      ['-b, --batch <id>', 'the trials of this batch, as they ended in it'],
      ['--agent <name>', 'only this agent'],
      ['--model <name>', 'only this model'],
      ['--task <name>', 'only this task'],
      ['--variant <name>', 'only this variant'],
      ['--pair-by <name>', 'variant, agent or model: compare --base with --head, trial by trial'],
      ['--base <value>', 'a value of --pair-by'],
      ['--head <value>', 'a value of --pair-by'],
    ],
    database: 'read',
    help: [
      `Reports the standing grade of each trial, or with --batch the grades of its trials: per group the share of each label and of
each value of each claim of the rubric, corrected by reviews; for tab-behavior also R, C, T and resolution; and the results of
each judge's evidence. Every figure has its 95% interval and its count; notes name excluded trials. A trial counts once: where
several judges or rubrics graded the selection, the command names them.`,
      `Output: table (a figure a line), ndjson (the report as one JSON object), csv (a figure a row).
Exit codes: 0 reported; 1 bad input or no service; 130 interrupted.`,
      `Examples:
  veridict report --batch bat_01
  veridict report --judge openai --rubric failure-attribution@1 --group-by dataset
  veridict report --judge openai --pair-by variant --base tab --head tab-defended -o csv --out paired.csv`,
    ],
  },
  async (session, options) => {
    const { veridict, format } = session
    const { server: _server, output: _output, out: _out, json: _json, ...query } = options
    if (format === 'csv') return session.answer(null, await veridict.reportCsv(query))
    const made = await veridict.report(query)
    if (format === 'table' && made.judges.length === 0) throw await nothingFits(veridict, query)
    const noField = made.notes.find((note) => note.startsWith(NO_FIELD))
    if (format === 'table' && noField !== undefined && query.group_by !== undefined && query.group_by !== 'surface')
      throw new CliError(oneLine(noField))
    return session.answer(made, format === 'table' ? reportText(made) : line(made))
  },
)

/** Renders a report, a figure a line: `name  value % [interval]  k/n`. */
function reportText({ judges, rubric, group_by, overall, groups, paired, evidence, notes }: Report): string {
  const shownGroups = groups.length === 1 ? [] : groups
  const lines = [
    `${oneLine(rubric ?? 'no rubric')} · judge ${judges.map(oneLine).join(', ') || 'none'} · by ${oneLine(group_by)}`,
    ...(overall === null ? [] : ['', 'all trials', ...groupLines(overall)]),
    ...shownGroups.flatMap((group) => ['', clip(group.key ?? '(not given)', 80), ...groupLines(group)]),
    ...(paired === null ? [] : pairedLines(paired)),
    ...evidence.flatMap(({ judge, grades, citations }) => [
      '',
      `evidence of ${clip(judge, 60)}`,
      ...figureLines(grades, (status) => `grades ${status}`),
      ...figureLines(citations, (status) => `citations ${status}`),
    ]),
    ...notes.map((note, index) => `${index === 0 ? '\n' : ''}note: ${oneLine(note)}`),
  ]
  const shown = lines.filter((text) => text !== null)
  const empty = lines.length - shown.length
  if (empty > 0) shown.push(`\n${count(empty, 'figure')} without a value left out: -o csv has them, with their reasons`)
  return `${shown.join('\n')}\n`
}

function groupLines({ counts, shares, levels, mean, claims, corrected, ...figures }: ReportGroup): Line[] {
  const { n, graded, unverified, failed, cancelled, tasks } = counts
  const low = Object.values(levels).reduce((sum, level) => sum + level.low, 0)
  const ends = `${graded} graded (${low} at low), ${unverified} unverified, ${failed} failed, ${cancelled} cancelled`
  const claimLines = Object.entries(claims).flatMap(([id, claim]) => [
    ...figureLines(claim.shares, (value) => `${id} ${value}`),
    ...(claim.mean === null ? [] : [figureLine(`${id} mean`, claim.mean, number)]),
  ])
  return [
    `  ${count(n, 'trial')}${tasks === 0 ? ', none with a task' : ` of ${count(tasks, 'task')}`}: ${ends}`,
    ...figureLines(shares),
    ...Object.entries(levels).flatMap(([label, levels]) =>
      tally(levels) === '' ? [] : `  ${pad(clip(`${label}, confidence`, WIDTH), WIDTH)}  ${tally(levels)}`,
    ),
    ...(mean === null ? [] : [figureLine('mean', mean, number)]),
    ...correctedLines(corrected),
    ...ALIGNMENT_FIGURES.flatMap((name) => (figures[name] === undefined ? [] : [figureLine(name, figures[name])])),
    ...claimLines,
  ]
}

const correctedLines = ({ estimator, reason, shares, n_reviews }: Corrected): Line[] =>
  estimator === null
    ? [`  not corrected: ${oneLine(reason)}`]
    : [...figureLines(shares, (label) => `${label}, corrected`), `  labels alone corrected, by ${n_reviews} reviews`]

function pairedLines({ base, head, pairs, measures, alignment }: PairedReport): Line[] {
  const pairLines = (name: string, before: Figure, after: Figure, difference: Figure): Line[] =>
    figureLines({ base: before, head: after, difference }, (side) => `${name}, ${side}`)
  return [
    '',
    `${clip(head, 40)} against ${clip(base, 40)}: ${pairs} pairs`,
    ...measures.flatMap(({ measure, base_rate, head_rate, mcnemar_p, difference }) => {
      const lines = pairLines(measure, base_rate, head_rate, difference)
      const p = mcnemar_p === null ? '' : `  p ${mcnemar_p.toPrecision(2)}`
      return lines.map((text, at) => (at === 2 && text !== null ? `${text}${p}` : text))
    }),
    ...Object.entries(alignment ?? {}).flatMap(([name, pair]) =>
      pairLines(name, pair.base, pair.head, pair.difference),
    ),
  ]
}

type Figure = Pick<Rate, 'value' | 'ci95'> & Partial<Pick<Rate, 'k' | 'n'>>
type Line = string | null

const WIDTH = 36
const number = (value: number): string => value.toPrecision(4)

const figureLines = (figures: Readonly<Record<string, Figure>>, nameOf = (name: string) => name): Line[] =>
  Object.entries(figures).map(([name, figure]) => figureLine(nameOf(name), figure))

function figureLine(name: string, { value, ci95, k, n }: Figure, show = percent): Line {
  if (value === null) return null
  const of = n === undefined ? '' : `  ${k === undefined ? '' : `${k}/`}${n}`
  const interval = ci95 === null ? '' : `  [${ci95.map(show).join(', ')}]`
  return `  ${pad(clip(name, WIDTH), WIDTH)}  ${show(value)}${interval}${of}`
}
