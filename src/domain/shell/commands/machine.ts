import type { CommandNode, CompoundList, ParsedScript, Redirected } from 'unbash'
import { baseName } from '../../acts/mentions.ts'
import type { Record, Write } from '../syntax/record.ts'
import { type ScriptContext, type Taken, weakest } from '../syntax/use.ts'
import { Bindings } from './bindings.ts'
import { usesOfWriting, withoutComments } from './file-kinds.ts'
import {
  type Fails,
  type Frame,
  isUnknownOutput,
  OPEN,
  type Outcome,
  type Piece,
  type Status,
  SUCCESS,
  UNKNOWN,
} from './outcome.ts'
import { ScriptFiles } from './script-files.ts'

/** Where output goes in the end. `gone`: thrown away, or to the screen as a complaint. */
export type Flow = 'shown' | 'kept' | 'acted' | 'gone'

export interface Out {
  readonly flow: Flow
  /** The files that get it. */
  readonly paths: readonly string[]
  /** Where a following command or substitution takes it from. */
  readonly pieces: Piece[] | null
}

export const SCREEN: Out = { flow: 'shown', paths: [], pieces: null }
export const GONE: Out = { flow: 'gone', paths: [], pieces: null }

export interface Scope {
  /** How sure it is that what stands here runs. */
  readonly use: 'done' | 'unsure'
  readonly out: Out
  readonly input: readonly Piece[]
}

export type Halt = 'exit' | 'return' | 'break' | 'continue'

/** One word as the command gets it. Several fields of one source word share its place. */
export interface Field {
  readonly text: string
  readonly start: number
  readonly end: number
  /** Its characters stand in the source one by one: where the first of them does. */
  readonly verbatim: number | null
}

export type FunctionBody = CommandNode | CompoundList | Redirected

/** What a nested script is evaluated by; set once, because commands and statements call each other. */
export interface Evaluator {
  script(machine: Machine, script: ParsedScript, scope: Scope): Status
  node(machine: Machine, node: FunctionBody, scope: Scope): Status
  text(machine: Machine, text: string, frame: Frame, scope: Scope): Status
  fields(machine: Machine, fields: readonly Field[], scope: Scope): Status
}

/** Substitutions, nested scripts and calls deeper than this are not followed: each level may read the same text again. */
const DEEPEST = 12
/** Groups inside of groups; the stack holds some thousands. */
const DEEPEST_NODE = 400
/** How much work a script of a length may be: loops, functions and variables multiply its commands and characters. */
const COMMANDS = { atLeast: 300, perCharacter: 1 }
const CHARACTERS = { atLeast: 20_000, perCharacter: 30 }

const COST_OF_PIECE = 50

/** A program has nothing of this from the one that starts it. */
const NEW_PROGRAM: Partial<Machine> = {
  stopsOnFailure: false,
  isCondition: false,
  pipeFails: false,
  redirected: null,
  loops: 0,
  calls: 0,
  bodies: 0,
  last: SUCCESS,
}

/** What leaves a script, a function or a loop. */
const LEAVE = /\b(?:exit|return|break|continue|exec|kill)\b/u

/** The state of one reading. */
export class Machine {
  readonly variables = new Bindings<readonly string[]>((words) => words.some((word) => LEAVE.test(word)))
  readonly functions = new Bindings<FunctionBody>()
  readonly files = new ScriptFiles()
  frame: Frame = { shift: 0 }
  halt: Halt | null = null
  /** Where `exec > f` sends what follows. */
  redirected: Out | null = null
  /** Whether a command that fails ends the script; null: perhaps. */
  stopsOnFailure: Status = false
  /** What runs is a condition: its failures end nothing. */
  isCondition = false
  /** Whether a pipeline fails where one of its commands does. */
  pipeFails: Status = false
  exceeded = false
  /** Where it is, from where it began; null: not known. */
  folder: string | null = ''
  /** Lines come one by one: a shell that is left was perhaps not the only one. */
  isTyped = false
  /** How often the last command fails. */
  fails: Fails = 'rarely'
  /** What the command before came to: `$?`. */
  last: Outcome = SUCCESS
  /** What the last substitution came to. */
  captured: Status = null
  /** Functions that run. */
  bodies = 0
  /** What may have been left before, so that it is uncertain whether the rest of it runs; `exit`: of the script. */
  readonly perhapsLeft = new Set<Halt>()
  /** Loops and functions that run, which `break` and `return` leave. */
  loops = 0
  calls = 0
  /** What runs is made of text that is a guess: any of its commands may be missing. */
  isDoubted = false
  /** A loop runs its body again. */
  isSecondTurn = false
  /** What runs is put together from a guess: it may be another command. */
  isGuessing = false
  /** A script has an error. */
  broken = false
  private depth = 0
  private nesting = 0
  private commands = 0
  private characters = 0
  private readonly mostCommands: number
  private readonly mostCharacters: number
  readonly record: Record
  readonly context: ScriptContext
  readonly evaluate: Evaluator
  private readonly source: string

  constructor(record: Record, context: ScriptContext, evaluate: Evaluator, source: string) {
    this.mostCommands = COMMANDS.atLeast + COMMANDS.perCharacter * source.length
    this.mostCharacters = CHARACTERS.atLeast + CHARACTERS.perCharacter * source.length
    this.source = source
    this.record = record
    this.context = context
    this.evaluate = evaluate
  }

  /** A shell that goes on keeps its functions: to a later call it is a script of that name. */
  definesFunction(name: string, body: { readonly pos: number; readonly end: number }): void {
    const { frame, source } = this
    if (!('shift' in frame) || !this.spend(0, body.end - body.pos)) return
    const text = source.slice(body.pos + frame.shift, body.end + frame.shift)
    this.record.writes.push({ path: name, text, use: 'done' })
  }

  /** False: no more work may be done. */
  spend(commands: number, characters: number): boolean {
    this.commands += commands
    this.characters += characters
    if (this.commands > this.mostCommands || this.characters > this.mostCharacters) this.exceeded = true
    return !this.exceeded
  }

  /** Does something one level deeper; null: too deep. */
  deeper<T>(work: () => T): T | null {
    if (this.depth >= DEEPEST) this.exceeded = true
    if (this.exceeded) return null
    this.depth++
    const result = work()
    this.depth--
    return result
  }

  /** Goes one node down the syntax tree. */
  nested(work: () => Status): Status {
    if (this.nesting >= DEEPEST_NODE) this.exceeded = true
    if (this.exceeded) return null
    this.nesting++
    const status = work()
    this.nesting--
    return status
  }

  /** A process of its own: leaving it leaves nothing else, and what it sets is gone with it. It `has` what the script has set, or less. */
  process<T>(work: () => T, has: 'all' | 'exported' | 'nothing' = 'all'): T | null {
    const { halt, stopsOnFailure, isCondition, pipeFails, redirected, loops, calls, bodies, folder, last } = this
    if (has !== 'all') Object.assign(this, NEW_PROGRAM)
    const result = this.leaving(['exit', 'return', 'break', 'continue'], () =>
      this.variables.process(has, () => this.functions.process(has, work)),
    )
    Object.assign(this, {
      halt,
      stopsOnFailure,
      isCondition,
      pipeFails,
      redirected,
      loops,
      calls,
      bodies,
      folder,
      last,
    })
    return result
  }

  /** Runs what these ways of leaving end: behind it they are no doubt any more. Where one of them may have been taken, what it answers is open. */
  leaving<T>(ways: readonly Halt[], work: () => T): T | null {
    const mine = ways.filter((way) => !this.perhapsLeft.has(way))
    const result = work()
    const left = mine.filter((way) => this.perhapsLeft.delete(way))
    if (left.length === 0) return result
    this.fails = 'often'
    return null
  }

  /** Runs what rarely runs: how it would leave counts for nothing. Answers that way. What it came to is open. */
  rarely(work: () => Status): Halt | null {
    const { halt } = this
    if (work() === false && this.halt === null) this.fails = 'often'
    this.last = OPEN
    const way = this.halt
    this.halt = halt
    return way
  }

  /** What may not run cannot leave the script or the loop for sure: where it would, it is not known whether what follows runs. */
  perhaps(work: () => Status): Halt | null {
    const way = this.rarely(work)
    if (way !== null) this.perhapsLeft.add(way)
    return way
  }

  /** What just left the script, the function or the loop perhaps did not run. */
  leavePerhaps(): void {
    if (this.halt !== null) this.perhapsLeft.add(this.halt)
    this.halt = null
  }

  /** Runs commands of which each may be missing, or be another one: what leaves the script leaves it perhaps. */
  doubting<T>(work: () => T): T {
    const { isDoubted } = this
    this.isDoubted = true
    const result = work()
    this.isDoubted = isDoubted
    this.leavePerhaps()
    return result
  }

  /** What fails as a condition does not end the script. */
  asCondition(work: () => Status): Status {
    const { isCondition } = this
    this.isCondition = true
    const status = work()
    this.isCondition = isCondition
    return status
  }

  /** The path that a relative one is, from where the script began. */
  pathOf(word: string): string {
    if (!word.includes('/') || word.startsWith('/') || this.folder === '') return word
    return this.folder === null ? baseName(word) : `${this.folder}/${word}`
  }

  get isTop(): boolean {
    return this.depth === 0 && this.nesting === 0
  }

  within<T>(frame: Frame, work: () => T): T {
    const before = this.frame
    this.frame = frame
    const result = work()
    this.frame = before
    return result
  }

  paint(start: number, end: number, use: Taken, frame: Frame = this.frame): void {
    if (end - start > 0 && !this.spend(0, end - start)) return
    if ('shift' in frame) this.record.paint(start + frame.shift, end + frame.shift, use)
    else this.record.paint(frame.start, frame.end, use)
  }

  emit(piece: Piece, scope: Scope): void {
    const { out } = scope
    if (!this.spend(0, piece.text.length + COST_OF_PIECE)) return
    if (out.pieces !== null) out.pieces.push(scope.use === 'done' ? piece : { ...piece, doubt: 'printed' })
    else if (out.flow !== 'kept') this.tell(piece)
    else for (const path of out.paths) this.write(path, piece, scope.use)
  }

  /** Something is printed of which nothing is known. */
  emitUnknown({ out }: Scope): void {
    if (out.pieces !== null && out.pieces.at(-1) !== UNKNOWN) out.pieces.push(UNKNOWN)
    if (out.flow === 'kept') for (const path of out.paths) this.files.doubt(path)
  }

  tell(piece: Piece): void {
    this.record.say(piece.text, 'told', 'told')
    this.paint(piece.start, piece.end, 'told', piece.frame)
  }

  write(path: string | null, piece: Piece, certainty: Taken): void {
    const isUnknown = piece.file !== undefined || isUnknownOutput(piece)
    if (isUnknown && path !== null) this.files.doubt(path)
    if (isUnknown) return
    const use = piece.doubt === 'printed' ? weakest('unsure', certainty) : certainty
    if (!this.spend(0, piece.text.length + COST_OF_PIECE)) return
    const write: Write = { path, text: piece.text, use }
    this.record.writes.push(write)
    this.sayWritten(path, piece.text, use)
    const { asSetting, asCommand } = usesOfWriting(path, piece.text, this.context)
    const shown: Taken = asSetting === 'done' && asCommand !== 'told' ? 'done' : 'unsure'
    this.paint(piece.start, piece.end, weakest(shown, use), piece.frame)
    if (path !== null) this.files.append(path, piece, write)
  }

  /** A text that takes the place of another one in a file. */
  sayChanged(path: string | null, text: string, old: string, use: Taken): void {
    if (old === '') this.sayWritten(path, text, use)
    else this.record.edits.push({ path, text, old, use })
    this.record.writes.push({ path, text, use, ...(old !== '' && { old }) })
  }

  /** Comment lines say less than the others. */
  sayWritten(path: string | null, text: string, use: Taken): void {
    const { asString, asCommand, asCall, asSetting } = usesOfWriting(path, text, this.context)
    const { live, comments } = withoutComments(path, text)
    this.record.say(live, weakest(asString, use), weakest(asCommand, use), weakest(asCall, use))
    this.record.set(live, weakest(asSetting, use))
    this.record.say(comments, 'unsure', 'told')
  }
}
