/** Facts of a JSON text in UTF-8, found before anything is parsed, and without recursion. Of text that is no JSON they say nothing. */
interface JsonScan {
  /** The byte of the first bracket that is too deep; −1: there is none. */
  readonly deep: number
  /** The members of all objects together: the number of colons. */
  readonly members: number
  /** The objects and lists of the text: the number of opening brackets. */
  readonly containers: number
}

/** One pass, strings jumped over; `most`: levels that may be open at once. */
export function scanJson(bytes: Buffer, most: number): JsonScan {
  let depth = 0
  let members = 0
  let containers = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = endOfString(bytes, at)
      if (at === -1) break
    } else if (byte === COLON) members++
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      containers++
      if (++depth > most) return { deep: at, members, containers }
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--
  }
  return { deep: -1, members, containers }
}

/**
 * The bytes of a member's value in the text of a JSON object. Null where it has no such member or several, or a name with an escape, which may be the
 * same name: `JSON.parse` of these bytes is that member of `JSON.parse` of the whole.
 */
export function bytesOfMember(bytes: Buffer, name: string): Buffer | null {
  let found: Buffer | null = null
  for (let at = bytes.indexOf(QUOTE); at !== -1; ) {
    const key = bytes.toString('latin1', at + 1, endOfString(bytes, at))
    const start = bytes.indexOf(COLON, at + key.length + 2) + 1
    const end = endOfValue(bytes, start)
    if (start === 0 || end === -1 || key.includes('\\') || (key === name && found !== null)) return null
    if (key === name) found = bytes.subarray(start, end)
    at = bytes[end] === COMMA ? bytes.indexOf(QUOTE, end) : -1
  }
  return found
}

/** The comma or the bracket behind the value that begins at `from`; −1 where there is none. */
function endOfValue(bytes: Buffer, from: number): number {
  let depth = 0
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = endOfString(bytes, at)
      if (at === -1) return -1
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth-- === 0) return at
    } else if (byte === COMMA && depth === 0) return at
  }
  return -1
}

const QUOTE = 0x22
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const BACKSLASH = 0x5c

/** The closing quote of the string that opens at `open`; −1 where there is none. */
function endOfString(bytes: Buffer, open: number): number {
  for (let at = nextQuote(bytes, open + 1); at !== -1; at = nextQuote(bytes, at + 1)) {
    let slashes = 0
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}

/** Most strings are short: a native search takes longer to begin than they take to read. */
const NEAR = 48

function nextQuote(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + NEAR)
  for (let at = from; at < near; at++) if (bytes[at] === QUOTE) return at
  return bytes.indexOf(QUOTE, near)
}
