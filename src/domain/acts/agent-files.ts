import { pushTo } from '../push-to.ts'
import { patchWrites } from '../shell/patch-writes.ts'
import { type Content, readContent, readEdit } from '../shell/read-content.ts'
import type { ScriptContext } from '../shell/use.ts'
import { isBefore, type Part, type Position, type Step, type Trajectory } from '../trajectory/trajectory.ts'
import { type Act, type ActRole, NOT_RUN } from './act.ts'
import { baseName } from './mentions.ts'
import { readShell, type ShellReading, UNREAD } from './shell-use.ts'

const LAST_WRITES = 16
/**
 * Characters of actions that are read as scripts, in the order of the run: hostile ones take five microseconds each. What comes after them may do
 * anything, as far as the check can tell.
 */
export const MOST_READ = 1_000_000
/** What a reading takes besides, as so many characters. */
const COST_OF_READING = 50
/** The same for what scripts write into files: a loop writes more than it is long. */
const MOST_WRITTEN = 2_000_000
/** Calls that type one line together. */
const MOST_CALLS_OF_LINE = 8
const LONGEST_LINE = 20_000
/** Names of keys, as terminals take them. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['Enter', '\n'],
  ['C-m', '\n'],
  ['C-c', '\u0003'],
  ['C-u', '\u0015'],
])
/** `q`, `C-d`, `:wq`, `Escape`: keys for what runs, and no beginning of a line. */
const LONGEST_KEY = 6
const ENDS_LINE = ['\n', '\r', '\u0003', '\u0015']

/** A file that the agent wrote: when, and what. */
export interface Written {
  readonly name: string
  /** As the writer named it. */
  readonly path: string
  readonly at: Position
  /** Null: it comes after more than is read. */
  readonly text: string | null
  /** When the next text was put into the file; null: never. */
  until: Position | null
}

interface Typed {
  readonly part: Part
  readonly step: number
}

type AddWritten = (path: string | null, part: Part, at: Position, text: string) => void

/** What the agent typed, wrote and ran: every command line and every script is read once. */
export class AgentFiles {
  private readonly trajectory: Trajectory
  private readonly context: ScriptContext
  private readonly shells = new Map<Part, ShellReading>()
  private readonly scripts = new Map<Written, ShellReading>()
  private readonly writtenBy = new Map<Part, Map<string, Written>>()
  private readonly lastRuns = new Map<string, Position>()
  private readonly lastNamed = new Map<string, Position>()
  private readonly lastRunPaths = new Map<string, string>()
  private written: ReadonlyMap<string, readonly Written[]> | null = null
  private readonly readable: Position
  private typed: readonly Typed[] | null = null
  private readonly typedAt = new Map<Part, number>()
  private readonly contents = new Map<Part, readonly Content[]>()

  constructor(trajectory: Trajectory, context: ScriptContext) {
    this.trajectory = trajectory
    this.context = context
    this.readable = endOfReadable(trajectory)
  }

  /** What a file does that is run under this name. */
  scriptOf(path: string, file: Written): ShellReading {
    const known = this.scripts.get(file) ?? (file.text === null ? UNREAD : readScript(path, file.text, this.context))
    this.scripts.set(file, known)
    return known
  }

  /** What is typed in one call may be entered, or erased, by the next ones. */
  private typedFrom(part: Part): string {
    let typed = part.text
    const all = this.typedParts()
    const next = (this.typedAt.get(part) ?? all.length) + 1
    for (const { text } of all.slice(next, next + MOST_CALLS_OF_LINE).map((one) => one.part)) {
      if (ENDS_LINE.some((end) => typed.endsWith(end)) || typed.length > LONGEST_LINE) break
      typed += KEYS.get(text.trim()) ?? text
    }
    return typed
  }

  /** The parts that are typed, in the order of the run. */
  private typedParts(): readonly Typed[] {
    if (this.typed !== null) return this.typed
    const typed = this.trajectory.steps.flatMap(({ parts }, step) =>
      parts.flatMap((part) => (part.act?.language === 'keystrokes' ? [{ part, step }] : [])),
    )
    for (const [index, { part }] of typed.entries()) this.typedAt.set(part, index)
    this.typed = typed
    return typed
  }

  /** What the arguments of a tool write into files. */
  contentsOf(step: Step, part: Part, act: Act): readonly Content[] {
    const known = this.contents.get(part)
    if (known !== undefined) return known
    for (const [one, contents] of readWrites(step, part, act, this.context)) this.contents.set(one, contents)
    return this.contents.get(part) ?? []
  }

  /** What a part does that is a command line, code or keystrokes. */
  shellOf(part: Part, at: Position): ShellReading {
    const known = this.shells.get(part)
    if (known !== undefined) return known
    if (!isBefore(at, this.readable)) return UNREAD
    const language = part.act?.language
    const cell = language === 'code' ? 'cell.py' : language === 'javascript' ? 'cell.js' : null
    const reading =
      cell !== null
        ? readScript(cell, part.text, this.context)
        : language === 'keystrokes'
          ? readShell(this.typedFrom(part), language, this.context)
          : readShell(part.text, language === 'argv' ? language : 'shell', this.context)
    this.shells.set(part, reading)
    return reading
  }

  /** The last ones: what stood in a file long before was overwritten, and a run can write and run one file thousands of times. */
  writtenBefore(path: string, at: Position): readonly Written[] {
    this.written ??= this.findWritten()
    const all = this.written.get(baseName(path)) ?? []
    // They stand in the order of the run.
    let start = 0
    let end = all.length
    while (start < end) {
      const middle = (start + end) >> 1
      if (isBefore(all[middle]?.at ?? at, at)) start = middle + 1
      else end = middle
    }
    return all.slice(Math.max(0, end - LAST_WRITES), end)
  }

  /** Files that the part writes and a later action runs. */
  writesRunLater(part: Part, at: Position): readonly Written[] {
    this.written ??= this.findWritten()
    const files = this.writtenBy.get(part)
    if (files === undefined) return []
    return [...files].flatMap(([name, written]) => (isBefore(at, this.lastRuns.get(name) ?? at) ? [written] : []))
  }

  /** Whether a later action names a file that the part writes, as a module or a test: it may run it. */
  mayRunLater(part: Part, at: Position): boolean {
    this.written ??= this.findWritten()
    return [...(this.writtenBy.get(part)?.keys() ?? [])].some((name) => {
      const dot = name.lastIndexOf('.')
      return isBefore(at, this.lastNamed.get(dot > 0 ? name.slice(0, dot) : name) ?? at)
    })
  }

  /** Whether the part types on in a line that an earlier call began: alone it is not what the terminal got. */
  goesOn(part: Part, at: Position): boolean {
    if (part.act?.language !== 'keystrokes') return false
    const before = this.typedParts()[(this.typedAt.get(part) ?? 0) - 1]
    if (before === undefined || before.step < at.step - MOST_CALLS_OF_LINE) return false
    const typed = KEYS.get(before.part.text.trim()) ?? before.part.text
    return typed.trim().length > LONGEST_KEY && !ENDS_LINE.some((end) => typed.endsWith(end))
  }

  private findWritten(): ReadonlyMap<string, readonly Written[]> {
    const files = new Map<string, Written[]>()
    let left = MOST_WRITTEN
    const add: AddWritten = (path, part, at, text) => {
      if (path === null) return
      const name = baseName(path)
      left -= text.length
      const one = { name, path, at, text: left < 0 || !isBefore(at, this.readable) ? null : text, until: null }
      const before = files.get(name)?.at(-1)
      if (before !== undefined && isBefore(before.at, at)) before.until = at
      pushTo(files, name, one)
      const written = this.writtenBy.get(part)
      if (written === undefined) this.writtenBy.set(part, new Map([[name, one]]))
      else written.set(name, one)
    }
    for (const [step, { parts }] of this.trajectory.steps.entries())
      for (const [part, one] of parts.entries()) this.noteWrites(one, { step, part }, add)
    return files
  }

  private noteWrites(part: Part, at: Position, add: AddWritten): void {
    const { act } = part
    if (act === null || NOT_RUN.has(act.call.outcome)) return
    if (act.language === 'patch')
      for (const { path, text } of patchWrites(part.text)) add(path ?? act.target, part, at, text)
    else if (act.role === 'writes') add(act.target, part, at, part.text)
    else if (isRead(act.language)) {
      const { outputs, runs } = this.shellOf(part, at)
      for (const path of outputs) add(path, part, at, part.text)
      for (const path of runs) {
        this.lastRuns.set(baseName(path), at)
        this.lastRunPaths.set(baseName(path), path)
      }
    }
  }
}

/** The first position behind what is read of the actions. */
function endOfReadable({ steps }: Trajectory): Position {
  let left = MOST_READ
  for (const [step, { parts }] of steps.entries())
    for (const [part, { actor, text }] of parts.entries()) {
      if (actor === 'agent_action') left -= text.length + COST_OF_READING
      if (left < 0) return { step, part }
    }
  return { step: steps.length, part: 0 }
}

/** Whether text in the language is run: a patch is only written. */
export const isRead = (language: Act['language']): boolean => language !== null && language !== 'patch'

const JS_ENDINGS = /\.(?:[cm]?[jt]s|mjs)$/u
/** A file that is run: as code where its name or first line says so, else as a shell script. */
function readScript(path: string, text: string, context: ScriptContext): ShellReading {
  const isCode = /\.(?:py|rb|pl|php|lua|sql|r)$/iu.test(path) || /^#!.*(?:python|ruby|perl|node)/u.test(text)
  return readShell(text, JS_ENDINGS.test(path) ? 'javascript' : isCode ? 'code' : 'shell', context)
}

/** What the parts of a call write, by part: that of a patch or a path, else those that edit the same file. */
function readWrites(step: Step, part: Part, act: Act, context: ScriptContext): Map<Part, readonly Content[]> {
  const { call, language, target } = act
  if (language === 'patch') {
    const changes = patchWrites(part.text)
    const contents = changes.flatMap(({ path, text, old }) => [
      ...readEdit([text], [old], path ?? target, context),
      ...(path === null ? [] : [readContent(path, path, context)]),
    ])
    return new Map([[part, contents]])
  }
  if (part.text === target) return new Map([[part, [readContent(part.text, target, context)]]])
  const ofRole = (role: ActRole): Part[] =>
    step.parts.filter(
      ({ text, act }) => act?.call === call && act.role === role && act.target === target && text !== target,
    )
  const parts = ofRole('writes')
  const texts = parts.map(({ text }) => text)
  const old = ofRole('removes').map(({ text }) => text)
  return new Map(readEdit(texts, old, target, context).map((one, at) => [parts[at] ?? part, [one]]))
}
