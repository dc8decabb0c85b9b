import type { Part } from '../../domain/trajectory/trajectory.ts'
import { baseName } from '../../domain/words.ts'
import { type ArgumentKind, meaningOf, meaningOfName, type OpenCall, own, type ToolSpec } from '../tools/tool-table.ts'
import { decodeObject, type Leaf, leavesOf, memberName } from './json-tree.ts'
import { cutName, isAbsent, isRecord, type Json, pointer, type Reading } from './reading.ts'
import { asText, isEmpty, type OpenStep, type Session } from './session.ts'

/** The content of a call: its arguments, or its tool's name where it has no arguments. */
export interface CallWords {
  readonly call: OpenCall
  readonly args: unknown
  readonly path: string
  /** The path of the tool's name; null where the file has no name. */
  readonly namePath: string | null
  /** The text at `namePath`, where it differs from the tool's name. */
  readonly nameText?: string
  /** The argument whose value `args` is, where `args` is a single argument. */
  readonly field?: string
  /** True when the arguments are free text, even text that resembles JSON. */
  readonly isText?: boolean
  /** True when a text that is no JSON object is the tool's input itself. */
  readonly isInput?: boolean
  /** The argument table of the tool; null for a tool of another harness, whose argument names have no known meaning. */
  readonly spec?: ToolSpec | null
  /** Returns the kind of a leaf whose name does not decide it. */
  readonly kindOf?: (leaf: Leaf) => ArgumentKind | undefined
}

/** Adds the arguments of a call as parts, each with its meaning. A call without arguments is an act all the same, cited by the tool's name. */
export function addCall(session: Session, parts: Part[], words: CallWords): void {
  const { reading } = session
  const { call, namePath, nameText = call.tool } = words
  const text = typeof words.args === 'string' ? session.locate(words.args, words.path) : null
  const { text: args, path } = text ?? { text: words.args, path: words.path }
  const value = typeof args === 'string' && words.isText !== true ? (decodeObject(args) ?? args) : args
  const spec = words.spec === undefined ? session.specOf(call.tool) : (words.spec ?? undefined)
  if (spec === undefined && namePath !== null) warnOfTool(reading, call.tool, namePath, words.spec === null)
  const inner = argumentsOf(spec, value, typeof args === 'string' && value !== args ? `${path}#` : path, words)
  const leaves = text === null ? inner.map((leaf) => locatedIn(session, leaf)) : inner
  const bare = namePath === null ? null : { text: nameText, path: namePath }
  addArguments(reading, parts, leaves, { ...words, spec, args: value, bare })
}

function locatedIn(session: Session, leaf: ArgumentLeaf): ArgumentLeaf {
  const { text, path } = session.locate(leaf.text, leaf.pointer)
  return { ...leaf, text, pointer: path }
}

/** Warns once of a tool that no table knows. Tools of another harness share a single warning, because their names are not known anyway. */
function warnOfTool(reading: Reading, tool: string, path: string, isForeign = false): void {
  const [what, whose] = isForeign
    ? ['calls of another agent, whose tools are not known', 'their']
    : [`the tool ${JSON.stringify(cutName(tool))} is not known`, 'its']
  reading.warnOnce(path, `${what}: ${whose} arguments prove an act where an action anchor names them`)
}

/** A call with its decoded arguments. `bare`: the place of its name, which is cited where no argument has a text. */
interface CallArguments extends Pick<CallWords, 'call' | 'args' | 'field' | 'kindOf'> {
  readonly spec: ToolSpec | undefined
  readonly bare: Pick<Part, 'text' | 'path'> | null
}

/** Adds the arguments of a call as parts, each with its meaning; the call's name where no argument has a text. */
export function addArguments(
  reading: Reading,
  parts: Part[],
  leaves: Iterable<ArgumentLeaf>,
  { call, spec, args, field = '', kindOf, bare }: CallArguments,
): void {
  const before = parts.length
  const whole = field === '' ? args : { [field]: args }
  for (const leaf of leaves) {
    const { text, pointer: path, name } = leaf
    const kind = leaf.kind ?? kindOf?.(leaf)
    const isSpecs = kind === undefined || spec === undefined
    const own = isSpecs ? spec : { args: {}, rest: kind, ...(spec.target && { target: spec.target }) }
    const meaning = meaningOf(own, field === '' || name === '' ? field + name : `${field}.${name}`, call, whole)
    reading.add(parts, { ...meaning, text, path, name: memberName(call.tool, name) })
  }
  if (parts.length === before && bare !== null)
    reading.add(parts, { ...bare, name: call.tool, ...meaningOfName(spec, call) })
}

/** A call whose tool is named at `namePath`. */
export interface NamedCall extends Omit<CallWords, 'call'> {
  readonly id: unknown
  readonly name: unknown
  /** The text that names a call without a name, and its place: the type of the record. */
  readonly type?: { readonly text: unknown; readonly path: string }
}

/** Adds a call whose tool is named at `namePath`, under its id; a call without a name is a call of an unknown tool. */
export function addNamedCall(session: Session, step: OpenStep, { id, name, type, ...words }: NamedCall): OpenCall {
  const [tool, kind] = [asText(name), asText(type?.text)]
  if (tool === null) session.reading.warn(words.namePath ?? words.path, 'a tool call must name its tool')
  const call = session.call(step, id, tool ?? kind ?? 'tool_call')
  const unnamed = kind === null || type === undefined ? null : type.path
  addCall(session, step.parts, { ...words, call, namePath: tool === null ? unnamed : words.namePath })
  return call
}

/** The arguments, as JSON, of the calls that records repeat as they proceed, by id. */
export class ProceedingCalls {
  readonly #args = new Map<string, string>()

  has = (id: string | null): boolean => id !== null && this.#args.has(id)

  /** Tells whether a record shows a call, or other arguments of a call, for the first time; a call without an id repeats no call. */
  isNew(id: string | null, args: unknown, isSilent = false): boolean {
    const words = JSON.stringify(args ?? null)
    const shown = id === null ? undefined : this.#args.get(id)
    if (shown === words || (isSilent && shown !== undefined)) return false
    if (id !== null) this.#args.set(id, words)
    return true
  }

  /** Ends a call: its id may name another call from here on. */
  end(id: string | null): void {
    if (id !== null) this.#args.delete(id)
  }
}

function argumentsOf(
  spec: ToolSpec | undefined,
  value: unknown,
  path: string,
  { field = '', isText = false, isInput = false }: CallWords,
): readonly ArgumentLeaf[] {
  if (value === null || value === undefined || isEmpty(value)) return []
  if (typeof value === 'string')
    return [{ pointer: path, name: '', text: value, ...stringKind(spec, field, isText || isInput) }]
  if (isArgv(spec, field)) return commandOf(value, path, '') ?? leavesOf(value, path).map(asUnknown)
  const leaves = argumentLeavesOf(spec, value, path)
  // An argument with an empty name is one argument, not the whole value.
  return isRecord(value) ? leaves.map((leaf) => (leaf.name === '' ? asUnknown(leaf) : leaf)) : leaves
}

const asUnknown = (leaf: ArgumentLeaf): ArgumentLeaf => ({ ...leaf, kind: 'unknown' })

const isArgv = (spec: ToolSpec | undefined, name: string): boolean => own(spec?.args ?? {}, name) === 'argv'

/** Returns the kind of an argument that is one string: a shell line, also where an array was due; unparsed arguments may be anything. */
function stringKind(spec: ToolSpec | undefined, field: string, isText: boolean): { readonly kind?: ArgumentKind } {
  if (isArgv(spec, field)) return { kind: 'shell' }
  const isArray = Object.keys(spec?.args ?? {}).some((name) => isArgv(spec, name))
  return field === '' && (!isText || isArray) ? { kind: 'unknown' } : {}
}

/** One argument of a call, or one leaf of a nested argument. */
export interface ArgumentLeaf extends Leaf {
  /** The kind of the argument, where its name does not decide the kind. */
  readonly kind?: ArgumentKind
}

/** Lists the leaves of a call's arguments. Command words are one leaf, as JSON, but a leaf each around a shell's script; command lines one each. */
function argumentLeavesOf(spec: ToolSpec | undefined, args: unknown, path: string): readonly ArgumentLeaf[] {
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
  if (kinds['input'] !== 'keystrokes' || isNothing(args['input'])) return false
  const shells = Object.keys(kinds).filter((key) => kinds[key] === 'shell')
  return shells.length > 0 && [...shells, ...SESSIONS].every((key) => !Object.hasOwn(args, key) || isNothing(args[key]))
}

const isNothing = (value: unknown): boolean => isAbsent(value) || value === ''

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

/** Returns the leaves of a command array: one per word where a word is a shell script, else the whole array as JSON. */
function commandOf(value: unknown, path: string, name: string): readonly ArgumentLeaf[] | null {
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
