import { count } from '../../domain/count.ts'
import type { Batch } from '../../schemas/batch.ts'
import { LABELS } from '../../schemas/vocabulary.ts'
import type { RubricText } from '../client/client.ts'
import type { WrittenFile } from './appendix-folder.ts'
import type { AppendixTally, Setting, Trial } from './appendix-tally.ts'
import { dollars, oneLine } from './terminal-text.ts'

interface Page {
  readonly batch: Batch
  readonly tally: AppendixTally
  /** Null: not loaded any more as it was. */
  readonly rubrics: ReadonlyMap<string, RubricText | null>
  readonly files: readonly WrittenFile[]
  readonly version: string
}

/** The Markdown page that a paper can take over. The same batch gives the same bytes. */
export function renderPage(page: Page): string {
  const { batch, tally, rubrics, files, version } = page
  const { total, graded } = batch.counts
  const sections = [
    `# How ${cell(batch.name ?? batch.id)} was graded`,
    `Batch \`${batch.id}\` (${said(batch.kind)}, ${said(batch.mode)}), begun ${batch.created_at}, ${batch.status} ${batch.finished_at}. Written by veridict ${version}.`,
    ...tally.settings().map(({ setting, grades }) => methodText(setting, grades, total)),
    ...ungradedText(tally, total),
    HOW_LABELS,
    '## Counts',
    countsText(batch, tally),
    ...section('## What was not graded', graded < total ? [failuresText(batch)] : []),
    '## Trials',
    trialsTable(tally.trials),
    ...section(
      '## Settings',
      tally.settings().map(({ setting, grades }) => settingTable(setting, grades)),
    ),
    '## Calls and cost',
    costText(page),
    ...section(
      '## Prompt',
      [...rubrics].map(([name, rubric]) => promptText(name, rubric)),
    ),
    '## Files',
    table(
      ['file', 'holds', 'bytes', 'SHA-256'],
      files.map(({ name, bytes, sha256 }) => [`\`${name}\``, holds(name), String(bytes), `\`${sha256}\``]),
    ),
    'Verify them with `sha256sum -c SHA256SUMS`.',
  ]
  return `${sections.join('\n\n')}\n`
}

/** A heading is written only above what stands below it. */
const section = (heading: string, texts: readonly string[]): string[] => (texts.length === 0 ? [] : [heading, ...texts])

const HOW_LABELS = `The judge answers claims with verbatim quotes and never writes the label. Code checks every quote against the record of the run,
and derives the label by the rubric's table. An answer whose evidence does not hold is *unverified* and has no label; a judge that did not answer is
a *failure* with a code. Neither counts as any label.`

function methodText(setting: Setting, grades: number, items: number): string {
  const { samples } = setting
  const asked = [
    ...(setting.provider === null ? [] : askedWith(setting)),
    samples === null ? 'an unknown number of samples' : count(samples, 'sample'),
    `mode ${said(setting.mode)}`,
  ]
  const who = setting.provider === null ? searchText(setting) : modelText(setting)
  return `${grades} of ${count(items, 'trial')} ${grades === 1 ? 'was' : 'were'} judged by ${who}, with ${asked.join(', ')}, under rubric \`${cell(setting.rubric)}\`, by ${said(setting.software)}.`
}

const searchText = ({ judge }: Setting): string =>
  `\`${cell(judge)}\`, a search for the strings of cue and distractor that is no model and is not shown the prompt`

function modelText({ judge, provider, model_requested, model_resolved, settings }: Setting): string {
  const answered =
    model_resolved !== null && model_resolved !== model_requested ? ` (answered as \`${cell(model_resolved)}\`)` : ''
  return `\`${cell(model_requested ?? judge)}\`${answered} through ${said(provider)} (${said(settings?.api)} API at ${said(settings?.host)})`
}

const askedWith = ({ settings }: Setting): string[] => [
  `reasoning effort ${sent(settings, settings?.effort)}`,
  `temperature ${sent(settings, settings?.temperature)}`,
  `output limit of a call ${sent(settings, settings?.max_output_tokens)}`,
]

const said = (value: unknown): string => (value === null || value === undefined ? 'unknown' : cell(String(value)))

/** Null in known settings: it was not sent. */
const sent = (settings: Setting['settings'], value: unknown): string =>
  settings !== null && (value === null || value === undefined) ? 'not set (the provider’s default)' : said(value)

const judgeText = (judge: string | null): string => (judge === null ? 'unknown' : `\`${cell(judge)}\``)

/** A judge that has made no grade here stands in no setting. */
function ungradedText({ ungraded }: AppendixTally, items: number): string[] {
  const judges = [...ungraded].sort(([, a], [, b]) => b - a)
  const none = judges.reduce((sum, [, n]) => sum + n, 0)
  if (none === 0) return []
  const given = judges.map(([judge, n]) => `${judgeText(judge)} (${n})`).join(', ')
  return [
    `${none} of ${count(items, 'trial')} ${none === 1 ? 'has' : 'have'} no grade. Judge that was configured: ${given}.`,
  ]
}

const trialsTable = (trials: readonly Trial[]): string =>
  table(
    ['trial', 'ended', 'label', 'confidence', 'judge', 'why not'],
    trials.map(({ item_id, judge, why, ...said }) => [
      cell(item_id),
      said.status,
      said.label ?? '–',
      said.confidence ?? '–',
      judgeText(judge),
      why === '' ? '–' : cell(why),
    ]),
  )

function countsText({ counts, labels, cached }: Batch, { confidences, ...told }: AppendixTally): string {
  const { total: items, graded } = counts
  const share = (n: number, of: number) => (of === 0 ? '–' : `${((n / of) * 100).toFixed(1)}%`)
  const rows = <W extends string>(words: readonly W[], of: number, found: Readonly<Partial<Record<W, number>>>) =>
    words.map((word) => [word, String(found[word] ?? 0), share(found[word] ?? 0, of)])
  return [
    table(
      ['status', 'items', `share of ${items}`],
      rows(['graded', 'unverified', 'failed', 'cancelled'], items, counts),
    ),
    table(['label', 'items', `share of ${graded} graded`], rows(LABELS, graded, labels)),
    table(['confidence', 'items', `share of ${graded} graded`], rows(['high', 'medium', 'low'], graded, confidences)),
    `${cached} of ${count(items, 'item')} ${cached === 1 ? 'was' : 'were'} answered by grades that were stored before. In ${count(told.cut, 'grade')} the judge was shown only a part of what could be read.`,
    `${count(told.contradicted, 'grade')} ${told.contradicted === 1 ? 'has' : 'have'} a contradiction, which evidence does not settle; of ${count(told.unread, 'run')} a record could not be read.`,
  ].join('\n\n')
}

function failuresText({ counts, failures }: Batch): string {
  const codes = Object.entries(failures).sort(([, a = 0], [, b = 0]) => b - a)
  const told = 'Each with its reason in `failures.ndjson`.'
  if (codes.length === 0)
    return `No item failed; ${counts.unverified} unverified, ${counts.cancelled} cancelled. ${told}`
  return [
    table(
      ['failure', 'items'],
      codes.map(([code, n]) => [cell(code), String(n)]),
    ),
    told,
  ].join('\n\n')
}

function settingTable(setting: Setting, grades: number): string {
  const { settings, versions, ...rest } = setting
  const { parameters = {}, ...asked } = settings ?? {}
  const facts = Object.entries({
    grades,
    ...rest,
    ...asked,
    ...prefixed('parameter', parameters),
    ...prefixed('version', versions),
  })
  return table(
    ['setting', 'value'],
    facts.map(([name, value]) => [cell(name), `\`${cell(JSON.stringify(value))}\``]),
  )
}

const prefixed = (prefix: string, values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix} ${name}`, value]))

function costText({ batch, tally }: Page): string {
  const { calls, outcomes } = tally
  const price = calls.unpriced > 0 ? ` (${calls.unpriced} without a known price)` : ''
  const lines = [
    `The grades rest on ${count(calls.listed, 'call')}: ${calls.input_tokens} input and ${calls.output_tokens} output tokens, ${dollars(calls.cost_usd)}${price}.`,
    `This batch itself made ${count(batch.calls.made, 'call')} for ${batch.cost_usd === null ? 'an unknown price' : dollars(batch.cost_usd)}${batch.uncertain_usd > 0 ? `, and up to ${dollars(batch.uncertain_usd)} more may have been paid` : ''}.`,
    calls.without_raw_reply > 0 ? `Of ${count(calls.without_raw_reply, 'call')} no raw reply is kept.` : '',
  ].filter((one) => one !== '')
  const rows = Object.entries(outcomes).sort(([, a], [, b]) => b - a)
  return [
    lines.join(' '),
    ...(rows.length === 0
      ? []
      : [
          table(
            ['outcome of the call', 'calls'],
            rows.map(([word, n]) => [cell(word), String(n)]),
          ),
        ]),
  ].join('\n\n')
}

function promptText(name: string, rubric: RubricText | null): string {
  if (rubric === null)
    return `The rubric \`${cell(name)}\` is not loaded any more as it was; its digest stands in the settings.`
  return [
    `### ${cell(rubric.name)}: ${cell(rubric.title)}`,
    `Digest \`${cell(rubric.digest)}\`. System text:`,
    fenced(rubric.system),
    'Asked after the trajectory, with the trial’s own texts in place of the variables:',
    fenced(rubric.question),
  ].join('\n\n')
}

/** A fence that nothing inside can close. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${text.replace(/\n$/, '')}\n${fence}`
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** Names and words from outside, as plain text of a table. */
const cell = (text: string): string => oneLine(text).replaceAll(/[|`<]/g, (mark) => `\\${mark}`)

const FILES: Readonly<Record<string, string>> = {
  'batch.json': 'the batch with its counts and cost',
  'settings.json': 'each way in which grades were made',
  'items.ndjson': 'an item a line: label, and digests of trajectory, ground truth and rubric',
  'failures.ndjson': 'what has no label, and why',
  'grades.ndjson': 'the grades, with citations and whole receipts',
  'replies.ndjson': 'the provider’s raw reply to each call, with the digests of request and reply',
}
const holds = (name: string): string => FILES[name] ?? 'the prompt'
