import type { Call, Part } from '../../domain/trajectory/trajectory.ts'
import { ACT_LANGUAGES, ACT_ROLES, type ActLanguage, type ActOutcome, type ActRole } from '../../schemas/vocabulary.ts'
import { namesOf } from '../vocabulary.ts'
import data from './harnesses.json' with { type: 'json' }

/** The argument kinds of one tool, by the argument or its outermost or innermost member; others have `rest`. */
export interface ToolSpec {
  readonly args: Readonly<Record<string, ArgumentKind>>
  readonly rest?: ArgumentKind
  /** The argument with the path of the file that the call writes, edits or reads; of several names, the first present. */
  readonly target?: readonly string[]
  /** For a tool of several commands: the argument that selects the command, and the kinds that then differ from `args`. */
  readonly by?: {
    readonly argument: string
    readonly cases: Readonly<Record<string, ToolSpec['args']>>
    readonly otherwise?: ToolSpec['args']
  }
}

/** A role, or the language of the text that runs: `shell` means `executes` in a shell's language. `speaks`: words to people. */
export type ArgumentKind = ActLanguage | ActRole | 'speaks'

/** The tools of one harness, by exact name. Each table names its source. */
export type ToolTable = Readonly<Record<string, ToolSpec>>

/** Returns a record of one value under several names, separated by white space. */
export const named = <const V>(value: V, names: string): Readonly<Record<string, V>> =>
  Object.fromEntries(wordsIn(names).map((name) => [name, value]))

const wordsIn = (list: string): string[] => list.match(/\S+/gu) ?? []

const LANGUAGES: ReadonlySet<string> = new Set(ACT_LANGUAGES)
const isLanguage = (kind: ArgumentKind): kind is ActLanguage => LANGUAGES.has(kind)

const KINDS: readonly ArgumentKind[] = [...ACT_LANGUAGES, ...ACT_ROLES, 'speaks']

/** Parses the kinds of a tool's arguments: `shell command; describes timeout cwd`. The argument `*` stands for all others. */
function argumentKinds(clauses: string): ToolSpec['args'] {
  return Object.fromEntries(
    clauses.split(';').flatMap((clause) => {
      const [word, ...names] = wordsIn(clause)
      if (word === undefined) return []
      const kind = KINDS.find((known) => known === word)
      if (kind === undefined) throw new TypeError(`${word} is no kind of an argument`)
      return names.map((name) => [name, kind] as const)
    }),
  )
}

/** Specs by their text: tables of several harnesses share the spec of an equal tool. */
const SPECS = new Map<string, ToolSpec>()

function toolSpec(clauses: string, files = '', commands = ''): ToolSpec {
  const key = wordsIn(`${clauses} | ${files} | ${commands}`).join(' ')
  const { '*': rest, ...args } = argumentKinds(clauses)
  const target = files.trim() === '' ? {} : { target: wordsIn(files) }
  const by = commands.trim() === '' ? {} : { by: casesOf(commands) }
  const spec = SPECS.get(key) ?? { args, ...(rest !== undefined && { rest }), ...target, ...by }
  SPECS.set(key, spec)
  return spec
}

/** Parses the argument that selects a command, and the kinds of each: `command: view = reads path / create write = describes old_str / * = …`. */
function casesOf(commands: string): NonNullable<ToolSpec['by']> {
  const [argument = '', list = ''] = commands.split(':')
  const cases = list.split('/').flatMap((one) => {
    const [names = '', clauses = ''] = one.split('=')
    const kinds = argumentKinds(clauses)
    return wordsIn(names).map((name) => [name, kinds] as const)
  })
  const { '*': otherwise, ...named } = Object.fromEntries(cases)
  return { argument: argument.trim(), cases: named, ...(otherwise !== undefined && { otherwise }) }
}

/** Parses a table of tools, a row each: `Edit MultiEdit | writes path new_string; describes * | path`. */
const toolTable = (rows: readonly string[]): ToolTable =>
  Object.fromEntries(
    rows.flatMap((row) => {
      const [names = '', clauses = '', files, commands] = row.split('|')
      const spec = toolSpec(clauses, files, commands)
      return wordsIn(names).map((name) => [name, spec])
    }),
  )

/** A text that a harness itself writes in place of a call's output, and the outcome that it tells. */
export interface HarnessWords {
  readonly begins: string
  readonly holds?: string
  readonly outcome: ActOutcome
  /** True when no program can print the text there: the harness writes its own words before all output. */
  readonly isSure?: boolean
}

/** The tools and the words of a harness; `common` are the tools that many harnesses share under one name. */
interface Harness {
  /** The names of forks that kept the tools and the words. */
  readonly forks?: readonly string[]
  /** True where other agents use the names of the tools for other tools (`Bash`, `notify_user`). */
  readonly own_names?: boolean
  readonly tools?: readonly string[]
  /** The first of the texts that a result begins with counts. */
  readonly words?: readonly HarnessWords[]
  /** True where the harness has further texts, which vary by version. */
  readonly some_words?: boolean
}

export const HARNESSES: Readonly<Record<string, Harness>> = data.harnesses as unknown as Record<string, Harness>
const DATA = Object.entries(HARNESSES)

/** Puts the texts of fragments in place of their names: `$EDIT; patch diff`. */
function expanded(row: string): string {
  const text = row.replace(/\$([A-Z_]+)/gu, (_, name: string) => own(data.fragments, name) ?? name)
  return text === row ? text : expanded(text)
}

const TABLES = DATA.flatMap(([name, { tools }]): [string, ToolTable][] =>
  tools === undefined ? [] : [[name, toolTable(tools.map(expanded))]],
)
const BY_HARNESS = new Map(TABLES)
export const COMMON_TOOLS: ToolTable = BY_HARNESS.get('common') ?? {}

/** Returns the tools of a harness by exact name; the common tools for a harness without tools of its own. */
export const toolsOf = (harness: string): ToolTable => BY_HARNESS.get(harness) ?? COMMON_TOOLS

export const CLINE_TOOLS: ToolTable = toolsOf('cline')
const OWN_TABLES = TABLES.filter(([name]) => name !== 'common')

const MOST_AGENT_CHARS = 100

/** Returns the harness that an agent's name begins with, alone or before a hyphen; null for other names. */
export function namedIn(harnesses: readonly string[], agentName: string | null): string | null {
  const agent = (agentName ?? '').slice(0, MOST_AGENT_CHARS).toLowerCase()
  const origin = DATA.find(([, { forks }]) => forks?.includes(agent))?.[0] ?? agent
  return harnesses.find((name) => origin.startsWith(name) && '-'.startsWith(origin.charAt(name.length))) ?? null
}

const WITH_TOOLS = OWN_TABLES.map(([name]) => name)
export const harnessOf = (agentName: string | null): string | null => namedIn(WITH_TOOLS, agentName)

/** The harnesses with a tool of a name, and the kinds of its arguments there. */
const BY_TOOL = Map.groupBy(
  OWN_TABLES.flatMap(([harness, table]) => Object.entries(table).map(([tool, spec]) => ({ harness, tool, spec }))),
  ({ tool }) => tool,
)

export const harnessesWith = (tool: string): readonly string[] =>
  (BY_TOOL.get(tool) ?? []).map(({ harness }) => harness)

/** Kinds of arguments that carry nothing out: the tool of another agent may act all the same under the name. */
const TALKS: ReadonlySet<ArgumentKind> = new Set<ArgumentKind>(['delegates', 'describes', 'speaks', 'thinks'])

/** Returns a tool's argument kinds from its harness, the common table, or the only other table that acts; undefined where none or several know it. */
export function specOf(agentName: string | null, tool: string): ToolSpec | undefined {
  const ofAnyAgent = (BY_TOOL.get(tool) ?? []).filter(({ harness }) => !HARNESSES[harness]?.own_names)
  const [only, ...others] = new Set(ofAnyAgent.map(({ spec }) => spec))
  const known = own(toolsOf(harnessOf(agentName) ?? ''), tool) ?? own(COMMON_TOOLS, tool)
  const isLent = others.length === 0 && kindsOf(only).some((kind) => !TALKS.has(kind))
  return known ?? (isLent ? only : undefined)
}

export type Meaning = Pick<Part, 'actor' | 'act'>

/** A call whose log is still being read: its result comes later. */
export interface OpenCall extends Call {
  outcome: ActOutcome
}

export const openCall = (tool: string, id: string | null = null): OpenCall => ({
  ...{ tool, outcome: 'unknown', looks: saysLooking(tool) },
  ...(id !== null && { id }),
})

/** Words of tool names without effect on the world: the tools read, search, describe, plan, draft or try. */
const LOOKING_WORDS = namesOf('any', 'looking')
const MOST_NAME_CHARS = 1000
const WORD_ENDS = /[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u

/** Tells whether a word of a tool's name, in snake, kebab or camel case, means looking; so does a name beyond the length of names. */
const saysLooking = (tool: string): boolean =>
  tool.length > MOST_NAME_CHARS || tool.split(WORD_ENDS).some((word) => LOOKING_WORDS.has(word.toLowerCase()))

/** Returns the meaning of an argument (`edits.0.old_string`, or '' for arguments of one text). The target is the nearest on the way to it in `args`. */
export function meaningOf(spec: ToolSpec | undefined, argument: string, call: Call, args: unknown): Meaning {
  const kind = spec === undefined ? 'unknown' : kindOf(spec, argument, args)
  return meaningOfKind(kind, spec?.target === undefined ? null : targetOf(spec.target, argument, args), call)
}

/** Returns the meaning of a call with only a name: an act all the same, where its tool acts. */
export function meaningOfName(spec: ToolSpec | undefined, call: Call): Meaning {
  const kinds = kindsOf(spec)
  const looks = kinds.find((kind) => LOOKS.has(kind))
  const acts = kinds.some((kind) => isLanguage(kind) || kind === 'executes' || kind === 'writes')
  const role = spec === undefined ? 'unknown' : acts || looks === undefined ? 'executes' : (looks as ActRole)
  return { actor: 'agent_action', act: { role, language: null, target: null, call } }
}

const LOOKS: ReadonlySet<string> = new Set<ActRole>(['reads', 'searches', 'web', 'delegates'])

/** Returns the meaning of a text of a known kind, for protocols that split their texts themselves. */
export function meaningOfKind(kind: ArgumentKind, target: string | null, call: Call): Meaning {
  if (kind === 'thinks') return { actor: 'agent_reasoning', act: null }
  if (kind === 'speaks') return { actor: 'agent_message', act: null }
  const [role, language]: [ActRole, ActLanguage | null] = isLanguage(kind)
    ? [kind === 'patch' ? 'writes' : 'executes', kind]
    : [kind, null]
  return { actor: 'agent_action', act: { role, language, target: role === 'describes' ? null : target, call } }
}

const kindsOf = (spec: ToolSpec | undefined): readonly ArgumentKind[] =>
  spec === undefined ? [] : [...Object.values(spec.args), ...(spec.rest === undefined ? [] : [spec.rest])]

function kindOf(spec: ToolSpec, argument: string, args: unknown): ArgumentKind {
  const picked = spec.by === undefined ? undefined : textAt(args, spec.by.argument)
  const special =
    picked === undefined ? undefined : (own(spec.by?.cases ?? {}, picked.toLowerCase()) ?? spec.by?.otherwise)
  const kind = (special && listed(special, argument)) ?? listed(spec.args, argument)
  // A call with one text holds its main argument.
  return kind ?? (argument === '' ? kindsOf(spec).find((main) => main !== 'describes') : spec.rest) ?? 'unknown'
}

/** Returns the kind of the longest listed beginning of the name, else of its last member. */
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

const firstText = (node: unknown, names: readonly string[]): string | null =>
  names.map((name) => textAt(node, name)).find((text) => text !== undefined) ?? null

function textAt(node: unknown, name: string): string | undefined {
  const value = typeof node === 'object' && node !== null ? own(node as Record<string, unknown>, name) : undefined
  return typeof value === 'string' ? value : undefined
}

/** Returns an own member of a record, never one of its prototype; undefined for a name that is no text. */
export function own<T>(record: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === 'string' && Object.hasOwn(record, name) ? record[name] : undefined
}
