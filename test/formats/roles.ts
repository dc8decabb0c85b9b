import { readTables } from '../tables.ts'

export type Args = Readonly<Record<string, unknown>>
/** Roles of the argument values, in order; or roles by part name, where a value is no separate part. */
type Roles = string | Readonly<Record<string, string>>

/** Lists the names of argument values, as the names of parts. */
const namesOf = (value: unknown, way: readonly string[] = []): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, one]) => namesOf(one, [...way, name]))
    : [way.join('.')]

/** Maps the names of argument values to roles, each name with the prefix of its tool where `tool` is present. */
export function rolesBy(args: Args, roles: Roles, tool?: string): Readonly<Record<string, string>> {
  if (typeof roles !== 'string') return roles
  const words = roles.split(' ')
  const before = tool === undefined ? [] : [tool]
  return Object.fromEntries(namesOf(args, before).map((name, index) => [name, words[index] ?? '']))
}

interface RoleTables {
  /** By harness, in its log of a session. */
  readonly sessions: Readonly<Record<string, [tool: string, args: Args, roles: Roles][]>>
  readonly inspect: [tool: string, argument: string, args: Record<string, unknown>, role: string][]
  readonly editors: [name: string, agent: string, tool: string, args: Args, roles: Roles][]
  readonly atif: [agent: string, tool: string, args: Args, roles: Roles][]
}
export const ROLES = readTables<RoleTables>('formats/tables/roles')
