/**
 * The value of a JSON text, as `JSON.parse` gives it, but for its names: V8 (13.6, Node 24; nodejs/node#63785) can misread a name that is
 * written with an escape. It compares the raw characters with the names of objects that it saw before, so that `{"a":1,"\n":2}` comes
 * out as `{"a":1,"\\":2}` after an object with the names `a` and `\`. A name that comes out wrong always holds a backslash, which is how
 * it is noticed. Throws a SyntaxError for what is no JSON.
 */
export function parseExactJson(text: string): unknown {
  const value = JSON.parse(text) as unknown
  return text.includes('\\') && hasBackslashName(value) ? parseExactly(text) : value
}

/** Without recursion: the text may be nested as deep as it likes. */
function hasBackslashName(value: unknown): boolean {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== 'object' || one === null) continue
    if (!Array.isArray(one) && isNamedOddly(one)) return true
    for (const member of Array.isArray(one) ? one : Object.values(one))
      if (typeof member === 'object') open.push(member)
  }
  return false
}

function isNamedOddly(record: object): boolean {
  for (const name in record) if (name.includes('\\')) return true
  return false
}

/**
 * A text that is JSON already, read without V8's mistake. One pass, recursing as deep as it is nested; single strings and numbers are
 * read by `JSON.parse`, which reads those right.
 */
export function parseExactly(text: string): unknown {
  const place = { at: 0 }
  return readValue(text, place)
}

interface Place {
  at: number
}

function readValue(text: string, place: Place): unknown {
  skipSpace(text, place)
  const first = text[place.at]
  if (first === '{') return readObject(text, place)
  if (first === '[') return readArray(text, place)
  return first === '"' ? readString(text, place) : readScalar(text, place)
}

function readObject(text: string, place: Place): object {
  const object = {}
  while (isAnother(text, place, '}')) {
    const name = readString(text, place)
    skipSpace(text, place)
    place.at++
    // As `JSON.parse` does: `__proto__` is a name like any other.
    Object.defineProperty(object, name, { value: readValue(text, place), ...OWN })
  }
  return object
}

const OWN = { enumerable: true, configurable: true, writable: true }

function readArray(text: string, place: Place): unknown[] {
  const items: unknown[] = []
  while (isAnother(text, place, ']')) items.push(readValue(text, place))
  return items
}

/** Past the opening bracket, the comma or the closing bracket; whether a member follows. */
function isAnother(text: string, place: Place, closer: string): boolean {
  skipSpace(text, place)
  const isEnd = text[place.at++] === closer
  skipSpace(text, place)
  if (!isEnd && text[place.at] !== closer) return true
  if (!isEnd) place.at++
  return false
}

function readString(text: string, place: Place): string {
  const from = place.at
  do place.at = text.indexOf('"', place.at + 1)
  while (isEscaped(text, place.at))
  place.at++
  return JSON.parse(text.slice(from, place.at)) as string
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

function readScalar(text: string, place: Place): unknown {
  const from = place.at
  while (place.at < text.length && !' \n\r\t,]}'.includes(text[place.at] ?? '')) place.at++
  return JSON.parse(text.slice(from, place.at))
}

function skipSpace(text: string, place: Place): void {
  while (text[place.at] === ' ' || text[place.at] === '\n' || text[place.at] === '\r' || text[place.at] === '\t')
    place.at++
}
