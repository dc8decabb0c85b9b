import type { Part } from '../../domain/trajectory/trajectory.ts'
import { baseName } from '../../domain/words.ts'
import { type ArgumentKind, meaningOf, meaningOfName, type OpenCall, own, type ToolSpec } from '../tools/tool-table.ts'
import { readPreview } from './content.ts'
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
  const { call, namePath, nameText = call.tool, field = '' } = words
  const located = typeof words.args === 'string' ? session.locate(words.args, words.path) : null
  const { text: args, path } = located ?? { text: words.args, path: words.path }
  const value = typeof args === 'string' && words.isText !== true ? (decodeObject(args) ?? args) : args
  const spec = words.spec === undefined ? session.specOf(call.tool) : (words.spec ?? undefined)
  if (spec === undefined && namePath !== null) warnOfTool(reading, call.tool, namePath, words.spec === null)
  if (isRaw(value, words)) reading.warn(path, 'the arguments are no JSON object; shown as they stand')
  const before = parts.length
  const whole = field === '' ? value : { [field]: value }
  for (const leaf of argumentsOf(spec, value, typeof args === 'string' && value !== args ? `${path}#` : path, words)) {
    const own = specOfLeaf(spec, leaf.kind ?? words.kindOf?.(leaf))
    const argument = memberName(field, leaf.name)
    const placed = located === null ? session.locate(leaf.text, leaf.pointer) : { text: leaf.text, path: leaf.pointer }
    reading.add(parts, { ...meaningOf(own, argument, call, whole), ...placed, name: memberName(call.tool, leaf.name) })
  }
  if (parts.length === before && namePath !== null)
    reading.add(parts, { text: nameText, path: namePath, name: call.tool, ...meaningOfName(spec, call) })
}

/** Returns the spec of a leaf whose kind its name does not decide. */
const specOfLeaf = (spec: ToolSpec | undefined, kind: ArgumentKind | undefined): ToolSpec | undefined =>
  kind === undefined || spec === undefined
    ? spec
    : { args: {}, rest: kind, ...(spec.target && { target: spec.target }) }

/** Warns once of a tool that no table knows. Tools of another harness share a single warning, because their names are not known anyway. */
function warnOfTool(reading: Reading, tool: string, path: string, isForeign = false): void {
  const [what, whose] = isForeign
    ? ['calls of another agent, whose tools are not known', 'their']
    : [`the tool ${JSON.stringify(cutName(tool))} is not known`, 'its']
  reading.warnOnce(path, `${what}: ${whose} arguments prove an act where an action anchor names them`)
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

/** Adds a call of which a corpus kept only a preview: an act without a known target. False where the value is whole. */
export function addCutCall({ reading }: Session, parts: Part[], call: OpenCall, value: unknown, path: string): boolean {
  const text = (text: string, at: string): void =>
    reading.add(parts, { ...meaningOf(undefined, '', call, null), text, path: at, name: call.tool })
  return readPreview(value, path, { reading, text, media: text }, true)
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

/** One argument of a call, or one leaf of a nested argument; with its kind, where the argument's name does not decide the kind. */
type ArgumentLeaf = Leaf & { readonly kind?: ArgumentKind }

function argumentsOf(spec: ToolSpec | undefined, value: unknown, path: string, words: CallWords): ArgumentLeaf[] {
  if (isAbsent(value) || isEmpty(value)) return []
  const { field = '' } = words
  const kinds = spec?.args ?? {}
  const isArgv = (name: string): boolean => own(kinds, name) === 'argv'
  if (typeof value === 'string') {
    // A shell line, also where an array was due; unparsed arguments may be anything.
    const isOdd = isRaw(value, words) || (field === '' && Object.keys(kinds).some(isArgv))
    return [{ pointer: path, name: '', text: value, ...(isArgv(field) ? SHELL : isOdd ? UNKNOWN : {}) }]
  }
  if (isArgv(field)) return commandOf(value, path, '', 'argv')
  if (!isRecord(value)) return leavesOf(value, path)
  const isInputCommand = spec !== undefined && isCommandInput(spec, value)
  return Object.entries(value).flatMap(([key, member]): ArgumentLeaf[] => {
    const [kind, at] = [own(kinds, key), pointer(path, key)]
    if (kind === 'argv' || kind === 'shell') return commandOf(member, at, key, kind)
    const leaves = leavesOf(member, at, key, path.length)
    if (key === 'input' && isInputCommand)
      return leaves.map((leaf) => ({ ...leaf, ...(isLine(member) ? SHELL : UNKNOWN) }))
    // An argument with an empty name is one argument, not the whole value.
    return leaves.map((leaf) => (leaf.name === '' ? { ...leaf, ...UNKNOWN } : leaf))
  })
}

/** Recognizes a text that is no JSON object where one was due: it is neither the tool's input nor one argument. */
const isRaw = (value: unknown, { field = '', isText, isInput }: CallWords): boolean =>
  typeof value === 'string' && field === '' && isText !== true && (isInput !== true || /^\s*\{\s*["}]/u.test(value))

const SHELL = { kind: 'shell' } as const
const UNKNOWN = { kind: 'unknown' } as const
const SESSIONS = ['session_id', 'sessionId', 'shellId', 'action'] as const

/** Tells whether `input` of a shell tool is its only argument, and so the command; beside a session, `input` holds keystrokes. */
function isCommandInput({ args: kinds }: ToolSpec, args: Json): boolean {
  if (kinds['input'] !== 'keystrokes' || isNothing(args['input'])) return false
  const shells = Object.keys(kinds).filter((key) => kinds[key] === 'shell')
  return shells.length > 0 && [...shells, ...SESSIONS].every((key) => !Object.hasOwn(args, key) || isNothing(args[key]))
}

const isNothing = (value: unknown): boolean => isAbsent(value) || value === ''
const isLine = (input: unknown): boolean =>
  typeof input === 'string' ? decodeObject(input) === null : Array.isArray(input)

/** Lists the leaves of a command: one a shell line, one a word around a shell’s script, else one of JSON; mixed arrays may be anything. */
function commandOf(value: unknown, path: string, name: string, kind: 'argv' | 'shell'): ArgumentLeaf[] {
  const leaves = leavesOf(value, path, name)
  if (kind === 'shell' && !isOneCommand(name, value)) return leaves
  if (typeof value === 'string') return leaves.map((leaf) => ({ ...leaf, ...SHELL }))
  const isWords = Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string')
  const kinds = isWords ? kindsOfArgv(value) : null
  if (kinds !== null) return leaves.map((leaf, index) => ({ ...leaf, kind: kinds[index] ?? 'unknown' }))
  if (!isWords || (kind === 'shell' && mayBeLines(value))) return leaves.map((leaf) => ({ ...leaf, ...UNKNOWN }))
  return [{ pointer: path, name, text: JSON.stringify(value), kind: 'argv' }]
}

/** Recognizes `["ls", "make x"]` for a tool that expects one string: the words of one command, or two lines. */
const mayBeLines = (words: readonly string[]): boolean =>
  words.every((word) => !word.startsWith('-')) && words.some((word) => /\s/.test(word.trim()))

const ONE_COMMAND: ReadonlySet<string> = new Set(['command', 'cmd', 'argv'])

/** Tells whether an array holds the words of one command rather than shell lines: no line begins with an option, no program holds a blank. */
function isOneCommand(key: string, value: unknown): boolean {
  if (!Array.isArray(value)) return false
  const [program] = value
  return ONE_COMMAND.has(key)
    ? typeof program !== 'string' || !/\s/.test(program.trim())
    : value.some((word) => typeof word === 'string' && word.startsWith('-'))
}

const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'ash'])
const POWERSHELLS: ReadonlySet<string> = new Set(['powershell', 'powershell.exe', 'pwsh', 'pwsh.exe'])
/** Codex's editor, which its harness runs itself (openai/codex, codex-rs/apply-patch/src/lib.rs). */
const PATCHERS: ReadonlySet<string> = new Set(['apply_patch', 'applypatch'])
const WRAPPERS: ReadonlySet<string> = new Set(['env', 'sudo', 'nohup', 'time', 'command', 'exec'])

/** Returns the kinds of the words of `["bash", "-lc", "cat x | wc"]` or `["apply_patch", "*** Begin Patch …"]`; null for other commands. */
function kindsOfArgv(argv: readonly string[]): readonly ArgumentKind[] | null {
  const [program = ''] = argv
  if (PATCHERS.has(program) && argv.length === 2) return ['describes', 'patch']
  const shell = argv.findIndex((word) => !WRAPPERS.has(word) && !ASSIGNMENT.test(word))
  const name = baseName(argv[shell] ?? '')
  const isPower = POWERSHELLS.has(name.toLowerCase())
  const script = SHELLS.has(name) || isPower ? scriptAfter(argv, shell, isPower) : -1
  // A setting, or a shell that only checks its script, decides the effect: the words are shown as they are.
  if (script === -1 || argv.slice(0, script).some((word) => TURNS_SCRIPT.test(word))) return null
  return argv.map((_, index) => (index < script ? 'describes' : index > script || isPower ? 'unknown' : 'shell'))
}

const TURNS_SCRIPT = /^(?:-[a-z]*[nD][a-z]*$|[A-Za-z_]\w{0,100}=)/
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]{0,100}=/

/** Finds the index of the script: behind the option that announces it, with only options before; -1 where the command has none. */
function scriptAfter(argv: readonly string[], shell: number, isPower: boolean): number {
  const announces = isPower ? /^-c(ommand)?$/i : /^-[a-z]{0,10}c[a-z]{0,10}$/
  const end = argv.findIndex((word, index) => index > shell && (!word.startsWith('-') || announces.test(word)))
  return end !== -1 && announces.test(argv[end] ?? '') && end + 1 < argv.length ? end + 1 : -1
}
