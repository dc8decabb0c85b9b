import { err, type Issue, ok, type Result } from '../result.ts'
import { endOfString } from '../text/exact-json.ts'

const MAX_ANSWER_CHARS = 1_000_000
const MAX_DEPTH = 32

/**
 * The JSON value of a judge's answer: one object, no prose, no fences, no duplicate keys (`JSON.parse` would keep the last, so that a
 * second, injected value wins). A byte order mark before it is none of it.
 */
export function parseAnswer(answer: string): Result<unknown, Issue[]> {
  const text = answer.startsWith('\ufeff') ? answer.slice(1) : answer
  if (text.length > MAX_ANSWER_CHARS)
    return err([{ path: '', message: 'the answer is longer than a million characters' }])
  const duplicate = scanKeys(text)
  if (duplicate !== null) return err([duplicate])
  try {
    return ok(JSON.parse(text))
  } catch {
    return err([{ path: '', message: 'the answer is not one JSON object: no prose, no code fences around it' }])
  }
}

/** The first duplicate key or too deep nesting of a JSON text; one pass over its tokens, no recursion. */
function scanKeys(text: string): Issue | null {
  const stack: (Set<string> | null)[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '{') stack.push(new Set())
    else if (character === '[') stack.push(null)
    else if (character === '}' || character === ']') stack.pop()
    else if (character === '"') {
      const end = endOfString(text, at)
      if (isRepeated(text, at, end, stack.at(-1)))
        return { path: '', message: 'the same key stands twice in one object' }
      at = end - 1
    }
    if (stack.length > MAX_DEPTH) return { path: '', message: `nested deeper than ${MAX_DEPTH} levels` }
  }
  return null
}

/** Whether the string is a key that its object has already; notes it down where it is a new one. */
function isRepeated(text: string, start: number, end: number, keys: Set<string> | null | undefined): boolean {
  if (!keys || !followedByColon(text, end)) return false
  const key = decodeKey(text.slice(start, end))
  if (keys.has(key)) return true
  keys.add(key)
  return false
}

function followedByColon(text: string, from: number): boolean {
  let at = from
  while (at < text.length && (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t')) at++
  return text[at] === ':'
}

function decodeKey(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}

const THINK = '<think>'
const END_OF_THINK = '</think>'
const FENCE = '```'
const MAX_LANGUAGE = 20

/**
 * An answer without what models put around it that no provider holds to a form: one leading block of thought, then one fence of code.
 * Nothing else is taken off, and what is left is read as strictly as any answer.
 */
export const unwrapAnswer = (text: string): string => withoutFence(withoutThought(text))

function withoutThought(text: string): string {
  const answer = text.trimStart()
  if (!answer.startsWith(THINK)) return text
  const end = answer.indexOf(END_OF_THINK)
  return end === -1 ? text : answer.slice(end + END_OF_THINK.length)
}

function withoutFence(text: string): string {
  const answer = text.trim()
  const line = answer.indexOf('\n')
  const end = answer.length - FENCE.length
  if (!answer.startsWith(FENCE) || line === -1 || answer.lastIndexOf('\n') === line) return text
  const isFenced = isLanguage(answer.slice(FENCE.length, line)) && answer.slice(answer.lastIndexOf('\n') + 1) === FENCE
  return isFenced ? answer.slice(line + 1, end) : text
}

const isLanguage = (word: string): boolean => word.length <= MAX_LANGUAGE && /^[A-Za-z0-9]*\r?$/.test(word)
