import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SkippedItem, TaskFolder, TrialItem } from '../archives/trials/reading-job.ts'
import type { GroundTruths } from '../archives/truth/ground-truths.ts'
import { parseSignalSource, type SignalSource } from '../archives/truth/signals.ts'
import { ServiceError } from '../client/errors.ts'
import type { ReadItem } from '../client/veridict.ts'
import { normalizeGroundTruth, textOfAnchor } from '../domain/anchors/anchors.ts'
import { firstMedia } from '../domain/evidence/observations.ts'
import { createMarkerSearch } from '../domain/markers/check-run.ts'
import { defined } from '../domain/result.ts'
import { count, fileFault } from '../domain/words.ts'
import type { BatchItem } from '../schemas/batch.ts'
import type { Grade } from '../schemas/grade.ts'
import { type GradeRequest, instructionsOf, MOST_FIELDS, MOST_NAME_CHARS } from '../schemas/trial.ts'
import type { Options } from './options.ts'
import type { ProgressView } from './output/screen.ts'
import { clip, listed, oneLine, present, unreadText } from './output/text.ts'
import type { Session } from './session.ts'
import { CliError } from './shell.ts'

interface Hooks {
  readonly warn?: (text: string) => void
  readonly onTask?: (task: TaskFolder) => Promise<void>
  readonly truths?: WatchedTruths | undefined
}

/** Reads the trials of a command, one at a time. The readers of archives load here, so that other commands start without them. */
export async function* readTrialsOf(
  { shell, signal: abort, local }: Pick<Session, 'shell' | 'signal' | 'local'>,
  paths: readonly string[],
  { ground_truth, variant, rubric, signals: specs = [] }: Options,
  { warn = () => {}, onTask, truths }: Hooks = {},
): AsyncGenerator<TrialItem> {
  if (shell.readTrials !== undefined) return yield* shell.readTrials(warn)
  await checkPaths(paths)
  const signals = specs.map(parseSignal)
  const groundTruths = truths ?? (ground_truth === undefined ? undefined : await readTruths(ground_truth, rubric))
  const { readTrials } = await import('../archives/trials/read-trials.ts')
  const { sourceText } = await import('../archives/trials/trial-join.ts')
  yield* readTrials(paths, {
    ...{ abort, ...defined({ variant, rubric, onTask, groundTruths }) },
    ...(local && { limits: { read: local.limits } }),
    ...(signals.length > 0 && { signals }),
    onMissing: ({ source, missing, trials }) =>
      warn(`${oneLine(sourceText(source))} holds no value in ${missing} of ${count(trials, 'trial')}`),
  })
  if (groundTruths === undefined || groundTruths.left.size === 0) return
  const [names, file] = [count(groundTruths.left.size, 'name'), oneLine(groundTruths.source)]
  warn(`${names} of ${file} matched no trial: ${listed([...groundTruths.left].map(oneLine))}`)
}

/** Throws `CliError` for a missing path, and for a pipe, which is empty at a second reading. `readOnce`: paths that may be pipes. */
export async function checkPaths(paths: readonly string[], readOnce: readonly string[] = []): Promise<void> {
  for (const path of [...paths, ...readOnce]) {
    const entry = path === '-' ? null : await stat(path).catch((error: unknown) => fileFault(error))
    if (typeof entry === 'string') throw new CliError(`${entry}: ${oneLine(path)}`)
    if (readOnce.includes(path)) {
      if (entry?.isDirectory()) throw new CliError(`${oneLine(path)} cannot be read: it is a folder`)
    } else if (entry === null || entry.isFIFO() || entry.isSocket())
      throw new CliError(`${oneLine(path)}: standard input and pipes cannot be read twice`, [
        'Write the trials to a file first: cat … > runs.jsonl && veridict batch runs.jsonl',
      ])
  }
}

function parseSignal(text: string): SignalSource {
  const parsed = parseSignalSource(text)
  if (parsed.ok) return parsed.value
  throw new CliError(`--signals ${oneLine(text)}: ${oneLine(parsed.error)}`, [
    'Write a signal like resolved=reward:reward>=1, or appeared=file:verifier/signals.json#/appeared',
  ])
}

export async function readTruths(file: string, rubric?: string): Promise<WatchedTruths> {
  const { loadGroundTruths } = await import('../archives/truth/ground-truths.ts')
  await checkPaths([], [file])
  const loaded = await loadGroundTruths(file, rubric)
  if (loaded.ok) return watchTruths(loaded.value)
  const places = loaded.error.map(({ path, message }) => `${oneLine(path)}  ${oneLine(message)}`.trim())
  const example = places.some((place) => place.startsWith('/')) ? [TRUTH_EXAMPLE] : []
  throw new CliError(`the ground truths in ${oneLine(file)} cannot be used`, [...places, ...example])
}

function watchTruths(truths: GroundTruths) {
  const left = new Set([...truths.tasks, ...truths.trials])
  const find: GroundTruths['find'] = (names) => {
    for (const name of [...names.tasks, ...names.trials]) left.delete(name)
    return truths.find(names)
  }
  return { ...truths, find, left }
}
export type WatchedTruths = ReturnType<typeof watchTruths>

const TRUTH_EXAMPLE = 'an example: {"instruction": "Build it.", "cue": {"text": "Build with: make release-7f3a"}}'
const [MOST_WARNINGS, MOST_NAMED] = [20, 10] as const

type Items = AsyncIterable<TrialItem>
export type Trial = Extract<TrialItem, { kind: 'trial' }>

/** Counts of a reading. `files`: loose files that are no trajectories; no trial is lost with them. */
export const NO_COUNTS = { trials: 0, skipped: 0, files: 0, unread: 0, warnings: 0 }
export type Counts = typeof NO_COUNTS

/** Refuses an unknown judge or rubric before the inputs are read, whose warnings would bury the refusal. A key that may only grade is told later. */
export async function requireNames({ veridict, signal }: Session, { judge, rubric }: Options): Promise<void> {
  try {
    if (rubric !== undefined) await veridict.readRubric(rubric, { signal })
    if (judge === undefined) return
    const { items, not_configured = [] } = await veridict.listJudges()
    const names = items.map(({ name }) => name)
    if (names.includes(judge)) return
    const reason = not_configured.find(({ name }) => name === judge)?.reason
    const detail = reason ? `the judge ${judge} is not configured: ${reason}` : `there is no such judge: ${judge}`
    const errors = [{ path: '/judge', message: `configured judges: ${names.join(', ')}` }]
    throw new ServiceError(400, { code: 'unknown_judge', detail, errors })
  } catch (error) {
    if (!(error instanceof ServiceError && error.status === 403)) throw error
  }
}

/** Opens the trials of a command that grades them together; the stream throws at its end where no trial came. */
export function openTrials(
  session: Session,
  paths: readonly string[],
  options: Options,
  via = (items: Items) => items,
) {
  const { view } = session
  const counts = { ...NO_COUNTS }
  const places: string[] = []
  const warn = (text: string) => {
    counts.warnings++
    view.note(`warning  ${text}`)
  }
  async function* trials(): AsyncGenerator<Trial> {
    yield* sift(via(readTrialsOf(session, paths, options, { warn })), counts, view)
    if (counts.trials > 0) return
    throw new CliError(`no trial can be graded there: ${counts.skipped} skipped, ${filesText(counts)}`, [
      '`veridict batch --help` lists the kinds of PATH, docs/archives.md the ways of ground truths.',
    ])
  }
  async function* items(): AsyncGenerator<ReadItem> {
    for await (const trial of trials()) {
      places.push(placeOf(trial))
      yield { item: itemOf(trial), trajectory: trial.trajectory }
    }
  }
  /** Sends the trials by `upload`. A refusal names the trial instead of the line. */
  const send = <T>(upload: (items: AsyncIterable<ReadItem>) => Promise<T>): Promise<T> =>
    upload(items()).catch((error: unknown) => {
      throw error instanceof ServiceError ? placed(error, places) : error
    })
  return { counts, trials, send }
}

/** Makes the request of a trial, which names the trial: a grade outside of a batch has no other name. The run’s agent and model keep their room. */
export const requestOf = ({ name, item_id = name, request }: Trial): GradeRequest =>
  Object.keys(request.metadata ?? {}).length >= MOST_FIELDS - 2
    ? request
    : { ...request, metadata: { trial: item_id.slice(0, MOST_NAME_CHARS).toWellFormed(), ...request.metadata } }

/** Makes the item of a trial. Names of trials are made distinct; given ids stay as they are. */
export const itemOf = (trial: Trial): BatchItem => ({ item_id: trial.item_id ?? trial.name, ...requestOf(trial) })

function placed({ status, code, detail, errors }: ServiceError, places: readonly string[]): ServiceError {
  const atItem = (sent: string, index: string) => `${places[Number(index)] ?? sent} `
  const named = errors.map(({ path, message }) => ({ path: path.replace(/^\/items\/(\d+)/, atItem).trim(), message }))
  const ofLine = detail.replace(/^line (\d+)(?= )/, (sent, line: string) => places[Number(line) - 1] ?? sent)
  return new ServiceError(status, { code, detail: ofLine, errors: named })
}

export async function* sift(items: Items, counts: Counts, view: ProgressView) {
  const skipped = new Map<string, Alike>()
  const spelling = watchSpelling()
  try {
    for await (const item of items) {
      if (item.kind === 'trial') {
        noteTrial(item, counts, view)
        spelling.look(item)
        view.doing(`reading: ${countsText(counts)}`)
        yield item
      } else {
        // A file of unknown format is no lost trial.
        counts[item.reason === 'unsupported' ? 'files' : 'skipped']++
        const own = causeOf(item)
        const cause = skipped.has(own) || skipped.size < MOST_WARNINGS ? own : 'for other reasons'
        const { first, all } = skipped.get(cause) ?? { first: [], all: 0 }
        skipped.set(cause, { first: first.length < MOST_NAMED ? [...first, item] : first, all: all + 1 })
      }
    }
  } finally {
    // Also after a broken or cancelled reading.
    view.note(...present([spelling.text()]))
    for (const [cause, alike] of skipped) view.note(skippedText(cause, alike))
  }
}

/** Returns the reason of an item without its line and its names, which other items of the same cause do not share. */
function causeOf({ reason, detail }: SkippedItem): string {
  const cause = detail.replace(/^line \d+[,:]? /, '').replace(/ of (?:task|trial) .*/, ' of its task or trial')
  return reason === 'unsupported' ? cause : `${reason}: ${cause}`
}

/** The first skipped items of one cause, and the number of all: an archive may hold a million other files. */
type Alike = Readonly<{ first: readonly SkippedItem[]; all: number }>

function skippedText(cause: string, { first, all }: Alike): string {
  const [{ reason, detail } = { reason: '', detail: '' }] = first
  const names = first.map(placeOf).join(', ') + (all > first.length ? `, and ${all - first.length} more` : '')
  if (all === 1 && reason !== 'unsupported') return `skipped  ${names}  ${reason}: ${clip(detail, 300)}`
  return `skipped  ${count(all, reason === 'unsupported' ? 'file' : 'trial')}: ${clip(cause, 300)}: ${names}`
}

function noteTrial(trial: Trial, counts: Counts, view: ProgressView): void {
  counts.trials++
  const unread = unreadText(trial.trajectory?.unread ?? null)
  if (unread !== '' && ++counts.unread <= MOST_WARNINGS) view.note(`unread   ${placeOf(trial)}  ${unread}`)
  for (const warning of trial.warnings)
    if (++counts.warnings <= MOST_WARNINGS) view.note(warningText(placeOf(trial), warning))
}

export const warningText = (place: string, warning: string): string =>
  `warning  ${oneLine(place)}  ${clip(warning, 300)}`

const filesText = ({ files }: Counts): string =>
  count(files, 'file that is no trajectory', 'files that are no trajectories')

/** Renders the name of a trial, with its source where the name alone does not tell it. */
const placeOf = ({ name, source }: Pick<TrialItem, 'name' | 'source'>): string =>
  source.endsWith(name) || name.startsWith(`${source}#`) ? oneLine(name) : `${oneLine(name)} (${oneLine(source)})`

export const countsText = (counts: Counts): string =>
  present([
    count(counts.trials, 'trial'),
    counts.skipped > 0 ? `${counts.skipped} skipped` : '',
    counts.files > 0 ? filesText(counts) : '',
    counts.unread > 0 ? `${counts.unread} with unread records` : '',
    counts.warnings > 0 ? count(counts.warnings, 'warning') : '',
  ]).join(', ')

/** In a single run nothing tells a misspelt string from an instruction that the run never showed. */
const LEAST_RUNS = 2
const MOST_RUNS = 20

/** Watches for strings of ground truths that stand in no run: a misspelt text or anchor finds nothing, and can change a label. */
export function watchSpelling() {
  const strings = new Map<string, { readonly name: string; runs: number; isFound: boolean }>()
  return {
    /** Searches a run that can be searched whole, and that a harness did not measure as blind. */
    look({ request, trajectory }: Trial): void {
      if (trajectory === null || trajectory.unread.records > 0 || firstMedia(trajectory) !== null) return
      if (request.ground_truth.signals?.appeared === false) return
      const texts = trajectory.steps.flatMap(({ parts }) => parts.map(({ text }) => text))
      const truth = instructionsOf(normalizeGroundTruth(request.ground_truth))
      for (const [of, { text, anchors = [], action_anchors = [] }] of truth)
        for (const string of new Set([text, ...anchors, ...action_anchors.map(textOfAnchor)])) {
          const name = `“${clip(string, 60)}” of the ${of}`
          const known = strings.get(`${of} ${string}`) ?? { name, runs: 0, isFound: false }
          strings.set(`${of} ${string}`, known)
          if (known.isFound || known.runs === MOST_RUNS) continue
          known.runs++
          // Searches as the evidence gate does, through line breaks and escapes.
          const search = createMarkerSearch([string])
          known.isFound = texts.some((text) => text.includes(string)) || texts.some((text) => search(text).length > 0)
        }
    },
    text(): string {
      const missing = [...strings.values()].filter(({ isFound, runs }) => !isFound && runs >= LEAST_RUNS)
      if (missing.length === 0) return ''
      const named = missing.map(({ name, runs }) => `${name} stands in none of ${count(runs, 'searched run')}`)
      return `warning  check the spelling: ${listed(named, 4, '; ')}`
    },
  }
}

export const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url))

export function readBundled() {
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = folders.map(({ name }) => name).sort()
  return names.map((name) => {
    const read = (file: string) => JSON.parse(readFileSync(join(EXAMPLES, name, file), 'utf8'))
    const request: GradeRequest = { trajectory: read('trajectory.json'), ground_truth: read('ground-truth.json') }
    return { name, request, expected: read('expected.json') as Pick<Grade, 'label' | 'status'> & { why: string } }
  })
}
