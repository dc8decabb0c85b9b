import { styleText } from 'node:util'
import { ServiceError } from '../../client/errors.ts'
import { count } from '../../domain/words.ts'
import type { CheckedCitation, Grade } from '../../schemas/grade.ts'
import type { PanelResult } from '../../schemas/review.ts'
import type { GradeRequest } from '../../schemas/trial.ts'
import { estimateAnswer, finishBatch } from '../follow.ts'
import * as o from '../options.ts'
import { newTally, withId, withReplies } from '../output/results-format.ts'
import { clip, jsonText, LABEL_STYLE, line, oneLine, present, type Style, unnamed, unreadText } from '../output/text.ts'
import { consoleCommand, helpOf, sessionCommand } from '../session.ts'
import { asTyped, CliError, EXIT, type ExitCode, explain, strictCode } from '../shell.ts'
import {
  countsText,
  EXAMPLES,
  openTrials,
  readBundled,
  readTrialsOf,
  requestOf,
  requireNames,
  type Trial,
  warningText,
  watchSpelling,
} from '../trials.ts'

type Refusal = Readonly<{ file: string; error: Pick<CliError, 'code' | 'message' | 'advice'> }>

export const grade = sessionCommand<o.Options, [paths: string[]]>('grade', {
  args: { '<path...>': 'trajectory files, or all else that `veridict batch` takes' },
  options: [...o.TRIALS, ...o.JUDGING, o.LIST, o.STRICT_UNREAD],
  database: 'make',
  async work(session, options, paths) {
    const { veridict, write, view, json, format, signal } = session
    const all = newTally()
    const data: object[] = []
    const refused: Refusal[] = []
    const spelling = watchSpelling()
    let code: ExitCode = EXIT.graded
    let others = 0
    const refuse = (file: string, error: unknown) => {
      const { code: word, message, advice } = explain(error)
      for (const list of [refused, data]) list.push({ file, error: { code: word, message, advice } })
      if (!json) view.note([`refused  ${oneLine(file)}: ${message}`, ...advice].join('\n  '))
      code = Math.max(code, EXIT.refused) as ExitCode
    }
    const gradeOne = async (trial: Trial) => {
      const file = fileOf(trial)
      spelling.look(trial)
      const request = { ...o.chosen(options, 'judge', 'rubric', 'samples', 'cache', 'allow_self'), ...requestOf(trial) }
      try {
        const made = await veridict.grade(request as GradeRequest, { signal })
        await write(format === 'table' ? printGrade(file, made) : line({ file, ...made }))
        for (const warning of trial.warnings) view.note(warningText(file, warning))
        data.push({ file, ...made })
        all.add(made.label, made.confidence)
        code = Math.max(code, strictCode(EXIT[made.status], options, made.receipt.unread?.records ?? 0)) as ExitCode
      } catch (error) {
        const isOfTrial = error instanceof ServiceError && error.status >= 400 && error.status < 500
        if (signal.aborted || !isOfTrial) throw error
        refuse(file, error)
      }
    }
    await requireNames(session, options)
    for await (const item of readTrialsOf(session, paths, options)) {
      if (item.kind === 'trial') await gradeOne(item)
      // A folder may hold other files; a typed file is meant.
      else if (item.reason === 'unsupported' && !paths.includes(item.source)) others++
      else refuse(item.source, new CliError(oneLine(item.detail)))
    }
    if (data.length === refused.length && (json || refused.length === 0)) throw nothingGraded(refused)
    const left = others === 0 ? '' : `left out: ${count(others, 'other file')} of no format that docs/formats.md lists`
    const text = format === 'table' ? all.rows(2).map((row) => `${row}\n`) : []
    return { data, code, notes: [left, spelling.text()], text: text.join('') }
  },
})

/** Builds the error of a command that graded nothing. Without `--json` the refusals stand on stderr already. */
function nothingGraded([only, ...more]: readonly Refusal[]): CliError {
  if (only === undefined) return new CliError('nothing to grade: no trajectory was found there')
  const { message, advice, code } = only.error
  if (more.length === 0) return new CliError(`${oneLine(only.file)}: ${message}`, advice, EXIT.refused, code)
  const places = [only, ...more].map((refusal) => `${oneLine(refusal.file)}: ${refusal.error.message}`)
  return new CliError(`all ${places.length} files were refused`, places)
}

/** Names a trial by its path as typed, with its run where a file has several. */
const fileOf = ({ name, source }: Trial): string =>
  source.endsWith(name) || source.includes('#') || !name.includes('#') ? source : `${source}#${name.split('#').at(-1)}`

const CANARY = o.option(
  '--canary <set>',
  'first grade canaries (a file, or `examples`), and begin only where the judge answers as before',
)

export const batch = sessionCommand<o.Options & { readonly canary?: string }, [paths: string[]]>('batch', {
  args: o.TRIAL_PATHS,
  options: [...o.TRIALS, ...o.GRADING, CANARY, o.DETACH, ...o.ITEMS, o.STRICT],
  database: 'make',
  async work(session, options, paths) {
    const { veridict, view, signal } = session
    const request = { ...o.settingsOf(options), signal }
    await requireNames(session, options)
    const { counts, send } = openTrials(session, paths, options)
    if (options.dry_run) {
      const estimate = await send((items) => veridict.estimateBatch(items, request))
      view.note(countsText(counts))
      const code = strictCode(EXIT.graded, options, counts.skipped + counts.unread)
      return { ...(await estimateAnswer(session, estimate, options.judge)), code }
    }
    if (options.canary !== undefined)
      await (await import('./labelled-commands.ts')).requireCanaries(session, options, options.canary)
    const begun = await send((items) => veridict.createBatch(items, request))
    view.note(`${begun.id}: ${countsText(counts)}`)
    return finishBatch(session, begun, { ...options, skipped: counts.skipped })
  },
})

type ShowOptions = o.Options & { readonly attempts?: boolean; readonly raw?: boolean }

export const show = sessionCommand<ShowOptions, [id: string]>('show', {
  args: { '<grade>': 'its id, as `veridict results` gives it' },
  options: [
    o.option('--attempts', 'print the receipt: settings of the judge, versions, digests, calls'),
    o.option('--raw', 'with --attempts or --json: the raw reply of each call'),
  ],
  async work({ veridict, signal }, { attempts, raw }, id) {
    const grade = await veridict.readGrade(id, { signal })
    const panel = await veridict.panel(id, { signal })
    const whole = raw ? withReplies(grade, await veridict.calls(id, { signal })) : grade
    const { metadata, receipt } = whole
    const name = metadata.trial || metadata.task || unnamed(receipt.trajectory)
    const text = printGrade(name, grade, panel) + (attempts || raw ? jsonText(receipt) : '')
    return { data: { ...whole, panel }, text, code: EXIT[grade.status] }
  },
})

/** Grades the examples without the environment: the output is the same everywhere, and nothing is written. */
export const demo = consoleCommand('demo', {
  async work({ shell }) {
    const { openVeridict } = await import('../../library/library.ts')
    await using veridict = await openVeridict({ env: {} })
    const { text, grades, areExpected } = await gradeExamples((request) => veridict.grade(request))
    const shown = `${text}They are in ${EXAMPLES}\n${asTyped(shell, NEXT)}`
    return { data: grades, text: shown, code: areExpected ? EXIT.graded : EXIT.refused }
  },
})

export async function gradeExamples(grade: (request: GradeRequest) => Promise<Grade>) {
  const grades: Grade[] = []
  let right = 0
  let text = ''
  for (const { name, request, expected } of readBundled()) {
    const { label, status, why } = expected
    const made = await grade(request)
    const isExpected = made.label === label && made.status === status
    if (isExpected) right++
    grades.push(made)
    const verdict = isExpected ? 'as expected' : `EXPECTED ${label ?? status}`
    text += `${printGrade(name, made).trimEnd()}\n  ${verdict}: ${why}\n\n`
  }
  text += `${helpOf('marks')}\n\n${right} of ${grades.length} examples graded as expected.\n`
  return { text, grades, areExpected: right === grades.length && right > 0 }
}

const NEXT = `
Your own:  veridict grade FILE -g TRUTH       (veridict grade --help: formats and ground truths)
Many:      veridict batch FOLDER -g TRUTHS
Pages:     veridict serve                     (then http://127.0.0.1:8787/audit/)
`

/** Renders a grade for people: label, evidence, unmet claims, the result of its panel. Ends with a blank line. */
export function printGrade(file: string, grade: Grade, panel: PanelResult | null = null): string {
  const { id, label, confidence, failure, receipt, notes } = grade
  const dim = (text: string) => (text === '' ? '' : styleText('dim', text))
  const colored = (style: Style, mark: string, text: string) =>
    text === '' ? '' : styleText(style, `  ${mark} ${text}`)
  const limit = label === null ? undefined : confidence.limit
  const why = limit
    ? `${limit.code === 'contradiction' ? 'contradiction, and ' : ''}why not higher: ${oneLine(limit.reason)}; to lift: ${oneLine(limit.lift)}`
    : ''
  // The limit of the confidence names the contradiction behind it.
  const contradictions = grade.contradictions.filter(({ detail }) => detail !== limit?.reason)
  const later = failure?.retryable ? ' (the same request can succeed later)' : ''
  const lines = [
    `${headline(grade)}  ${oneLine(file)}`,
    dim(`  judge ${oneLine(receipt.judge)} · rubric ${oneLine(receipt.rubric)} · ${id}`) +
      dim(receipt.cache === 'hit' ? ' · stored before' : ''),
    claimsLine(grade),
    ...grade.citations.map((citation) => `  ${evidenceLine(citation)}`),
    ...grade.unmet.map(({ claim, reason }) => colored('red', '✗', `${claim}: ${oneLine(reason)}`)),
    ...contradictions.map(({ detail }) => colored('yellow', '!', `contradiction: ${oneLine(detail)}`)),
    colored('yellow', limit?.code === 'contradiction' ? '!' : '~', why),
    panelLine(panel),
    failure ? colored('red', '✗', `${failure.code}: ${oneLine(withId(failure.message, id))}${later}`) : '',
    dim(notes ? `  notes of the judge: ${clip(notes, 300)}` : ''),
    colored('yellow', '~', unreadText(receipt.unread ?? null)),
    ...receipt.warnings.slice(0, 3).map(({ path, message }) => dim(`  ~ ${oneLine(path)} ${oneLine(message)}`)),
  ]
  return `${present(lines).join('\n')}\n\n`
}

function headline({ label, confidence, claimed_label, status }: Grade): string {
  if (label === null) {
    const claimed = claimed_label === null ? '' : ` (claimed ${claimed_label})`
    return styleText(['bold', 'red'], `${status}${claimed}`)
  }
  const { vote_share, reported } = confidence
  const share = vote_share === null ? '' : `, ${Math.round(vote_share * 100)} % of the votes`
  const style = ['bold', LABEL_STYLE[label] ?? 'white'] as Style
  return `${styleText(style, label.padEnd(15))} ${reported ?? 'unknown'} confidence${share}`
}

function panelLine(panel: PanelResult | null): string {
  if (panel === null || panel.support.grades.length < 2) return ''
  const level = panel.level === null ? '' : `, ${panel.level} confidence`
  return `  = panel of the ${panel.support.grades.length} grades of this question: ${oneLine(panel.label ?? 'no label')}${level}; ${oneLine(panel.support.reason)}`
}

/** Renders the claims of a grade. The label and citations of `tab-behavior` hold its claims. */
function claimsLine({ claims, surface }: Grade): string {
  if (claims === null || claims === undefined || surface !== null) return ''
  const parts = Object.entries(claims).map(([id, value]) => `${oneLine(id)} ${valueText(value)}`)
  return `  ${parts.join(' · ')}`
}

const valueText = (value: NonNullable<Grade['claims']>[string] | undefined): string => {
  if (value === null) return 'unclear'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return clip(Array.isArray(value) ? `${value.length} listed` : String(value), 60)
}

function evidenceLine({ status, step_id, supports, quote, found_in_step, normalization }: CheckedCitation): string {
  const holds = status === 'verified' || status === 'normalized'
  const mark = holds ? styleText('green', '✓') : styleText('red', '✗')
  const facts = present([
    found_in_step === undefined ? '' : `stands in step ${found_in_step}`,
    normalization?.length ? `differs in ${normalization.join(', ')}` : '',
  ])
  const place = `${`step ${step_id}`.padEnd(9)} ${status.padEnd(12)}`
  const found = facts.map((fact) => styleText('dim', ` · ${fact}`)).join('')
  return `${mark} ${supports.padEnd(20)} ${place} “${clip(quote, 90)}”${found}`
}
