import { csvRow, REPORT_COLUMNS, reportTable } from '../../audit/csv.ts'
import type { JsonQuery, Veridict } from '../../client/veridict.ts'
import { sum } from '../../domain/statistics/weighted-shares.ts'
import { count } from '../../domain/words.ts'
import type { Comparison, EvidenceAgreement, Flip } from '../../schemas/agreement.ts'
import { ALIGNMENT_FIGURES, FIGURES, type Report, type ReportGroup } from '../../schemas/report.ts'
import { DISPOSITIONS, type DispositionRequest, type FindingClass, type Findings } from '../../schemas/review.ts'
import { NAMED_BY, type NamedBy } from '../../schemas/views.ts'
import { BATCH, choice, filters, type Options, OUTPUT_FORMATS, option, output } from '../options.ts'
import * as t from '../output/text.ts'
import { type Session, sessionCommand } from '../session.ts'
import { CliError, EXIT, shellWord } from '../shell.ts'

type CompareOptions = Options & { readonly across?: boolean }

export const compare = sessionCommand<CompareOptions, [first: string, second?: string]>('compare', {
  args: { '<batch>': 'BASE, or only HEAD for a re-grade', '[head]': 'HEAD' },
  options: [
    ...output(OUTPUT_FORMATS),
    option('-r, --rubric <id>', 'the rubric to compare by, of any version; needed where both ask by several'),
    option('--across', 'compute paired tests also across other rubrics and versions'),
  ],
  async work(session, { rubric, across }, first, second) {
    const { veridict, signal } = session
    const sides = second === undefined ? { head: first } : { base: first, head: second }
    const query = { ...sides, ...(rubric && { rubric }), ...(across && { across }), limit: 200 }
    const comparison = await veridict.compare(query)
    if (comparison.pairs + comparison.unpaired.without_label === 0) throw nothingShared(comparison)
    async function* flipsOf(): AsyncGenerator<Flip> {
      for (let page = comparison; ; ) {
        yield* page.flips
        if (page.next_cursor === null) return
        signal.throwIfAborted()
        page = await veridict.compare({ ...query, cursor: page.next_cursor, statistics: false })
      }
    }
    const head = () => comparisonText(comparison) + (comparison.flipped === 0 ? '' : FLIP_TABLE.head())
    const flips = await t.writeRows(session, flipsOf(), { csv: FLIPS, table: { ...FLIP_TABLE, head } })
    return { data: { ...comparison, flips, next_cursor: null } }
  },
})

/** Builds the error of two batches without a common trial. A matrix of zeros would look like agreement. */
const nothingShared = (comparison: Comparison): CliError =>
  new CliError('no trial stands in both', [`${sidesText(comparison)}: ${t.tally(comparison.unpaired)}`])

/** Names the sides of a comparison. The base of a re-grade has the id of the re-grade in its name. */
const sidesText = ({ base, head }: Comparison): string =>
  `${base === `sources of ${head}` ? 'the grades before' : t.clip(base, 60)} → ${t.clip(head, 60)}`

const ofSides = (name: string, of: (side: Flip['base']) => t.Cell): t.Field<Flip>[] =>
  (['base', 'head'] as const).map((side) => [`${side}_${name}`, (flip) => of(flip[side])])
const FLIPS = t.csvOf<Flip>([
  ['task', ({ task }) => task],
  ['trajectory', ({ trajectory }) => trajectory],
  ...ofSides('label', ({ label }) => label),
  ...ofSides('judge', ({ receipt }) => receipt.judge),
  ...ofSides('rubric', ({ receipt }) => receipt.rubric),
  ...ofSides('grade', ({ grade_id }) => grade_id),
])

const FLIP_TABLE = t.tableOf<Flip>([
  ['base', 15, ({ base }) => t.clip(base.label ?? '–', 15)],
  ['head', 15, ({ head }) => t.clip(head.label ?? '–', 15)],
  ['trial', 40, ({ trial, task, trajectory }) => t.clipFront(trial ?? task ?? t.unnamed(trajectory), 40)],
  ['grade of base', 40, ({ base }) => t.clip(`${base.grade_id} ${base.receipt.judge}`, 40)],
  ['grade of head', 0, ({ head }) => t.clip(`${head.grade_id} ${head.receipt.judge}`, 60)],
])

function comparisonText(comparison: Comparison): string {
  const { pairs, same, flipped, unpaired, differs = [], tests } = comparison
  const { labels, counts } = comparison.matrix
  const matrix = t.tableOf<number>([
    ['base \\ head', 15, (row) => t.clip(labels[row] ?? '', 15)],
    ...labels.map((label, column) => [t.clip(label, 15), 15, (row: number) => String(counts[row]?.[column])] as const),
  ])
  const differences = differs.map(({ what, n, base: ofBase, head: ofHead }) => {
    const values = [ofBase, ofHead].map((side) => t.clip(side.join(', '), 60)).join(' → ')
    return `differs   ${what}: ${values} (${n})`
  })
  const blocking = differs.flatMap(({ what, blocks_tests }) => (blocks_tests && tests === undefined ? [what] : []))
  const untested = `no paired test across ${blocking.join(', ')}: a moved label says nothing of the judge there (--across)`
  const rows = [
    ...differences,
    ...(blocking.length > 0 ? [untested] : []),
    sidesText(comparison),
    `${count(pairs, 'pair')} with a label on both sides: ${same} the same, ${flipped} flipped`,
    `base      ${sideText(comparison.base_counts)}`,
    `head      ${sideText(comparison.head_counts)}`,
    `unpaired  ${t.tally(unpaired) || 'none'}`,
    '',
    matrix.head() + labels.map((_label, row) => matrix.row(row)).join(''),
    ...agreementRows(comparison),
  ]
  return `${rows.join('\n')}\n`
}

function agreementRows({ agreement, evidence_agreement = [], repeat_noise: noise }: Comparison): string[] {
  if (agreement === undefined) return []
  const { base_rate: rate, constant_guess: guess, raw_agreement: raw } = agreement
  const words = { raw, κ: agreement.cohen_kappa, α: agreement.krippendorff_alpha, AC1: agreement.gwet_ac1 }
  const always =
    guess && `always answering ${t.clip(guess.label, 20)} agrees with the base in ${fixed(guess.agreement)}`
  const figures = Object.entries(words).map(([word, value]) => `${word} ${t.statisticText(value)}`)
  const flips = noise?.expected_flips ?? null
  const rows = [
    `agreement  ${figures.join(' · ')}`,
    rate && always ? `base rate ${fixed(rate.share)} (${t.clip(rate.label, 20)}): ${always}` : '',
    ...evidence_agreement.map(evidenceText),
    flips === null ? '' : `asking the same judge again would give about ${flips.toFixed(1)} flips`,
  ]
  return [...t.present(rows), '']
}

/** Renders the agreement of a pair on evidence: `evidence   base, head: overlapping 12 · disjoint 3`. */
const evidenceText = ({ raters: [one = '', other = ''], ...counts }: EvidenceAgreement[number]): string =>
  `evidence   ${t.clip(one === other ? `samples of ${one}` : `${one}, ${other}`, 60)}: ${t.tally(counts)}`

const sideText = ({ n, failures, ...ends }: Comparison['base_counts']): string =>
  t.present([`${count(n, 'item')} · ${t.tally(ends)}`, t.tally(failures) && `(${t.tally(failures)})`]).join(' ')

export const report = sessionCommand<Options & JsonQuery<'getReport'>>('report', {
  options: [
    ...output(OUTPUT_FORMATS),
    option('--group-by <field>', 'a field of the metadata, judge, surface or none (default: agent)'),
    option('-j, --judge <name>', 'the grades of this judge; needed where several judges graded the selection'),
    option('-r, --rubric <id>', 'id@version, or an id of which one version graded; needed where there are several'),
    option('-b, --batch <id>', 'the trials of this batch, as they ended in it'),
    ...filters('agent', 'model', 'task', 'variant'),
    option('--pair-by <name>', 'variant, agent or model: compare --base with --head, trial by trial'),
    option('--base <value>', 'a value of --pair-by'),
    option('--head <value>', 'a value of --pair-by'),
  ],
  async work(session, options) {
    const { veridict, format } = session
    const { server: _server, output: _output, out: _out, force: _force, json: _json, ...query } = options
    const made = await veridict.report(query)
    if (format === 'csv') return { data: null, text: [REPORT_COLUMNS, ...reportTable(made)].map(csvRow).join('') }
    if (format === 'table' && made.judges.length === 0) throw await nothingFits(veridict, query)
    return { data: made, text: format === 'table' ? reportText(made) : t.line(made) }
  },
})

async function nothingFits(veridict: Veridict, query: Partial<Record<NamedBy, string>>): Promise<CliError> {
  const { names } = await veridict.overview()
  const asked = NAMED_BY.filter((name) => query[name] !== undefined)
  const details = asked.map((name) => {
    const there = names[name].slice(0, 20).map(t.oneLine).join(', ') || 'none'
    return `--${name} ${t.oneLine(query[name] ?? '')}  there are: ${there}`
  })
  return new CliError('no stored grade fits', details)
}

type Row = ReturnType<typeof reportTable>[number]

const sharesOf = (labels: readonly string[]) =>
  t.tableOf<ReportGroup>([
    ['group', 24, ({ key }) => t.clip(key ?? '(not given)', 24)],
    ...(['n', 'graded', 'unverified', 'failed'] as const).map(
      (name) => [name, Math.max(6, name.length), ({ counts }: ReportGroup) => String(counts[name])] as const,
    ),
    ...labels
      .slice(0, 8)
      .map((label) => [t.clip(label, 20), 20, ({ shares }: ReportGroup) => t.percentText(shares[label])] as const),
  ])

function reportText(report: Report): string {
  const { judges, rubric, group_by, overall, labels, notes, paired, evidence_agreement } = report
  const groups = report.groups.length === 1 ? [] : report.groups
  const table = sharesOf(labels)
  const rows = reportTable({ ...report, groups: [], judge_quality: [], evidence: [], notes: [] }).filter(
    ([section, , , name]) =>
      section === 'paired' ||
      [...ALIGNMENT_FIGURES, 'mean'].includes(String(name)) ||
      /^corrected\.(?!claim\.)/.test(String(name)),
  )
  const figures = (section: string) => rows.filter(([name]) => name === section).flatMap(figureLine)
  const empty = rows.filter(([, , , , value]) => value === null).length
  const by = `judge ${judges.map(t.oneLine).join(', ') || 'none'} · ${group_by === 'none' ? 'all trials' : `by ${t.oneLine(group_by)}`}`
  const all = overall === null ? [] : [{ ...overall, key: 'all trials' }]
  const lines = [
    `${t.oneLine(rubric ?? 'no rubric')} · ${by} · shares with 95% intervals; -o csv has every figure\n`,
    table.head() + [...all, ...groups].map(table.row).join(''),
    ...figures('overall'),
    ...evidence_agreement.map(evidenceText),
    paired === null ? '' : `\n${t.clip(`${paired.pair_by}: ${paired.base} → ${paired.head}`, 120)}`,
    ...figures('paired'),
    ...notes.map((note) => `\nnote: ${t.oneLine(note)}`),
    empty > 0 ? `\n${count(empty, 'figure')} without a value left out: -o csv has them, with their reasons` : '',
  ]
  return `${t.present(lines).join('\n')}\n`
}

const fixed = (value: unknown): string => Number(value).toFixed(3)

/** Renders a figure: `name  value [interval]  k/n  meaning`; nothing for a missing value, and for a count of zero. */
function figureLine([, , , measure, value, low, high, k, n]: Row): string[] {
  const isCount = n === null && low === null && Number.isInteger(value)
  if (value === null || (isCount && value === 0)) return []
  const interval = low === null ? '' : `  [${[low, high].map(fixed).join(', ')}]`
  const of = n === null ? '' : `  ${k === null ? '' : `${k}/`}${n}`
  const name = String(measure)
  const meaning: string = Object(FIGURES)[name]?.description ?? ''
  const figure = `  ${t.pad(t.clip(name, 44), 28)}  ${isCount ? value : fixed(value)}${interval}${of}`
  return [`${t.pad(figure, 64)}  ${meaning}`.trimEnd()]
}

const BY = option('--by <name>', 'who decides: a lasting name of a person').makeOptionMandatory()

export const findings = sessionCommand<Options, [batch: string, name?: string]>('findings', {
  args: { ...BATCH, '[class]': 'list the findings of this class' },
  async work(session, _options, batch, name) {
    const data = await session.veridict.findings(batch, name === undefined ? {} : { class: name })
    const [asked] = data.classes
    if (name === undefined) await t.writeRows(session, data.classes, { table: CLASSES }, () => summaryOf(data))
    else await t.writeRows(session, asked?.trials ?? [], { table: TRIALS })
    const notes = [
      data.open === 0 ? '' : `Close a class: ${disposeLine(session, batch, 'CLASS', 'NAME')}`,
      data.ended ? '' : 'The batch has not ended: it can have more findings.',
    ]
    return { data, notes, code: data.open > 0 || !data.ended ? EXIT.unverified : EXIT.graded }
  },
})

type DisposeOptions = Options &
  Pick<DispositionRequest, 'reason' | 'by'> & { readonly as: DispositionRequest['disposition'] }

export const dispose = sessionCommand<DisposeOptions, [batch: string, name: string]>('dispose', {
  args: { ...BATCH, '<class>': 'a class, as `veridict findings BATCH` lists it' },
  options: [
    choice('--as <word>', 'what becomes of its findings', DISPOSITIONS).makeOptionMandatory(),
    option('--reason <text>', 'why; needed for dismissed'),
    BY,
  ],
  async work({ veridict }, { as: disposition, reason = '', by }, batch, name) {
    const data = await veridict.dispose(batch, { class: name, disposition, reason, by })
    const decided = `${count(data.count, 'finding')} ${data.disposition} by ${t.oneLine(data.by)}`
    return { data, text: `${data.class}: ${decided}\n` }
  },
})

export const signoff = sessionCommand<Options & { readonly by: string }, [batch: string]>('signoff', {
  args: BATCH,
  options: [BY],
  async work(session, { by }, batch) {
    const { veridict, flag } = session
    const { ended, classes } = await veridict.findings(batch)
    const open = classes.filter((one) => one.open)
    if (ended && open.length > 0)
      throw new CliError(
        `${batch} has ${count(open.length, 'open class', 'open classes')} of findings`,
        open.map((one) => `${count(one.count, 'finding')}: ${disposeLine(session, batch, one.id, by)}`),
        EXIT.unverified,
        'findings_open',
      )
    const data = await veridict.signOff(batch, { by })
    const bundle = `Write the signed bundle: veridict results ${shellWord(batch)}${flag} -o bundle`
    return { data, text: `${batch} is signed by ${t.oneLine(data.by)}: ${tallyText(data)}\n`, notes: [bundle] }
  },
})

const disposeLine = ({ flag }: Session, batch: string, name: string, by: string): string =>
  `veridict dispose ${shellWord(batch)} ${shellWord(name)}${flag} --as dismissed --reason '…' --by ${shellWord(by)}`

const stateOf = ({ open, disposition }: FindingClass): string =>
  disposition === null
    ? 'open'
    : `${open ? 'open again, was ' : ''}${disposition.disposition} by ${t.oneLine(disposition.by)}`

const CLASSES = t.tableOf<FindingClass>([
  ['class', 62, ({ id }) => id],
  ['findings', 8, (one) => String(one.count)],
  ['state', 26, stateOf],
  ['the first', 0, ({ trials: [first] }) => (first ? `${t.clipFront(first.name, 40)}: ${t.clip(first.why, 100)}` : '')],
])

const TRIALS = t.tableOf<FindingClass['trials'][number]>([
  ['trial', 40, ({ name }) => t.clipFront(name, 40)],
  ['grade', 30, ({ grade_id }) => grade_id ?? '–'],
  ['why', 0, ({ why }) => t.clip(why, 200)],
])

function tallyText({ tally: rows }: Pick<Findings, 'tally'>): string {
  const sums: Record<string, number> = {}
  for (const { disposition, findings } of rows) sums[disposition] = (sums[disposition] ?? 0) + findings
  const [all = 0, classes = 0] = (['findings', 'classes'] as const).map((name) => sum(rows.map((row) => row[name])))
  return t.present([`${count(all, 'finding')} in ${count(classes, 'class', 'classes')}`, t.tally(sums)]).join(': ')
}

function summaryOf(data: Findings): string {
  const { signoff } = data
  const state = signoff?.outdated === true ? ', and is outdated: findings or decisions have changed since' : ''
  const signed = signoff === null ? 'not signed' : `signed by ${t.oneLine(signoff.by)} ${signoff.created_at}${state}`
  return `${tallyText(data)}\n${signed}`
}
