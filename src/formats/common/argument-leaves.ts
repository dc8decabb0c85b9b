import type { Part } from '../../domain/trajectory/trajectory.ts'
import { baseName } from '../../domain/words.ts'
import {
  type ArgumentKind,
  meaningOf,
  meaningOfKind,
  meaningOfName,
  type OpenCall,
  type ToolSpec,
} from '../tools/tool-table.ts'
import { decodeObject, type Leaf, leavesOf, memberName } from './json-tree.ts'
import { isAbsent, isRecord, type Json, pointer, type Reading } from './reading.ts'

/** One argument of a call, or one leaf of a nested argument. */
export interface ArgumentLeaf extends Leaf {
  /** The kind of the argument, where its name does not decide the kind. */
  readonly kind?: ArgumentKind
}

/**
 * Lists the leaves of a call's arguments. An array of command words is one leaf, as JSON, because only all of its words together say what
 * runs; where a shell runs a script, each word is a leaf. An array of command lines gives one leaf a line.
 */
export function argumentLeavesOf(spec: ToolSpec | undefined, args: unknown, path: string): readonly ArgumentLeaf[] {
  let leaves: readonly ArgumentLeaf[] = leavesOf(args, path)
  if (!isRecord(args) || spec === undefined) return leaves
  for (const key of Object.keys(args)) {
    const kind = Object.hasOwn(spec.args, key) ? spec.args[key] : undefined
    if (kind === 'argv' || kind === 'shell') leaves = withCommand(leaves, kind, key, args[key], pointer(path, key))
  }
  return isCommandInput(spec, args) ? withInput(leaves, args['input'], pointer(path, 'input')) : leaves
}

const SESSIONS = ['session_id', 'sessionId', 'shellId', 'action'] as const

/** Tells whether `input` of a shell tool is its only argument, and so the command; beside a session, `input` holds keystrokes. */
function isCommandInput({ args: kinds }: ToolSpec, args: Json): boolean {
  if (kinds['input'] !== 'keystrokes' || isEmpty(args['input'])) return false
  const shells = Object.keys(kinds).filter((key) => kinds[key] === 'shell')
  return shells.length > 0 && [...shells, ...SESSIONS].every((key) => !Object.hasOwn(args, key) || isEmpty(args[key]))
}

const isEmpty = (value: unknown): boolean => isAbsent(value) || value === ''

/** Marks `input` as a shell line, or as one line per item of an array; an object may be anything. */
function withInput(leaves: readonly ArgumentLeaf[], input: unknown, at: string): readonly ArgumentLeaf[] {
  const isLine = typeof input === 'string' ? decodeObject(input) === null : Array.isArray(input)
  const kind = isLine ? 'shell' : 'unknown'
  return leaves.map((leaf) => (leaf.pointer === at || leaf.pointer.startsWith(`${at}/`) ? { ...leaf, kind } : leaf))
}

/** Replaces the leaves of a command: a string is a shell line, also where an array was due; an array with other values may be anything. */
function withCommand(
  leaves: readonly ArgumentLeaf[],
  kind: 'argv' | 'shell',
  key: string,
  value: unknown,
  at: string,
): readonly ArgumentLeaf[] {
  if (kind === 'shell' && !isOneCommand(key, value)) return leaves
  const isOf = (leaf: Leaf): boolean => leaf.pointer === at || leaf.pointer.startsWith(`${at}/`)
  const command = commandOf(value, at, key)
  if (command === null || (kind === 'shell' && command.length === 1 && mayBeLines(value))) {
    const lineKind = typeof value === 'string' ? 'shell' : 'unknown'
    return leaves.map((leaf) => (isOf(leaf) ? { ...leaf, kind: lineKind } : leaf))
  }
  const first = leaves.findIndex(isOf)
  return leaves.flatMap((leaf, index) => (index === first ? command : isOf(leaf) ? [] : [leaf]))
}

/** Recognizes `["ls", "make x"]` for a tool that expects one string: the words of one command, or two lines. */
const mayBeLines = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((word) => typeof word === 'string' && !word.startsWith('-')) &&
  value.some((word: string) => /\s/.test(word.trim()))

const ONE_COMMAND: ReadonlySet<string> = new Set(['command', 'cmd', 'argv'])

/** Tells whether an array holds the words of one command rather than shell lines: no line begins with an option, no program holds a blank. */
function isOneCommand(key: string, value: unknown): boolean {
  if (!Array.isArray(value)) return false
  const [program] = value
  return ONE_COMMAND.has(key)
    ? typeof program !== 'string' || !/\s/.test(program.trim())
    : value.some((word) => typeof word === 'string' && word.startsWith('-'))
}

/** A call with its arguments. `bare`: the place of its name, which is cited where no argument has a text. */
interface CallArguments {
  readonly call: OpenCall
  readonly spec: ToolSpec | undefined
  readonly args: unknown
  readonly bare: Pick<Part, 'text' | 'path'> | null
}

/** Adds the arguments of a call as parts, each with its meaning; the call's name where no argument has a text. */
export function addArguments(
  reading: Reading,
  parts: Part[],
  leaves: Iterable<ArgumentLeaf>,
  { call, spec, args, bare }: CallArguments,
): void {
  const before = parts.length
  for (const { text, pointer: path, name, kind } of leaves) {
    const meaning = kind === undefined ? meaningOf(spec, name, call, args) : meaningOfKind(kind, null, call)
    reading.add(parts, { text, path, name: memberName(call.tool, name), ...meaning })
  }
  if (parts.length === before && bare !== null)
    reading.add(parts, { ...bare, name: call.tool, ...meaningOfName(spec, call) })
}

/** Returns the leaves of a command array: one per word where a word is a shell script, else the whole array as JSON. */
export function commandOf(value: unknown, path: string, name: string): readonly ArgumentLeaf[] | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every((word) => typeof word === 'string')) return null
  const words = wordsOfArgv(value)
  if (words === null) return [{ pointer: path, name, text: JSON.stringify(value), kind: 'argv' }]
  return words.map(({ text, kind }, index) => ({
    pointer: pointer(path, index),
    name: name === '' ? String(index) : `${name}.${index}`,
    text,
    kind,
  }))
}

const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'ash'])
const POWERSHELLS: ReadonlySet<string> = new Set(['powershell', 'powershell.exe', 'pwsh', 'pwsh.exe'])
/** Codex's editor, which its harness runs itself (openai/codex, codex-rs/apply-patch/src/lib.rs). */
const PATCHERS: ReadonlySet<string> = new Set(['apply_patch', 'applypatch'])
/** Programs that only run the program behind them. */
const WRAPPERS: ReadonlySet<string> = new Set(['env', 'sudo', 'nohup', 'time', 'command', 'exec'])

/**
 * Classifies the words of a command that runs a script in a shell: `["bash", "-lc", "cat x | wc"]`. The script is a shell text, the words
 * before it select the shell, and the words behind it are the script's arguments. The patch of `["apply_patch", "*** Begin Patch …"]` is
 * classified likewise. Null for any other command.
 */
function wordsOfArgv(
  argv: readonly string[],
): readonly { readonly text: string; readonly kind: ArgumentKind }[] | null {
  const [program = '', patch] = argv
  if (PATCHERS.has(program) && argv.length === 2 && patch !== undefined)
    return [
      { text: program, kind: 'describes' },
      { text: patch, kind: 'patch' },
    ]
  const shell = argv.findIndex((word) => !WRAPPERS.has(word) && !ASSIGNMENT.test(word))
  const name = baseName(argv[shell] ?? '')
  const isPower = POWERSHELLS.has(name.toLowerCase())
  if (!SHELLS.has(name) && !isPower) return null
  const script = scriptAfter(argv, shell, isPower)
  if (script === -1) return null
  return argv.map((text, index) => {
    if (index < script) return { text, kind: 'describes' }
    return { text, kind: index > script || isPower ? 'unknown' : 'shell' }
  })
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]{0,100}=/

/** Finds the index of the script: behind the option that announces it, with only options before; -1 where the command has none. */
function scriptAfter(argv: readonly string[], shell: number, isPower: boolean): number {
  for (let index = shell + 1; index < argv.length; index++) {
    const word = argv[index] ?? ''
    if (!word.startsWith('-')) return -1
    const announces = isPower ? /^-c(ommand)?$/i.test(word) : /^-[a-z]{0,10}c[a-z]{0,10}$/.test(word)
    if (announces) return index + 1 < argv.length ? index + 1 : -1
  }
  return -1
}
