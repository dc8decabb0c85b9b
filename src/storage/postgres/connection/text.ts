/**
 * Text columns of PostgreSQL cannot hold NUL, which callers may well send. Both characters below become two; all others stay as they
 * are. One-to-one, and it keeps the order of bytes, so that lists and pages stand as in SQLite.
 */
const ESCAPE = '\u0001'
const OF_NUL = '\u0001\u0001'
const OF_ESCAPE = '\u0001\u0002'

/** As a text column can hold it. A lone surrogate becomes U+FFFD, as in SQLite; JSON carries those in escapes of its own. */
export function encodeText(text: string): string {
  const well = text.toWellFormed()
  if (!well.includes(ESCAPE) && !well.includes('\0')) return well
  return well.replaceAll(ESCAPE, OF_ESCAPE).replaceAll('\0', OF_NUL)
}

export function decodeText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored
  let [text, from] = ['', 0]
  // From left to right: an escape is always followed by what tells the two apart.
  for (let at = stored.indexOf(ESCAPE); at !== -1; at = stored.indexOf(ESCAPE, from)) {
    text += stored.slice(from, at) + (stored[at + 1] === ESCAPE ? '\0' : ESCAPE)
    from = at + 2
  }
  return text + stored.slice(from)
}

/** A parameter as it is sent. */
export function encodeValue(value: unknown): unknown {
  if (typeof value === 'string') return encodeText(value)
  return Array.isArray(value) ? value.map(encodeValue) : value
}
