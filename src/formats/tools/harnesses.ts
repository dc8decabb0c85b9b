import { fewAnswers, once } from '../../domain/memo.ts'
import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import data from './harnesses.json' with { type: 'json' }
import { own, type ToolSpec, type ToolTable, toolTable } from './tool-table.ts'

/** A text that a harness itself writes in place of a call's output, and the outcome that it tells. */
export interface HarnessWords {
  /** The beginning of the text. */
  readonly begins: string
  /** A second piece of the text, near its beginning. */
  readonly holds?: string
  readonly outcome: ActOutcome
  /** True when no program can print the text there: the harness writes its own words before all output. */
  readonly isSure?: boolean
}

/** The tools and the words of a harness; `common` are the tools that many harnesses share under one name. */
interface Harness {
  /** The harness that has the same tools and words. */
  readonly same?: string
  /** The names of forks that kept the tools and the words. */
  readonly forks?: readonly string[]
  /** True where other agents use the names of the tools for other tools (`Bash`, `notify_user`). */
  readonly own_names?: boolean
  /** Rows of `toolTable`. */
  readonly tools?: readonly string[]
  /** The first of the texts that a result begins with counts. */
  readonly words?: readonly HarnessWords[]
  /** True where the harness has further texts, which vary by version. */
  readonly some_words?: boolean
}

const DATA = Object.entries(data.harnesses as unknown as Readonly<Record<string, Harness>>)
const resolved = ({ same = '', ...harness }: Harness): Harness => DATA.find(([name]) => name === same)?.[1] ?? harness

/** Puts the texts of fragments in place of their names: `$EDIT; patch diff`. */
function expanded(row: string): string {
  const text = row.replace(/\$([A-Z_]+)/gu, (_, name: string) => own(data.fragments, name) ?? name)
  return text === row ? text : expanded(text)
}

const TABLES = DATA.flatMap(([name, harness]): [string, ToolTable][] => {
  const { tools } = resolved(harness)
  return tools === undefined ? [] : [[name, toolTable(tools.map(expanded))]]
})

const BY_HARNESS = new Map(TABLES)
export const COMMON_TOOLS: ToolTable = BY_HARNESS.get('common') ?? {}

/** Returns the tools of a harness by exact name; the common tools for a harness without tools of its own. */
export const toolsOf = (harness: string): ToolTable => BY_HARNESS.get(harness) ?? COMMON_TOOLS

export const CLINE_TOOLS: ToolTable = toolsOf('cline')
const OWN_TABLES = TABLES.filter(([name]) => name !== 'common')

/** The words by the name of the harness. */
export const HARNESS_WORDS: Readonly<Record<string, readonly HarnessWords[]>> = Object.fromEntries(
  DATA.flatMap(([name, harness]) => {
    const { words } = resolved(harness)
    return words === undefined ? [] : [[name, words]]
  }),
)

export const SOME_WORDS: readonly string[] = DATA.flatMap(([name, harness]) => (harness.some_words ? [name] : []))

/** Returns the harness that an agent's name begins with, alone or before a hyphen; null for other names. */
export function namedIn(harnesses: readonly string[], agentName: string | null): string | null {
  const agent = (agentName ?? '').toLowerCase()
  const origin = DATA.find(([, { forks }]) => forks?.includes(agent))?.[0] ?? agent
  return harnesses.find((name) => origin.startsWith(name) && '-'.startsWith(origin.charAt(name.length))) ?? null
}

const HARNESSES = OWN_TABLES.map(([name]) => name)

/** Names of agents and tools whose answers are kept: the steps of a run repeat them. */
const MOST_KEPT = 1000
/** Returns the harness of an agent by its name, as the tables name it; null for unknown names. */
export const harnessOf = (agentName: string | null): string | null => keptHarness(agentName ?? '')
const keptHarness = once((agent: string) => namedIn(HARNESSES, agent), fewAnswers<string | null>(MOST_KEPT))

/** Lists the harnesses with a tool of a name. */
export const harnessesWith = once(
  (tool: string): readonly string[] =>
    OWN_TABLES.flatMap(([name, table]) => (Object.hasOwn(table, tool) ? [name] : [])),
  fewAnswers<readonly string[]>(MOST_KEPT),
)

/** Returns the kinds of a tool's arguments by its harness, the common table, or the only other table; undefined where none or several know it. */
export function specOf(agentName: string | null, tool: string): ToolSpec | undefined {
  return own(toolsOf(harnessOf(agentName) ?? ''), tool) ?? own(COMMON_TOOLS, tool) ?? keptOther(tool) ?? undefined
}

const OF_ANY_AGENT = OWN_TABLES.filter(([name]) => !DATA.some(([own, harness]) => own === name && harness.own_names))

const keptOther = once((tool: string): ToolSpec | null => {
  const [only, ...others] = new Set(OF_ANY_AGENT.flatMap(([, table]) => own(table, tool) ?? []))
  return others.length === 0 ? (only ?? null) : null
}, fewAnswers<ToolSpec | null>(MOST_KEPT))
