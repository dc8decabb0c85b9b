import { lazy, once } from '../result.ts'
import { readAnchor } from '../shell/match-command.ts'
import { fileKind, isKept } from '../shell/programs.ts'
import { readShell, type ShellReading, UNREAD } from '../shell/read-shell.ts'
import type { Certainty, ScriptContext } from '../shell/script.ts'
import { type Content, patchWrites, readContent, readEdit } from '../shell/written-text.ts'
import type { Act, Part, Position, Step, Trajectory } from '../trajectory/trajectory.ts'
import { isBefore, NOT_RUN } from '../trajectory/trajectory.ts'
import { baseName, wordSet } from '../words.ts'
import { partsOfCall } from './wanted.ts'

/** Characters of actions that are read as scripts, in the order of the run; the scripts behind them may do anything, as far as the check can tell. */
export const MOST_READ = 1_000_000
/** Characters that a reading costs besides. */
const COST_OF_READING = 50
const MEASURED = wordSet('ran failed')
const IS_LOG = /\.(?:err|log|out)$/iu
const ENDS_LINE = ['\n', '\r', '\u0003', '\u0015']
/** Names of the keys that end a line, as terminals take them. */
const ENDING_KEYS = new Set(['Enter', 'C-m', 'C-c', 'C-u'])

interface RunScript {
  readonly at: Position
  readonly part: Part
  readonly step: number
  readonly reading: ShellReading
}

/** The most that an act proves, with the reason; empty: none. */
type Limited = readonly [most: Certainty, why: string]
const limited = (why: string): Limited => ['maybe', why]

/** Tells whether text in the language runs: a patch is only written. */
export const isRun = (language: Act['language']): boolean => language !== null && language !== 'patch'

/** Tells whether the text of a part ran as a script. */
export const isRunScript = ({ actor, act }: Part): boolean =>
  actor === 'agent_action' && act !== null && isRun(act.language) && !NOT_RUN.has(act.call.outcome)

/** The command lines and the written texts of a run, each read once. */
export class Scripts {
  /** Whether every script stands within the bound. */
  readonly isWhole: boolean
  private readonly trajectory: Trajectory
  private readonly context: ScriptContext
  private readonly readable: Position
  private readonly readings = new Map<Part, ShellReading>()
  private readonly contents = new Map<Part, readonly Content[]>()
  /** The lines of which a part types a piece: an earlier call began the line, or no key of the part ends it. */
  readonly openLines: ReadonlyMap<Part, { readonly text: string }>
  private readonly lastNamed = lazy(() => lastNames(this.trajectory))
  private readonly effects = lazy(() => this.lastingEffects())
  /** Finds the first script that sets up a program. */
  private readonly setUpOf = once(
    (program: string) => this.effects().scripts.find(({ reading }) => reading.setsUp(program)) ?? null,
  )

  /** Finds the first script that acts by a program. */
  private readonly firstBy = once(
    (program: string) => this.effects().scripts.find(({ reading }) => reading.actsBy(program)) ?? null,
  )

  /** Finds the first act that names a file and may write the file; null: none does. */
  private readonly firstWriting = once((name: string): Position | null => {
    for (const [step, { parts }] of this.trajectory.steps.entries())
      for (const [index, part] of parts.entries()) {
        const { act, text } = part
        if (act === null || act.role === 'reads' || act.role === 'searches') continue
        if (!text.includes(name) && act.target?.endsWith(name) !== true) continue
        const at = { step, part: index }
        if (!isRunScript(part) || !this.readingOf(part, at).looksAt(name)) return at
      }
    return null
  })

  private readonly written = lazy(() =>
    this.trajectory.steps.flatMap(({ parts }, step) =>
      [...parts.entries()].flatMap(([part, one]) => {
        const at = { step, part }
        return one.act === null ? [] : this.writesOf(one, one.act, at).map((path) => ({ path, at }))
      }),
    ),
  )

  /** Finds the first file that is written and may decide what a command does: the command names the file in part, or the file is neither prose nor code. */
  private readonly firstDeciding = once((command: string) => {
    const { pieces } = readAnchor(command)
    const isNamed = (name: string): boolean => pieces.some((piece) => piece === name || piece === name.split('.')[0])
    const decides = (path: string): boolean => fileKind(path, '') === 'other' || isNamed(baseName(path).toLowerCase())
    return this.written().find(({ path }) => !IS_LOG.test(path) && decides(path)) ?? null
  })

  /** Finds the last script that acts on an operand of a command by its program. */
  private readonly lastAgain = once(
    (command: string) => this.effects().scripts.findLast(({ reading }) => reading.actsAgain(command, false)) ?? null,
  )

  constructor(trajectory: Trajectory, context: ScriptContext) {
    this.trajectory = trajectory
    this.context = context
    this.readable = endOfReadable(trajectory)
    this.isWhole = this.readable.step === trajectory.steps.length
    this.openLines = linesInPieces(trajectory)
  }

  readingOf(part: Part, at: Position): ShellReading {
    const known = this.readings.get(part)
    if (known !== undefined) return known
    const language = part.act?.language ?? 'shell'
    const isReadable = isBefore(at, this.readable) && language !== 'patch'
    const reading = isReadable ? readShell(part.text, language, this.context) : UNREAD
    this.readings.set(part, reading)
    return reading
  }

  /** Bounds a command by the scripts up to it that may change its effect: a shell may live on from call to call. */
  limitOf(command: string, at: Position): Limited {
    const { program, shell, open, folders } = this.effects()
    const { programs, files } = readAnchor(command)
    const setUp = programs.map(this.setUpOf).find((one) => one !== null && isBefore(one.at, at))
    const part = this.trajectory.steps[at.step]?.parts[at.part]
    const own = part === undefined ? undefined : this.readings.get(part)
    if (own !== undefined && programs.some((name) => own.setsUp(name, command.trim())))
      return limited('a command before it in its script sets up its program, or puts another in the place')
    if (setUp) return limited(`step ${setUp.step} sets up its program, or puts another in the place`)
    if (program !== null && isBefore(program.at, at))
      return limited(`step ${program.step} opens a program that may take the command`)
    const moved = part && folders.get(part)
    if (moved?.reading.effects().isInScratch === true)
      return limited(`step ${moved.step} changes to a folder of copies or trials`)
    const isBehind = (script: RunScript | null): boolean => script !== null && isBefore(script.at, at)
    const written = files.map(this.firstWriting).find((first) => first !== null && isBefore(first, at))
    if (written !== undefined) return ['sure', 'an earlier act names the file of its program']
    const decided = this.firstDeciding(command)
    if (decided !== null && isBefore(decided.at, at))
      return ['sure', `an earlier act writes ${baseName(decided.path)}, which may decide what the command does`]
    if (!this.isWhole) return ['sure', 'a script of the run is behind the bound of what is read']
    const earlier = programs.map(this.firstBy).find((one) => one !== null && isBefore(one.at, at))
    if (earlier) return ['sure', `step ${earlier.step} acts by its program, too, and may choose where the command acts`]
    const again = this.lastAgain(command)
    if (again !== null && isBefore(at, again.at))
      return ['sure', `step ${again.step} acts on the same by the same program, and may take the act back`]
    if (own?.actsAgain(command, true))
      return [
        'sure',
        'a command behind it in its script acts on the same by the same program, and may take the act back',
      ]
    if (isBehind(open)) return ['sure', 'an earlier call may have left a program open']
    const isChanged = moved !== undefined || isBehind(shell)
    return isChanged ? ['sure', 'an earlier command changed the shell or its folder'] : ['whole', '']
  }

  /** Finds the scripts that ran, and the first that open a program and change the shell; by script, the last that changed the folder. */
  private lastingEffects() {
    const scripts = this.trajectory.steps.flatMap(({ id, parts }, step): RunScript[] =>
      [...parts.entries()].flatMap(([index, part]) => {
        const at = { step, part: index }
        return isRunScript(part) ? [{ at, part, step: id, reading: this.readingOf(part, at) }] : []
      }),
    )
    const folders = new Map<Part, RunScript>()
    let last: RunScript | undefined
    for (const script of scripts) {
      if (script.reading.effects().isMoved) last = script
      if (last !== undefined) folders.set(script.part, last)
    }
    const first = (is: (script: RunScript) => boolean): RunScript | null => scripts.find(is) ?? null
    return {
      scripts,
      folders,
      program: first(({ reading }) => reading.effects().opensProgram),
      shell: first(({ reading }) => reading.effects().changesShell),
      // A program whose end is not measured may be open, and take the lines behind.
      open: first(({ part: { act }, reading }) => !MEASURED.has(act?.call.outcome ?? '') && !reading.isPlain()),
    }
  }

  /** Reads the texts that an argument puts into files. */
  contentsOf(step: Step, part: Part, act: Act): readonly Content[] {
    const contents = this.contents.get(part) ?? readWrites(step, part, act, this.context)
    this.contents.set(part, contents)
    return contents
  }

  writesOf(part: Part, { role, language, target }: Act, at: Position): readonly string[] {
    if (language === 'patch') return patchWrites(part.text).flatMap(({ path }) => path ?? target ?? [])
    if (isRun(language)) return this.readingOf(part, at).outputs().filter(isKept)
    return role === 'writes' && target !== null ? [target] : []
  }

  /** Tells whether a later command line names one of the files: the file may run. */
  isNamedLater(paths: readonly string[], at: Position): boolean {
    return paths.some((path) => isBefore(at, this.lastNamed().get(baseName(path)) ?? at))
  }
}

/** The first position behind the bound of what is read. */
function endOfReadable({ steps }: Trajectory): Position {
  let left = MOST_READ
  for (const [step, { parts }] of steps.entries())
    for (const [part, { actor, text }] of parts.entries()) {
      if (actor === 'agent_action') left -= text.length + COST_OF_READING
      if (left < 0) return { step, part }
    }
  return { step: steps.length, part: 0 }
}

/** The last command line that holds each name of a file. */
function lastNames({ steps }: Trajectory): Map<string, Position> {
  const names = new Map<string, Position>()
  for (const [step, { parts }] of steps.entries())
    for (const [part, one] of parts.entries()) {
      if (!isRunScript(one)) continue
      for (const name of one.text.split(/[^\w.@+-]+/u)) names.set(name, { step, part })
    }
  return names
}

const LONGEST_LINE = 20_000

/** The lines that several calls type, by their parts. */
function linesInPieces({ steps }: Trajectory) {
  const lines = new Map<Part, { text: string }>()
  let line: { text: string } | null = null
  for (const { parts } of steps)
    for (const part of parts) {
      if (part.act?.language !== 'keystrokes') continue
      const isEnded = ENDS_LINE.some((end) => part.text.endsWith(end)) || ENDING_KEYS.has(part.text.trim())
      if (line === null && isEnded) continue
      line ??= { text: '' }
      const typed = ENDING_KEYS.has(part.text.trim()) ? '\n' : part.text
      line.text += typed.slice(0, LONGEST_LINE - line.text.length)
      lines.set(part, line)
      if (isEnded) line = null
    }
  return lines
}

/** Reads what a part writes: a patch, a path, or the text of an edit. */
function readWrites(step: Step, part: Part, { call, language, target }: Act, context: ScriptContext): Content[] {
  if (language === 'patch')
    return patchWrites(part.text).flatMap(({ path, text, old }) => [
      readEdit(text, [old], path ?? target, context),
      ...(path === null ? [] : [readContent(path, path, context)]),
    ])
  const old = partsOfCall(step, call).filter(({ act }) => act?.role === 'removes')
  const texts = part.text === target ? [] : old.map(({ text }) => text)
  return [readEdit(part.text, texts, target, context)]
}
