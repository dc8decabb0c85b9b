import { baseName } from '../../domain/text/paths.ts'
import type { Part } from '../../domain/trajectory/trajectory.ts'
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

/** One argument of a call, or one piece of it. */
export interface ArgumentLeaf extends Leaf {
  /** What it is, where its name does not tell. */
  readonly kind?: ArgumentKind
}

/**
 * The leaves of a call's arguments. A command that is an array of words is one part, as JSON, because only all of its words say what
 * was done; where it is a shell that is given a script, each word is one. An array of command lines is a line each.
 */
export function argumentLeavesOf(spec: ToolSpec | undefined, args: unknown, path: string): readonly ArgumentLeaf[] {
  let leaves: readonly ArgumentLeaf[] = leavesOf(args, path)
  if (!isRecord(args) || spec === undefined) return leaves
  for (const [key, kind] of Object.entries(spec.args))
    if ((kind === 'argv' || kind === 'shell') && Object.hasOwn(args, key))
      leaves = withCommand(leaves, kind, key, args[key], pointer(path, key))
  return isCommandInput(spec, args) ? withInput(leaves, args['input'], pointer(path, 'input')) : leaves
}

const SESSIONS = ['session_id', 'sessionId', 'shellId', 'action'] as const

/** Whether `input` of a shell tool, which is typed into what already runs, is all that it was given: a tool of this name may have its command there. */
function isCommandInput({ args: kinds }: ToolSpec, args: Json): boolean {
  if (kinds['input'] !== 'keystrokes' || isEmpty(args['input'])) return false
  const shells = Object.keys(kinds).filter((key) => kinds[key] === 'shell')
  return shells.length > 0 && [...shells, ...SESSIONS].every((key) => !Object.hasOwn(args, key) || isEmpty(args[key]))
}

const isEmpty = (value: unknown): boolean => isAbsent(value) || value === ''

/** A line for a shell, or one each of an array; what is built otherwise may be anything. */
function withInput(leaves: readonly ArgumentLeaf[], input: unknown, at: string): readonly ArgumentLeaf[] {
  const isLine = typeof input === 'string' ? decodeObject(input) === null : Array.isArray(input)
  const kind = isLine ? 'shell' : 'unknown'
  return leaves.map((leaf) => (leaf.pointer === at || leaf.pointer.startsWith(`${at}/`) ? { ...leaf, kind } : leaf))
}

/** A command that is one string is a line for a shell, also where an array was due; an array that is none of words may be anything. */
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
    const told = typeof value === 'string' ? 'shell' : 'unknown'
    return leaves.map((leaf) => (isOf(leaf) ? { ...leaf, kind: told } : leaf))
  }
  const first = leaves.findIndex(isOf)
  return leaves.flatMap((leaf, index) => (index === first ? command : isOf(leaf) ? [] : [leaf]))
}

/** `["ls", "make x"]`, of a tool that is given one string: words of one command, or two lines. */
const mayBeLines = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((word) => typeof word === 'string' && !word.startsWith('-')) &&
  value.some((word: string) => /\s/.test(word.trim()))

const ONE_COMMAND: ReadonlySet<string> = new Set(['command', 'cmd', 'argv'])

/** Whether an array holds the words of one command, and not a line for the shell each. No line begins with an option, no program's name holds a blank. */
function isOneCommand(key: string, value: unknown): boolean {
  if (!Array.isArray(value)) return false
  const [program] = value
  return ONE_COMMAND.has(key)
    ? typeof program !== 'string' || !/\s/.test(program.trim())
    : value.some((word) => typeof word === 'string' && word.startsWith('-'))
}

/** A call whose arguments are told, and its name where that stands: an act all the same, and citable, without any. */
interface ToldCall {
  readonly call: OpenCall
  readonly spec: ToolSpec | undefined
  readonly args: unknown
  readonly bare: Pick<Part, 'text' | 'path'> | null
}

/** Adds the arguments of a call, each as what it is; the call's name where none has a text. */
export function addArguments(
  reading: Reading,
  parts: Part[],
  leaves: Iterable<ArgumentLeaf>,
  { call, spec, args, bare }: ToldCall,
): void {
  const before = parts.length
  for (const { text, pointer: path, name, kind } of leaves) {
    const meaning = kind === undefined ? meaningOf(spec, name, call, args) : meaningOfKind(kind, null, call)
    reading.add(parts, { text, path, name: memberName(call.tool, name), ...meaning })
  }
  if (parts.length === before && bare !== null)
    reading.add(parts, { ...bare, name: call.tool, ...meaningOfName(spec, call) })
}

/**
 * The parts of a command that is an array: one for each word where a shell runs one of them, else the whole array as JSON, because
 * only all of its words say what was done.
 */
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
/** Codex's editor, which its harness carries out itself (openai/codex, codex-rs/apply-patch/src/lib.rs). */
const PATCHERS: ReadonlySet<string> = new Set(['apply_patch', 'applypatch'])
/** Programs that only run the one behind them. */
const WRAPPERS: ReadonlySet<string> = new Set(['env', 'sudo', 'nohup', 'time', 'command', 'exec'])

/**
 * What each word of a command is, where the command is a shell that is given a script: `["bash", "-lc", "cat x | wc"]`. The script is
 * in the language of a shell, the words before it only say which one, and those behind it are the script's arguments. So is the patch
 * of `["apply_patch", "*** Begin Patch …"]`. Null for any other command: its words say what is done only together.
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

/** Where the script stands: behind the option that announces it, with nothing but options before. */
function scriptAfter(argv: readonly string[], shell: number, isPower: boolean): number {
  for (let index = shell + 1; index < argv.length; index++) {
    const word = argv[index] ?? ''
    if (!word.startsWith('-')) return -1
    const announces = isPower ? /^-c(ommand)?$/i.test(word) : /^-[a-z]{0,10}c[a-z]{0,10}$/.test(word)
    if (announces) return index + 1 < argv.length ? index + 1 : -1
  }
  return -1
}
