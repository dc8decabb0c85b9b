import { COMMON_TOOLS } from './common-tools.ts'
import { TABLES } from './harness-tools.ts'
import { own, type ToolSpec } from './tool-table.ts'

const HARNESSES = TABLES.map(([name]) => name)

/** Forks that kept the tools of their original harness. */
const FORKS: Readonly<Record<string, string>> = {
  'qwen-code': 'gemini-cli',
  'factory-droid': 'droid',
  'claude-agent-sdk': 'claude-code',
  claude: 'claude-code',
}

/** Returns the harness that an agent's name begins with, alone or before a hyphen; null for other names. */
export function namedIn(harnesses: readonly string[], agentName: string | null): string | null {
  const agent = (agentName ?? '').toLowerCase()
  const origin = own(FORKS, agent) ?? agent
  return harnesses.find((name) => origin.startsWith(name) && '-'.startsWith(origin.charAt(name.length))) ?? null
}

/** Returns the harness of an agent by its name, as the tables name it; null for unknown names. */
export const harnessOf = (agentName: string | null): string | null => namedIn(HARNESSES, agentName)

/** The harnesses with a tool of a name. */
export const BY_TOOL: ReadonlyMap<string, readonly string[]> = new Map(
  TABLES.flatMap(([, table]) => Object.keys(table)).map((tool) => [
    tool,
    TABLES.flatMap(([name, table]) => (Object.hasOwn(table, tool) ? [name] : [])),
  ]),
)

/** Returns the kinds of a tool's arguments by its harness, the common table, or the only other table; undefined where none or several know it. */
export function specOf(agentName: string | null, tool: string): ToolSpec | undefined {
  const harness = harnessOf(agentName)
  const table = TABLES.find(([name]) => name === harness)?.[1] ?? {}
  return own(table, tool) ?? own(COMMON_TOOLS, tool) ?? onlyOther(tool)
}

/** Harnesses with tool names that other agents use for other tools (`Bash`, `notify_user`): the names tell no other agent's tools. */
const OWN_AGENT_ONLY: ReadonlySet<string> = new Set(['kimi-code', 'antigravity', 'droid'])

function onlyOther(tool: string): ToolSpec | undefined {
  const specs = new Set(TABLES.flatMap(([name, table]) => (OWN_AGENT_ONLY.has(name) ? [] : (own(table, tool) ?? []))))
  const [only] = specs
  return specs.size === 1 ? only : undefined
}
