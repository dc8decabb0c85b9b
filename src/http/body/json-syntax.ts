/**
 * Where a text stops being JSON, for error messages only: `JSON.parse` decides, but its own messages quote the text and mostly
 * lack the place. One pass, no recursion. Answers the length of the text where it ends too early, and -1 where it is JSON.
 */
export function findSyntaxError(text: string): number {
  const reading: Reading = { text, closers: [], expects: 'value', mayClose: false }
  let at = skipSpace(text, 0)
  while (at < text.length) {
    const end = readNext(reading, at)
    if (!end.ok) return end.at
    at = skipSpace(text, end.at)
  }
  return reading.expects === 'separator' && reading.closers.length === 0 ? -1 : text.length
}

interface Reading {
  readonly text: string
  /** What closes the objects and arrays that are open, innermost last. */
  readonly closers: string[]
  expects: 'value' | 'key' | 'separator'
  /** Not after a comma or a colon. */
  mayClose: boolean
}

interface End {
  readonly ok: boolean
  /** Where to go on, or where the fault is. */
  readonly at: number
}

function readNext(reading: Reading, at: number): End {
  if (reading.mayClose && reading.text[at] === reading.closers.at(-1)) {
    reading.closers.pop()
    reading.expects = 'separator'
    return { ok: true, at: at + 1 }
  }
  if (reading.expects === 'separator') return readSeparator(reading, at)
  return reading.expects === 'key' ? readKey(reading, at) : readValue(reading, at)
}

function readSeparator(reading: Reading, at: number): End {
  const closer = reading.closers.at(-1)
  if (closer === undefined || reading.text[at] !== ',') return { ok: false, at }
  reading.expects = closer === '}' ? 'key' : 'value'
  reading.mayClose = false
  return { ok: true, at: at + 1 }
}

function readKey(reading: Reading, at: number): End {
  const end = endOfString(reading.text, at)
  if (!end.ok) return end
  const colon = skipSpace(reading.text, end.at)
  reading.expects = 'value'
  reading.mayClose = false
  return reading.text[colon] === ':' ? { ok: true, at: colon + 1 } : { ok: false, at: colon }
}

function readValue(reading: Reading, at: number): End {
  const first = reading.text[at]
  reading.mayClose = true
  if (first === '{' || first === '[') {
    reading.closers.push(first === '{' ? '}' : ']')
    reading.expects = first === '{' ? 'key' : 'value'
    return { ok: true, at: at + 1 }
  }
  reading.expects = 'separator'
  return first === '"' ? endOfString(reading.text, at) : endOfScalar(reading.text, at)
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  return at
}

function endOfString(text: string, open: number): End {
  if (text[open] !== '"') return { ok: false, at: open }
  for (let at = open + 1; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '"') return { ok: true, at: at + 1 }
    if (character < ' ') return { ok: false, at }
    if (character !== '\\') continue
    const escaped = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(text.slice(at + 1, at + 6))
    if (escaped === null) return { ok: false, at }
    at += escaped[0].length
  }
  return { ok: false, at: text.length }
}

/** A number, `true`, `false` or `null`. */
function endOfScalar(text: string, from: number): End {
  let end = from
  while (end < text.length && !' \n\r\t,:]}[{"'.includes(text[end] ?? '')) end++
  const ok = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(text.slice(from, end))
  return { ok, at: ok ? end : from }
}
