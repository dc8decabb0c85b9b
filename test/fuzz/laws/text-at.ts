/**
 * The text that a part's path points at, written without the readers' code: RFC 6901, then, behind `#`, again inside the JSON that the
 * string holds, as often as that is so; or `#char=start,end` for a piece of it, and behind that `#` and a pointer where the piece is JSON.
 */
export function textAt(document: unknown, path: string): string {
  const range = /^(.*)#char=([0-9]+),([0-9]+)(?:#(.*))?$/s.exec(path)
  if (range !== null) {
    const piece = textAt(document, range[1] ?? '').slice(Number(range[2]), Number(range[3]))
    return range[4] === undefined ? piece : asText(valueAt(JSON.parse(piece), range[4]))
  }
  // JSON in a string, and in a string of that again.
  const [outer = '', ...inner] = path.split('#')
  let value = valueAt(document, outer)
  for (const pointer of inner) {
    if (typeof value !== 'string') throw new Error(`no JSON text before the # of ${path}`)
    value = valueAt(JSON.parse(value), pointer)
  }
  return asText(value)
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function valueAt(root: unknown, path: string): unknown {
  let value = root
  for (const token of path.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) throw new Error(`nothing at ${path}`)
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** Whether a member's own name holds the mark of an inner pointer: then paths are ambiguous (docs/formats.md). */
export function hasMarkedNames(root: unknown): boolean {
  const open: unknown[] = [root]
  for (let value = open.pop(); open.length > 0 || value !== undefined; value = open.pop()) {
    if (typeof value === 'string' && value.includes('#') && value.trimStart().startsWith('{')) return true
    if (typeof value !== 'object' || value === null) continue
    for (const [name, member] of Object.entries(value)) {
      if (name.includes('#')) return true
      open.push(member)
    }
  }
  return false
}
