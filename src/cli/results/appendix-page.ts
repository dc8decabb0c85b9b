import { count } from '../../domain/count.ts'
import type { Batch } from '../../schemas/batch.ts'
import { LABELS } from '../../schemas/vocabulary.ts'
import type { RubricText } from '../client/client.ts'
import type { JudgeRows } from '../output/judge-table.ts'
import type { WrittenFile } from './appendix-folder.ts'
import { type AppendixTally, limitsSent, type Made, type Setting, type Trial, type Ungraded } from './appendix-tally.ts'
import { dollars, oneLine, tally as tallyText } from './terminal-text.ts'

/** A rubric’s prompt; null: not loaded any more as it was. `isUsed`: a grade was made under it. */
export interface Prompt {
  readonly rubric: RubricText | null
  readonly isUsed: boolean
}

interface Page {
  readonly batch: Batch
  readonly tally: AppendixTally
  readonly prompts: ReadonlyMap<string, Prompt>
  /** As they are configured now: what was never asked has no receipt that says it. */
  readonly judges: JudgeRows['items']
  readonly files: readonly WrittenFile[]
  readonly version: string
}

/** The Markdown page that a paper can take over. The same batch gives the same bytes. */
export function renderPage(page: Page): string {
  const { batch, tally, prompts, files, version } = page
  const { total, graded } = batch.counts
  const sections = [
    `# How ${cell(batch.name ?? batch.id)} was graded`,
    `Batch \`${batch.id}\` (${said(batch.kind)}, ${said(batch.mode)}), begun ${batch.created_at}, ${batch.status} ${batch.finished_at}. Written by veridict ${version}.`,
    ...tally.settings().map((made) => methodText(made, total)),
    ...ungradedText(page, total),
    HOW_LABELS,
    '## Counts',
    countsText(batch, tally),
    ...section('## What was not graded', graded < total ? [failuresText(batch)] : []),
    '## Trials',
    trialsTable(tally.trials),
    ...section('## Settings', tally.settings().map(settingTable)),
    '## Calls and cost',
    costText(page),
    ...section(
      '## Prompt',
      [...prompts].map(([name, prompt]) => promptText(name, prompt)),
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

function methodText(made: Made, total: number): string {
  const { setting, items } = made
  const { samples } = setting
  const asked = [
    ...(setting.provider === null ? [] : askedWith(made)),
    samples === null ? 'an unknown number of samples' : count(samples, 'sample'),
    `mode ${said(setting.mode)}`,
  ]
  const who = setting.provider === null ? searchText(setting) : modelText(setting)
  const were = items === 1 ? 'was' : 'were'
  return `${items} of ${count(total, 'trial')} ${were} given to ${who}, with ${asked.join(', ')}, under rubric \`${cell(setting.rubric)}\`, by ${said(setting.software)}: ${endsText(made)}.`
}

/** What is said of a judge that was asked is not said of one that was not. */
function endsText({ items, answered, never_asked }: Made): string {
  const never = Object.values(never_asked).reduce((sum, n) => sum + n, 0)
  const why = never === 0 ? '' : ` (${tallyText(never_asked)})`
  return `${items - never} asked, of which ${answered} answered; ${never} never asked${why}`
}

const searchText = ({ judge }: Setting): string =>
  `\`${cell(judge)}\`, a search for the strings of cue and distractor that is no model and is not shown the prompt`

function modelText({ judge, provider, model_requested, model_resolved, settings }: Setting): string {
  const answered =
    model_resolved !== null && model_resolved !== model_requested ? ` (answered as \`${cell(model_resolved)}\`)` : ''
  return `\`${cell(model_requested ?? judge)}\`${answered} through ${said(provider)} (${said(settings?.api)} API at ${said(settings?.host)})`
}

const askedWith = (made: Made): string[] => [
  `reasoning effort ${sent(made.setting.settings, made.setting.settings?.effort)}`,
  `temperature ${sent(made.setting.settings, made.setting.settings?.temperature)}`,
  `output limit of a call ${sent(made.setting.settings, made.setting.settings?.max_output_tokens)}${limitText(made)}`,
]

/** A cap of dollars shortens the limit of a call, and an answer that was cut off is asked for again with twice as much. */
function limitText(made: Made): string {
  const range = limitsSent(made)
  const limit = made.setting.settings?.max_output_tokens ?? null
  if (range === null || limit === null || (range.min === limit && range.max === limit)) return ''
  const calls = (isMeant: (one: number) => boolean) =>
    [...made.limits].reduce((sum, [one, n]) => sum + (isMeant(one) ? n : 0), 0)
  const [shorter, longer] = [calls((one) => one < limit), calls((one) => one > limit)]
  const why = [
    ...(shorter > 0 ? [`shortened in ${count(shorter, 'call')} to stay under a cap`] : []),
    ...(longer > 0 ? [`raised in ${count(longer, 'call')} after an answer was cut off`] : []),
  ]
  return ` (sent: ${range.min} to ${range.max}; ${why.join(', ')})`
}

const said = (value: unknown): string => (value === null || value === undefined ? 'unknown' : cell(String(value)))

/** Null in known settings: it was not sent. */
const sent = (settings: Setting['settings'], value: unknown): string =>
  settings !== null && (value === null || value === undefined) ? 'not set (the provider’s default)' : said(value)

const judgeText = (judge: string | null): string => (judge === null ? 'unknown' : `\`${cell(judge)}\``)

/** A judge that has made no grade here stands in no setting. */
function ungradedText({ tally, judges }: Page, items: number): string[] {
  const { ungraded } = tally
  const none = ungraded.reduce((sum, one) => sum + one.items, 0)
  if (none === 0) return []
  const given = ungraded.map((one) => `${judgeText(one.judge)} (${one.items}${givenText(one, judges)})`).join(', ')
  return [
    `${none} of ${count(items, 'trial')} ${none === 1 ? 'has' : 'have'} no grade. Judge that was configured: ${given}.`,
  ]
}

function givenText({ judge, rubric }: Ungraded, judges: Page['judges']): string {
  const known = judges.find(({ name }) => name === judge)
  const model =
    known === undefined || known.kind !== 'model'
      ? []
      : [`now model \`${cell(known.model ?? 'unknown')}\` through ${said(known.provider)} at ${said(known.base_url)}`]
  const words = [...model, ...(rubric === null ? [] : [`under rubric \`${cell(rubric)}\``])]
  return words.length === 0 ? '' : `; ${words.join(', ')}`
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

/** Those of `tab-behavior` all, where any of them came out; of other rubrics those that did. */
function labelsOf(found: Batch['labels']): string[] {
  const occurring = Object.keys(found).sort()
  const isTab = occurring.length === 0 || LABELS.some((label) => occurring.includes(label))
  return [...new Set([...(isTab ? LABELS : []), ...occurring])]
}

function countsText({ counts, labels }: Batch, told: AppendixTally): string {
  const { total: items, graded } = counts
  const share = (n: number, of: number) => (of === 0 ? '–' : `${((n / of) * 100).toFixed(1)}%`)
  const rows = <W extends string>(words: readonly W[], of: number, found: Readonly<Partial<Record<W, number>>>) =>
    words.map((word) => [word, String(found[word] ?? 0), share(found[word] ?? 0, of)])
  return [
    table(
      ['status', 'items', `share of ${items}`],
      rows(['graded', 'unverified', 'failed', 'cancelled'], items, counts),
    ),
    table(['label', 'items', `share of ${graded} graded`], rows(labelsOf(labels), graded, labels)),
    table(
      ['confidence', 'items', `share of ${graded} graded`],
      rows(['high', 'medium', 'low'], graded, told.confidences),
    ),
    `${count(told.answered, 'item')} ${are(told.answered)} answered by ${count(told.grades, 'grade')}: ${told.equal} ${told.equal === 1 ? 'equals' : 'equal'} another item of this batch and ${told.equal === 1 ? 'has' : 'have'} its grade, ${told.earlier} ${are(told.earlier)} answered by grades that were stored before. In ${count(told.cut, 'grade')} the judge was shown only a part of what could be read.`,
    `${count(told.contradicted, 'grade')} ${told.contradicted === 1 ? 'has' : 'have'} a contradiction, which evidence does not settle; of ${count(told.unread, 'run')} a record could not be read.`,
  ].join('\n\n')
}

const are = (n: number): string => (n === 1 ? 'is' : 'are')

function failuresText({ counts, failures }: Batch): string {
  const codes = Object.entries(failures).sort(([, a = 0], [, b = 0]) => b - a)
  const rows = [
    ...codes.map(([code, n]) => [cell(code), String(n)]),
    ...(counts.unverified > 0 ? [['unverified: evidence does not hold', String(counts.unverified)]] : []),
    ...(counts.cancelled > 0
      ? [['cancelled: the batch was, before the item was graded', String(counts.cancelled)]]
      : []),
  ]
  return [table(['why', 'items'], rows), 'Each with its reason in `failures.ndjson`.'].join('\n\n')
}

function settingTable(made: Made): string {
  const { settings, versions, ...rest } = made.setting
  const { parameters = {}, ...asked } = settings ?? {}
  const range = limitsSent(made)
  const facts = Object.entries({
    ...{ grades: made.grades, items: made.items },
    ...rest,
    ...asked,
    ...(range !== null && { 'output limits sent': `${range.min} to ${range.max}` }),
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
  const lines = [
    `The ${count(tally.grades, 'grade')} ${tally.grades === 1 ? 'rests' : 'rest'} on ${count(calls.listed, 'call')}: ${calls.input_tokens} input and ${calls.output_tokens} output tokens, ${priced(calls)}.`,
    `This batch itself made ${count(batch.calls.made, 'call')} for ${batch.cost_usd === null ? 'an unknown price' : dollars(batch.cost_usd)}${batch.uncertain_usd > 0 ? `, and up to ${dollars(batch.uncertain_usd)} more may have been paid` : ''}.`,
    ...looseText(tally),
    tally.without_raw_reply > 0 ? `Of ${count(tally.without_raw_reply, 'call')} no raw reply is kept.` : '',
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

const priced = ({ cost_usd, unpriced }: { cost_usd: number; unpriced: number }): string =>
  `${dollars(cost_usd)}${unpriced > 0 ? ` (${unpriced} without a known price)` : ''}`

function looseText({ loose }: AppendixTally): string[] {
  const { listed, elsewhere, ok } = loose
  if (listed === 0) return []
  const ends = [
    `${listed - elsewhere} belong to no stored grade${ok > 0 ? `, ${ok} of them with a good reply, which is kept and used when the same question is asked again` : ''}`,
    ...(elsewhere > 0 ? [`${elsewhere} belong to grades outside of this batch`] : []),
  ]
  return [`On ${count(listed, 'call')} of the batch (${priced(loose)}) none of these grades rests: ${ends.join('; ')}.`]
}

function promptText(name: string, { rubric, isUsed }: Prompt): string {
  if (rubric === null)
    return `The rubric \`${cell(name)}\` is not loaded any more as it was${isUsed ? '; its digest stands in the settings' : ''}.`
  return [
    `### ${cell(rubric.name)}: ${cell(rubric.title)}`,
    `${isUsed ? '' : 'No grade was made under it; as it is loaded now. '}Digest \`${cell(rubric.digest)}\`. System text:`,
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
  'settings.json': 'each way in which grades were made, with its grades and items',
  'items.ndjson': 'an item a line: label, and digests of trajectory, ground truth and rubric',
  'failures.ndjson': 'what has no label, and why',
  'grades.ndjson': 'each grade once, with citations and whole receipt',
  'replies.ndjson': 'each call once: raw reply, digests, and whether it belongs to a grade (`belongs_to`)',
}
const holds = (name: string): string => FILES[name] ?? 'the prompt'
