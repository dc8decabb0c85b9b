import { reportTable } from '../../audit/csv.ts'
import { count } from '../../domain/words.ts'
import type { ReportQuery, Veridict } from '../../library/veridict.ts'
import { NO_FIELD, type Report } from '../../schemas/report.ts'
import { NAMED_BY, type NamedBy } from '../../schemas/views.ts'
import { CliError } from '../errors.ts'
import { type Options, OUTPUT_FORMATS, output } from '../options.ts'
import { clip, line, oneLine, pad } from '../output/text.ts'
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
      `Reports the standing grade of each trial, or with --batch the grades of its trials: per group the share of each label and claim,
corrected by reviews; for tab-behavior also R, C, T and resolution; and the results of each judge's evidence. Every figure has its
95% interval and its count; notes name excluded trials.`,
      `Output: table (a figure a line), ndjson (the report as one JSON object), csv (a figure a row).
Exit codes: 0 reported; 1 bad input or no service; 130 interrupted.`,
      `Examples:
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

const MOST_NAMES = 20

/** Builds the error of a selection without grades, with the names that do have grades. */
async function nothingFits(veridict: Veridict, query: Partial<Record<NamedBy, string>>): Promise<CliError> {
  const { names } = await veridict.overview()
  const asked = NAMED_BY.filter((name) => query[name] !== undefined)
  return new CliError(
    'no stored grade fits',
    asked.map((name) => {
      const shown = names[name].slice(0, MOST_NAMES).map(oneLine).join(', ')
      return `--${name} ${oneLine(query[name] ?? '')}  there are: ${shown || 'none'}`
    }),
  )
}

type Row = ReturnType<typeof reportTable>[number]

/** Renders the figures that have a value, a figure a line below the name of their group. */
function reportText({ judges, rubric, ...report }: Report): string {
  const groups = report.groups.length === 1 ? [] : report.groups
  const rows = reportTable({ ...report, judges, rubric, groups, judge_quality: [] })
  const figures = Map.groupBy(
    rows.filter(([section]) => section !== 'note'),
    ([section, by, key]) => (section === 'overall' ? 'all trials' : `${section} ${by}: ${key ?? '(not given)'}`),
  )
  const empty = rows.filter(([section, , , , value]) => section !== 'note' && value === null).length
  const title = `${oneLine(rubric ?? 'no rubric')} · judge ${judges.map(oneLine).join(', ') || 'none'}`
  const lines = [
    `${title} · by ${oneLine(report.group_by)}`,
    ...[...figures].flatMap(([place, some]) => ['', clip(place, 120), ...some.flatMap(figureLine)]),
    ...report.notes.map((note) => `\nnote: ${oneLine(note)}`),
    ...(empty > 0 ? [`\n${count(empty, 'figure')} without a value left out: -o csv has them, with their reasons`] : []),
  ]
  return `${lines.join('\n')}\n`
}

const WIDTH = 44
const number = (value: unknown): string => Number(value).toFixed(3)

/** Renders a figure: `name  value [interval]  k/n`; nothing for a missing value, and for a count of zero. */
function figureLine([, , , measure, value, low, high, k, n]: Row): string[] {
  const isCount = n === null && low === null && Number.isInteger(value)
  if (value === null || (isCount && value === 0)) return []
  const interval = low === null ? '' : `  [${[low, high].map(number).join(', ')}]`
  const of = n === null ? '' : `  ${k === null ? '' : `${k}/`}${n}`
  return [`  ${pad(clip(String(measure), WIDTH), WIDTH)}  ${isCount ? value : number(value)}${interval}${of}`]
}
