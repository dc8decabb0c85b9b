import { wordSet } from '../../domain/text/words.ts'
import type { Act, ActLanguage, ActOutcome, ActRole, Call } from '../../domain/trajectory/act.ts'
import { ACT_LANGUAGES, type Actor } from '../../schemas/vocabulary.ts'

/**
 * What the arguments of one tool are. Keys are names of arguments as the harness documents them; for arguments that are objects or
 * arrays, the name of the outermost member or of the innermost one. What is not listed is `rest`, and where that is absent, `unknown`.
 */
export interface ToolSpec {
  readonly args: Readonly<Record<string, ArgumentKind>>
  readonly rest?: ArgumentKind
  /** The argument that names the file which the call writes, edits or reads; of many names, the first that is there. */
  readonly target?: string | readonly string[]
  /** A tool of many commands: the argument that picks one, and what is then otherwise than `args` says. */
  readonly by?: {
    readonly argument: string
    readonly cases: Readonly<Record<string, ToolSpec['args']>>
    /** For a value that is none of these. */
    readonly otherwise?: ToolSpec['args']
  }
}

/** A role, with the language of what is run: `shell` is `executes` in the language of a shell. `speaks`: words to people. */
export type ArgumentKind = ActLanguage | ActRole | 'speaks'

/** The tools of one harness, by exact name. Each table names its source. */
export type ToolTable = Readonly<Record<string, ToolSpec>>

/** One value under several names, which white space separates. */
export const named = <const V>(value: V, names: string): Readonly<Record<string, V>> =>
  Object.fromEntries(names.split(/\s+/u).map((name) => [name, value]))

/** Whose words a text is, and what it is as an act. */
export interface Meaning {
  readonly actor: Actor
  readonly act: Act | null
}

/** A call while its log is being read: its answer comes later. */
export interface OpenCall extends Call {
  outcome: ActOutcome
}

export const openCall = (tool: string, id: string | null = null): OpenCall => ({
  ...{ tool, outcome: 'unknown', looks: saysLooking(tool) },
  ...(id !== null && { id }),
})

/** Words of tool names that do nothing to the world: they read, search, describe, plan, draft or try. */
const LOOKING_WORDS: ReadonlySet<string> = wordSet(`analyse analyze ask browse calculate check checks compare count
  describe describes diff draft drafts drafting dry estimate examine explain fetch find get gets help info inspect list
  lists listing look lookup mock monitor observe peek plan plans planning prepare preview previews propose query quote
  read reads reading reader recommend retrieve reason reasoning review scan scrape screenshot search searches searching
  sequentialthinking show simulate simulated simulation snapshot status suggest summarize think thinking thought
  validate validation verify view watch whatif`)
const MOST_NAME_CHARS = 1000
const WORD_ENDS = /[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u

/** Whether a word of a tool's name, in snake, kebab or camel case, is of looking; a name too long to be a name counts as such. */
const saysLooking = (tool: string): boolean =>
  tool.length > MOST_NAME_CHARS || tool.split(WORD_ENDS).some((word) => LOOKING_WORDS.has(word.toLowerCase()))

const LANGUAGES: ReadonlySet<string> = new Set(ACT_LANGUAGES)
const isLanguage = (kind: ArgumentKind): kind is ActLanguage => LANGUAGES.has(kind)

/**
 * What one argument of a call is. `argument` is its whole name (`edits.0.old_string`), empty where the arguments are one text; `args`
 * are the decoded arguments: the target is the nearest one on the way to the argument.
 */
export function meaningOf(spec: ToolSpec | undefined, argument: string, call: Call, args: unknown): Meaning {
  const kind = spec === undefined ? 'unknown' : kindOf(spec, argument, args)
  return meaningOfKind(kind, spec?.target === undefined ? null : targetOf([spec.target].flat(), argument, args), call)
}

/** A call that says nothing but its name: an act all the same where its tool acts. */
export function meaningOfName(spec: ToolSpec | undefined, call: Call): Meaning {
  const kinds = spec === undefined ? [] : [...Object.values(spec.args), ...(spec.rest === undefined ? [] : [spec.rest])]
  const looks = kinds.find((kind) => LOOKS.has(kind))
  const acts = kinds.some((kind) => isLanguage(kind) || kind === 'executes' || kind === 'writes')
  const role = spec === undefined ? 'unknown' : acts || looks === undefined ? 'executes' : (looks as ActRole)
  return { actor: 'agent_action', act: { role, language: null, target: null, call } }
}

const LOOKS: ReadonlySet<string> = new Set<ActRole>(['reads', 'searches', 'web', 'delegates'])

/** What a text of a known kind is: for protocols that split their texts themselves. */
export function meaningOfKind(kind: ArgumentKind, target: string | null, call: Call): Meaning {
  if (kind === 'thinks') return { actor: 'agent_reasoning', act: null }
  if (kind === 'speaks') return { actor: 'agent_message', act: null }
  const [role, language]: [ActRole, ActLanguage | null] = isLanguage(kind)
    ? [kind === 'patch' ? 'writes' : 'executes', kind]
    : [kind, null]
  return { actor: 'agent_action', act: { role, language, target: role === 'describes' ? null : target, call } }
}

/** The argument that says most of what the tool does: for sources that give one text for a whole call. Null: the table has no such one. */
function mainKindOf(spec: ToolSpec): ArgumentKind | null {
  const kinds = [...Object.values(spec.args), ...(spec.rest === undefined ? [] : [spec.rest])]
  return kinds.find((kind) => kind !== 'describes') ?? null
}

function kindOf(spec: ToolSpec, argument: string, args: unknown): ArgumentKind {
  const picked = spec.by === undefined ? undefined : textAt(args, spec.by.argument)
  const special =
    picked === undefined ? undefined : (own(spec.by?.cases ?? {}, picked.toLowerCase()) ?? spec.by?.otherwise)
  const found = (special && listed(special, argument)) ?? listed(spec.args, argument)
  return found ?? (argument === '' ? (mainKindOf(spec) ?? 'unknown') : (spec.rest ?? 'unknown'))
}

/** The longest listed beginning of the name, else its last member. */
function listed(args: ToolSpec['args'], argument: string): ArgumentKind | undefined {
  for (let end = argument.length; end > 0; end = argument.lastIndexOf('.', end - 1)) {
    const kind = own(args, argument.slice(0, end))
    if (kind !== undefined) return kind
  }
  return own(args, argument.slice(argument.lastIndexOf('.') + 1))
}

function targetOf(names: readonly string[], argument: string, args: unknown): string | null {
  let node = args
  let target = firstText(node, names)
  for (const member of argument.split('.')) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, member)) break
    node = (node as Record<string, unknown>)[member]
    target = firstText(node, names) ?? target
  }
  return target
}

function firstText(node: unknown, names: readonly string[]): string | null {
  for (const name of names) {
    const text = textAt(node, name)
    if (text !== undefined) return text
  }
  return null
}

function textAt(node: unknown, name: string): string | undefined {
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined
  const value = (node as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}

/** A member of a table; of its prototype, none. */
export const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
