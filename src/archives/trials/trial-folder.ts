import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { baseName } from '../../domain/words.ts'
import { readGroundTruths } from '../truth/ground-truths.ts'
import { shownName } from '../unpack/names.ts'
import { byName, findFile, findFolder, listFolder, type Place, within } from '../unpack/place.ts'
import { harborFacts, stepFacts } from './harbor.ts'
import { type Scope, skip, type TrialItem, type TrialRun } from './reading-job.ts'
import { type SubagentFile, withSubagents } from './run-additions.ts'
import { isPartOfRun, openRunFile, tellIssue } from './run-files.ts'
import { type TrialFacts, terminalBenchFacts } from './trial-facts.ts'
import { joinTrial } from './trial-join.ts'

/** Bounds the files of one trial that are opened in search of its run. */
const MAX_TRIES = 12

/** Reads the harness's facts of a trial from its folder; null for any other folder. */
export const trialFactsOf = async (scope: Scope, folder: Place): Promise<TrialFacts | null> =>
  (await harborFacts(folder)) ?? (await terminalBenchFacts(folder, scope.run))

/** Reads all runs of one trial's folder: one run, or one per step. */
export async function* readTrialFolder(scope: Scope, folder: Place, facts: TrialFacts): AsyncGenerator<TrialItem> {
  const own = await withTruthOf(scope, folder)
  if (own.skipped !== null) yield own.skipped
  const folders = facts.harness === 'terminal-bench' ? ['agent-logs', 'sessions'] : ['agent', 'artifacts']
  const steps = await findFolder(folder, 'steps')
  const names = steps === null ? [] : ((await listFolder(steps, scope.job.limits.max_entries)) ?? [])
  let read = 0
  for (const { name, kind } of names) {
    if (kind !== 'folder' || steps === null) continue
    const step = within(steps, name)
    if ((await findFolder(step, 'agent')) === null && (await findFolder(step, 'verifier')) === null) continue
    const of = await withTruthOf(own.scope, step)
    if (of.skipped !== null) yield of.skipped
    yield* readRun(of.scope, step, await stepFacts(folder, step, name, facts), folders, [step, folder])
    read++
  }
  if (read === 0 || (await findFolder(folder, 'agent')) !== null)
    yield* readRun(own.scope, folder, facts, folders, [folder])
}

/** Names of a folder's own ground truth, the first before the second. */
const TRUTH_FILES = ['ground_truth.json', 'ground-truth.json'] as const
export const isTruthFile = (name: string): boolean => (TRUTH_FILES as readonly string[]).includes(name)

/** Adds a folder's `ground_truth.json` to the scope below it. The file is beside the agent's folder, so the agent never writes it. */
export async function withTruthOf(
  scope: Scope,
  folder: Place,
): Promise<{ readonly scope: Scope; readonly skipped: TrialItem | null }> {
  const file = (await findFile(folder, TRUTH_FILES[0])) ?? (await findFile(folder, TRUTH_FILES[1]))
  if (file === null) return { scope, skipped: null }
  const truths = await readGroundTruths(file, scope.job.limits.max_file_bytes, scope.job.options.rubric)
  if (truths.ok) return { scope: { ...scope, truths: [truths.value, ...scope.truths] }, skipped: null }
  const [issue] = truths.error
  const detail = `no ground truth is taken from it: ${issue === undefined ? 'cannot be read' : tellIssue(issue)}`
  return { scope, skipped: skip(scope, file, 'unreadable', detail) }
}

/** Reads the first file that holds a run; a warning names each unreadable file before it. */
async function* readRun(
  scope: Scope,
  place: Place,
  facts: TrialFacts,
  names: readonly string[],
  folders: readonly Place[],
): AsyncGenerator<TrialItem> {
  const files = await findAgentFiles(place, names)
  const failures: { readonly item: TrialItem & { kind: 'skipped' }; readonly file: string }[] = []
  let isClosed = files.isBlocked
  for (const candidate of files.candidates.slice(0, MAX_TRIES)) {
    // An unreadable run of the agent's folder is not replaced by files that the agent left elsewhere.
    if (candidate.isCollected && isClosed) break
    const file = candidate.file.shown.slice(place.shown.length + 1)
    const warnings = [
      ...failures.map(({ item, file: other }) => `${shownName(other)} is not what was read: ${item.detail}`),
      ...besides(files, candidate, place),
      ...(candidate.isCollected ? [`the run is taken from ${candidate.below}/, which the agent can write`] : []),
    ]
    const items = await readCandidate(scope, place, candidate, files.subagents, { facts, folders, warnings })
    const [failed] = items.filter((item) => item.kind === 'skipped' && item.reason !== 'no_ground_truth')
    if (failed?.kind === 'skipped' && items.length === 1) {
      failures.push({ item: failed, file })
      isClosed ||= candidate.rank === 0 || failed.reason !== 'unsupported'
      continue
    }
    yield* items
    return
  }
  const [first] = failures
  // A file of no known format is no broken trajectory: a trial of such files has no trajectory.
  if (first !== undefined && first.item.reason !== 'unsupported') yield first.item
  else yield skip(scope, place, 'no_trajectory', whyNone(facts, files, failures))
}

async function readCandidate(
  scope: Scope,
  place: Place,
  { file, folder, bytes }: Candidate,
  subagents: readonly SubagentFile[],
  { facts, folders, warnings: before }: Pick<TrialRun, 'facts' | 'folders' | 'warnings'>,
): Promise<TrialItem[]> {
  const opened = await openRunFile(folder, file, scope.job.limits)
  const shown = file.shown.slice(place.shown.length + 1)
  if (opened.kind !== 'opened') return [skip(scope, place, opened.kind, `${shownName(shown)}: ${opened.detail}`)]
  const items: TrialItem[] = []
  const [first] = opened.runs
  const isSingle = opened.runs.length === 1 && first !== undefined
  const joined = isSingle ? await withSubagents(first, subagents, scope.job.limits, bytes) : null
  const warnings = [...before, ...opened.warnings, ...(joined?.warnings ?? [])]
  for (const run of joined === null ? opened.runs : [joined.run])
    items.push(await joinTrial(scope, { place, file, run, facts, warnings, folders }))
  return items
}

/** Warns of other files of the same rank, which may hold another run. */
function besides(files: AgentFiles, chosen: Candidate, place: Place): string[] {
  const others = files.candidates.filter((other) => other.rank === chosen.rank && other !== chosen)
  if (others.length === 0) return []
  const [first] = others
  const name = shownName(first?.file.shown.slice(place.shown.length + 1) ?? '')
  return [`not read: ${name}${others.length > 1 ? ` and ${others.length - 1} more like it` : ''}`]
}

function whyNone(
  facts: TrialFacts,
  { candidates, withoutSteps }: AgentFiles,
  failures: readonly { readonly file: string }[],
): string {
  const exception = facts.more['exception']
  const raised = exception === undefined ? '' : `; it ended with ${shownName(String(exception))}`
  const tried = failures.map(({ file }) => shownName(file))
  if (tried.length > 0) return `no file is a trajectory of a known format (${tried.join(', ')})${raised}`
  const only = withoutSteps.map((name) => shownName(name)).join(', ')
  if (only !== '') return `there are only recordings and logs, which have no steps (${only})${raised}`
  return `${candidates.length === 0 ? 'the trial holds no trajectory' : 'nothing can be read'}${raised}`
}

/** A file of a trial that may hold its run. */
interface Candidate {
  readonly file: Place
  readonly folder: Place
  /** Lower ranks are tried first; files of equal rank record the same run. */
  readonly rank: number
  readonly bytes: number
  /** The trial's folder with the file. */
  readonly below: string
  /** True for a folder of collected files, in which the agent may write a file that imitates its run. */
  readonly isCollected: boolean
}

type AgentFiles = Awaited<ReturnType<typeof findAgentFiles>>

const MAX_NAMES = 20_000
const MAX_DEPTH = 10

/** A harness's own folders about the agent, and copies of other files of the run. */
const NOT_RUNS = new Set(['setup', 'images', 'node_modules'])

/** Lists files that may hold the run, the likeliest first: the ATIF file of Harbor’s adapters, the agents’ own files, any other JSON. */
async function findAgentFiles(trial: Place, names: readonly string[]) {
  const candidates: Candidate[] = []
  /** Recordings, logs and turn folders, which tell the agent's acts without steps. */
  const withoutSteps: string[] = []
  const subagents: SubagentFile[] = []
  const count: Count = { names: 0, unlisted: [] }
  for (const [order, name] of names.entries()) {
    const folder = await findFolder(trial, name)
    if (folder === null) continue
    const isCollected = order > 0
    for await (const { file, folder: own, path } of filesBelow(folder, '', 0, count)) {
      if (isSubagent(path)) subagents.push({ file, shown: `${name}/${path}` })
      const rank = rankOf(path, isCollected)
      const bytes = (await lstat(file.path).catch(() => null))?.size ?? 0
      if (rank !== null)
        candidates.push({ file, folder: own, rank: rank + order * 100, bytes, below: name, isCollected })
      else if (isRecording(path)) withoutSteps.push(`${name}/${path}`)
    }
  }
  const own = await lstat(join(trial.path, names[0] ?? '', 'trajectory.json')).catch(() => null)
  /** True when `agent/trajectory.json` exists and is no file. */
  const isBlocked = own !== null && !own.isFile()
  // The largest of several sessions is the run; the others are warm-ups, resumed heads, titles.
  candidates.sort((a, b) => a.rank - b.rank || b.bytes - a.bytes || byName(a.file.shown, b.file.shown))
  return { candidates, withoutSteps: [...count.unlisted, ...withoutSteps].slice(0, 5), subagents, isBlocked }
}

interface Count {
  names: number
  /** Folders that were not searched: too deep, or with too many names. */
  readonly unlisted: string[]
}

type Below = Pick<Candidate, 'file' | 'folder'> & { readonly path: string }

/** Yields the files below a folder, each with its path relative to the searched folder. */
async function* filesBelow(folder: Place, path: string, depth: number, count: Count): AsyncGenerator<Below> {
  const listed = depth > MAX_DEPTH ? null : await listFolder(folder, MAX_NAMES - count.names)
  if (listed === null) count.unlisted.push(`${path === '' ? 'its folder' : path} was not looked into`)
  count.names += listed?.length ?? 0
  for (const { name, kind } of listed ?? []) {
    const below = within(folder, name)
    if (kind === 'file') yield { file: below, folder, path: `${path}${name}` }
    if (kind === 'folder' && !NOT_RUNS.has(name)) yield* filesBelow(below, `${path}${name}/`, depth + 1, count)
  }
}

/** Ranks a file by its name; null: no run. `onlyNamed`: in a folder of collected files only a file named as a trajectory counts. */
function rankOf(path: string, onlyNamed: boolean): number | null {
  const name = baseName(path)
  if (isSubagent(path) || path.split('/').includes('subagents')) return null
  if (isPartOfRun(name) || path.split('/').some(isTurnFolder)) return null
  if (path === 'trajectory.json') return 0
  if (name.endsWith('.trajectory.json')) return 1
  if (name === 'trajectory.json') return 2
  if (onlyNamed) return null
  if (name.endsWith('.traj') || name.endsWith('.traj.json')) return 3
  if (path.startsWith('sessions/') && name.endsWith('.jsonl')) return 4
  if (name.endsWith('.jsonl') || name.endsWith('.ndjson')) return 5
  if (name === 'claude-code.txt' || name === 'codex.txt') return 6
  return name.endsWith('.json') ? 7 : null
}

/** Recognizes a subagent's session: `sessions/…/<session>/subagents/agent-1.jsonl`, or a file beside the session of an older agent. */
function isSubagent(path: string): boolean {
  const names = path.split('/')
  const name = names.at(-1) ?? ''
  return name.endsWith('.jsonl') && (name.startsWith('agent-') || names.includes('subagents'))
}

/** Recognizes folders of single turns: `episode-3/` (prompts and replies of an older terminus), `command-2/`. */
const isTurnFolder = (name: string): boolean => name.startsWith('episode-') || name.startsWith('command-')

const isRecording = (path: string): boolean =>
  ['.cast', '.pane', '.log', '.txt'].some((end) => path.endsWith(end)) || path.split('/').some(isTurnFolder)
