import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { baseName } from '../../domain/text/paths.ts'
import { byName, findFolder, listFolder, type Place, within } from '../unpack/place.ts'
import { isPartOfRun } from './joined-files.ts'

/** A file of a trial that may hold its run. */
export interface Candidate {
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

/** The session of one subagent, in a file beside the session that started it. */
export interface SubagentFile {
  readonly file: Place
  readonly shown: string
}

export interface AgentFiles {
  readonly candidates: readonly Candidate[]
  /** Recordings, logs and turn folders, which tell the agent's acts without steps. */
  readonly withoutSteps: readonly string[]
  readonly subagents: readonly SubagentFile[]
  /** True when `agent/trajectory.json` exists and is no file. */
  readonly isBlocked: boolean
}

const MAX_NAMES = 20_000
const MAX_DEPTH = 10

/** A harness's own folders about the agent, and copies of other files of the run. */
const NOT_RUNS = new Set(['setup', 'images', 'node_modules'])

/**
 * Lists the files of a trial that may hold its run, the likeliest first: the ATIF file of Harbor's adapters, then the agents' own files:
 * `openhands.trajectory.json`, `mini-swe-agent.trajectory.json`, `*.traj`, `sessions/**.jsonl` (Claude Code, Codex), printed JSON lines
 * (`claude-code.txt`, `codex.txt`), any other JSON.
 */
export async function findAgentFiles(trial: Place, names: readonly string[]): Promise<AgentFiles> {
  const candidates: Candidate[] = []
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

interface Below {
  readonly file: Place
  readonly folder: Place
  /** The path relative to the searched folder. */
  readonly path: string
}

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

/**
 * Ranks a file by its name; null for a file that is no run. `onlyNamed`: in a folder of collected files only a file named as a trajectory
 * counts.
 */
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
  path.endsWith('.cast') ||
  path.endsWith('.pane') ||
  path.endsWith('.log') ||
  path.endsWith('.txt') ||
  path.split('/').some(isTurnFolder)
