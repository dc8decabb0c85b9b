import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TrialItem } from '../../archives/trials/reading-job.ts'
import { fallOver } from '../../domain/statistics/trend.ts'
import { answersTo } from '../../domain/statistics/validation.ts'
import { count } from '../../domain/words.ts'
import type { Batch } from '../../schemas/batch.ts'
import type { Certificate } from '../../schemas/documents.ts'
import { CONFIDENCE_LEVELS } from '../../schemas/vocabulary.ts'
import { CliError, EXIT, type ExitCode } from '../errors.ts'
import { watchToEnd } from '../follow.ts'
import { JUDGING_CANARIES, type Options, settingsOf } from '../options.ts'
import { clip, oneLine, present, tableOf, tally } from '../output/text.ts'
import { type Answer, type Session, sessionCommand } from '../session.ts'
import { checkPaths, NO_COUNTS, readTrialsOf, requireNames, sift } from '../trials.ts'
import { type Judged, readJudged } from '../validation/certificate.ts'
import { firstRubric, type Labels, questionsOf, readLabelled } from './validate-command.ts'

/** The set of the bundled examples, where no file is named. */
export const BUNDLED = 'examples'

export const canary = sessionCommand<Options, [set?: string]>(
  {
    name: 'canary',
    args: { '[set]': `NDJSON, a labelled run a line, as validate takes; default: ${BUNDLED}, the bundled ones` },
    options: JUDGING_CANARIES,
  },
  (session, options, set = BUNDLED) => gradeCanaries(session, options, set),
)

/** Runs that are shown and tested together: `fallOver` counts the orders of the runs out. */
const MOST_RUNS = 6
/** The test of confidence over the runs takes the square of their number. */
const MOST_CANARIES = 500
/** The largest chance at which confidence counts as sliding. */
const ALPHA = 0.05

/** Grades a set of labelled trials afresh, and compares the answers with those of earlier runs of the same set, judge, rubric and samples. */
export async function gradeCanaries(session: Session, options: Options, set: string): Promise<Answer> {
  const { veridict, signal, view } = session
  await requireNames(session, options)
  const name = options.rubric ?? (set === BUNDLED ? 'tab-behavior' : await firstRubric(session, set))
  const rubric = await veridict.readRubric(name, { signal })
  const { items, labels, digest } = await readSet(session, set, rubric)
  const judge = options.judge ?? (await veridict.listJudges()).items.find((one) => one.default)?.name ?? ''
  const { samples = 1 } = options
  const key = `canary ${createHash('sha256')
    .update(JSON.stringify([digest, rubric.digest, judge, samples]))
    .digest('hex')}`
  const { items: earlier } = await veridict.batches({ key, status: 'done', limit: MOST_RUNS - 1 })
  const asked = {
    ...settingsOf(options),
    ...(judge !== '' && { judge }),
    rubric: rubric.name,
    cache: 'refresh' as const,
  }
  const begun = await veridict.createBatch(items, {
    ...asked,
    mode: 'direct',
    name: `canary ${basename(set)}`,
    key,
    signal,
  })
  const batches = [...earlier.toReversed(), await watchToEnd(session, begun)]
  const runs: Run[] = []
  for (const batch of batches) runs.push(runOf(batch, await readJudged(session, batch, labels), runs.at(-1)))
  view.end()
  return answerOf(runs, { set: basename(set), items: items.length, judge, rubric: rubric.name, samples })
}

/** Reads the labelled trials of a set, all of them sound, each with its label. */
async function readSet(
  session: Session,
  set: string,
  rubric: Certificate['rubric'] & Parameters<typeof questionsOf>[0],
) {
  const labels: Labels = new Map()
  const subject = { data: { name: set, items: 0, skipped: 0, digest: '' }, rubric }
  if (set !== BUNDLED) await checkPaths([set])
  const read = set === BUNDLED ? bundledTrials() : readTrialsOf(session, [set], { rubric: rubric.name })
  const labelled = readLabelled(read, { labels, subject, questions: questionsOf(rubric), earlier: null })
  const items = []
  const counts = { ...NO_COUNTS }
  for await (const { item_id = '', request, trajectory } of sift(labelled, counts, session.view))
    items.push({ item: { item_id, ...request, metadata: { ...request.metadata, canary: basename(set) } }, trajectory })
  if (items.length > MOST_CANARIES)
    throw new CliError(`${oneLine(set)} has ${items.length} canaries, and at most ${MOST_CANARIES} are graded`)
  const bare = [...labels].flatMap(([name, { human }]) => (human['outcome'] === undefined ? [name] : []))
  if (counts.skipped + counts.files + bare.length === 0 && items.length > 0)
    return { items, labels, digest: subject.data.digest }
  const why =
    bare.length > 0
      ? `${clip(bare[0] ?? '', 80)} has no label: add "human": {"outcome": "LABEL"}`
      : 'each line is a labelled run'
  throw new CliError(`${oneLine(set)} is no set of canaries: ${why}`, [
    '`veridict validate --help` describes such a file.',
  ])
}

const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url))

/** Yields the examples that have a label. */
async function* bundledTrials(): AsyncGenerator<TrialItem> {
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const name of folders.map((folder) => folder.name).sort()) {
    const read = (file: string) => JSON.parse(readFileSync(join(EXAMPLES, name, file), 'utf8'))
    const { label } = read('expected.json') as { readonly label: string | null }
    if (label === null) continue
    const request = { trajectory: read('trajectory.json'), ground_truth: read('ground-truth.json') }
    const named = { name, item_id: name, source: join(EXAMPLES, name) }
    yield { kind: 'trial', ...named, human: { outcome: label }, request, trajectory: null, warnings: [] }
  }
}

/** The answers of a judge to the set at one time. */
interface Run {
  readonly batch: string
  readonly at: string
  readonly models: readonly string[]
  /** By item: the label; null without one; undefined: the judge failed. */
  readonly labels: ReadonlyMap<string, string | null>
  /** By item: 1 low to 3 high, 0 without a label. */
  readonly confidences: ReadonlyMap<string, number>
  readonly right: number
  readonly failed: number
  readonly contradictions: number
  readonly wrong: readonly string[]
  readonly flipped: readonly string[]
}

function runOf({ id, created_at }: Batch, judged: readonly Judged[], last?: Run): Run {
  const answered = judged.filter(({ status }) => status === 'graded' || status === 'unverified')
  const answers = answered.map((one) => ({ ...one, ...answersTo('outcome', [one])[0] }))
  const labels = new Map(answers.map(({ item, judge = null }) => [item, judge === null ? null : String(judge)]))
  const levelOf = ({ status, confidence }: Judged) =>
    status === 'graded' ? CONFIDENCE_LEVELS.indexOf(confidence ?? 'low') + 1 : 0
  const models = answered.map(({ grade }) => grade?.receipt.model_resolved ?? 'unnamed')
  return {
    ...{ batch: id, at: created_at, models: [...new Set(models)].sort(), labels },
    confidences: new Map(answered.map((one) => [one.item, levelOf(one)])),
    right: answers.filter(({ right }) => right === true).length,
    failed: judged.length - answered.length,
    contradictions: answered.filter(({ grade }) => (grade?.contradictions.length ?? 0) > 0).length,
    wrong: answers.flatMap(({ item, right }) => (right === true ? [] : [item])),
    flipped: [...labels].flatMap(([item, label]) => ((last?.labels.get(item) ?? label) === label ? [] : [item])),
  }
}

type Row = ReturnType<typeof rowOf>

/** Builds the row of a run, as JSON has it. */
function rowOf({ labels, confidences, ...run }: Run) {
  const levels = [...confidences.values()]
  const [none, low, medium, high] = [0, 1, 2, 3].map((level) => levels.filter((one) => one === level).length)
  const mean = levels.length === 0 ? null : levels.reduce((sum, level) => sum + level, 0) / levels.length
  return { ...run, answered: labels.size, confidence: { low, medium, high, none }, mean_confidence: mean }
}

const TABLE = tableOf<Row>([
  ['run', 24, ({ at }) => at],
  ['model', 30, ({ models }) => clip(models.join(', '), 30)],
  ['right', 9, ({ right, answered }) => `${right} of ${answered}`],
  ['confidence', 38, ({ confidence }) => tally(confidence)],
  ['mean', 5, ({ mean_confidence: mean }) => mean?.toFixed(2) ?? '–'],
  ['contradicted', 12, ({ contradictions }) => String(contradictions)],
  ['flips', 5, ({ flipped }) => String(flipped.length)],
  ['wrong', 5, ({ wrong }) => String(wrong.length)],
  ['failed', 0, ({ failed }) => String(failed)],
])

function answerOf(runs: readonly Run[], subject: Readonly<Record<string, string | number>>): Answer {
  const rows = runs.map(rowOf)
  const now = rows.at(-1)
  const items = new Set(runs.flatMap(({ confidences }) => [...confidences.keys()]))
  const { fell, rose, p } = fallOver([...items].map((item) => runs.flatMap((run) => run.confidences.get(item) ?? [])))
  const slide = { runs: runs.length, fell, rose, p, slides: p <= ALPHA }
  const { flipped = [], wrong = [], failed = 0 } = now ?? {}
  const named = (what: string, names: readonly string[]) =>
    names.length === 0 ? '' : `${what}: ${names.map(oneLine).join(', ')}`
  const changes = present([
    failed > 0 ? `${count(failed, 'canary', 'canaries')} without an answer: the judge failed` : '',
    named('another label than in the last run', flipped),
    named('no label, or another than the known one', wrong),
    slide.slides ? 'confidence slides' : '',
  ])
  const test = `confidence over ${count(runs.length, 'run')}: ${fell} fell, ${rose} rose; one-sided exact p = ${p.toPrecision(2)}`
  const code: ExitCode = failed > 0 ? EXIT.failed : changes.length > 0 ? EXIT.unverified : EXIT.graded
  const end = changes.length > 0 ? changes.join('\n') : 'the judge answers as before, and as known'
  return {
    data: { ...subject, runs: rows, slide, ok: code === EXIT.graded, changes },
    text: `${TABLE.head()}${rows.map(TABLE.row).join('')}\n${test}\n${end}\n`,
    code,
  }
}

/** Throws where the canaries of a judge fail: the batch behind them does not begin. */
export async function requireCanaries(session: Session, options: Options, set: string): Promise<void> {
  const { text = '', data, code = EXIT.graded } = await gradeCanaries(session, options, set)
  for (const line of text.trimEnd().split('\n')) session.view.note(line)
  if (code === EXIT.graded) return
  const { changes } = data as { readonly changes: readonly string[] }
  throw new CliError('no batch was made: its canaries fail', changes, code, 'canaries_failed')
}
