export type Args = Readonly<Record<string, unknown>>
/** Roles of the values of the arguments, in their order; or by the names of the parts, where a value is no part of its own. */
export type Roles = string | Readonly<Record<string, string>>

/** Names of the values of arguments, as parts have them. */
const namesOf = (value: unknown, way: readonly string[] = []): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, one]) => namesOf(one, [...way, name]))
    : [way.join('.')]

/** Roles by the names of the values of arguments, with that of their tool before each where it is given. */
export function rolesBy(args: Args, roles: Roles, tool?: string): Readonly<Record<string, string>> {
  if (typeof roles !== 'string') return roles
  const words = roles.split(' ')
  const before = tool === undefined ? [] : [tool]
  return Object.fromEntries(namesOf(args, before).map((name, index) => [name, words[index] ?? '']))
}
