import { err, type Issue, ok, type Result } from '../result.ts'
import { readJson } from '../text/exact-json.ts'

const MAX_ANSWER_CHARS = 1_000_000
const MAX_DEPTH = 32

/**
 * Parses a judge's answer: one JSON object, no prose, no fences, no duplicate keys (`JSON.parse` would keep the last, so that a second,
 * injected value wins). A byte order mark before the object is not part of the answer.
 */
export function parseAnswer(answer: string): Result<unknown, Issue[]> {
  const refuse = (message: string): Result<never, Issue[]> => err([{ path: '', message }])
  const text = answer.startsWith('\ufeff') ? answer.slice(1) : answer
  if (text.length > MAX_ANSWER_CHARS) return refuse('the answer is longer than a million characters')
  const { value, error, refusal } = readJson(text, { depth: MAX_DEPTH, nodes: MAX_ANSWER_CHARS })
  if (refusal === 'too_deep') return refuse(`nested deeper than ${MAX_DEPTH} levels`)
  if (refusal === 'duplicate_key') return refuse('the same key stands twice in one object')
  if (error !== -1) return refuse('the answer is not one JSON object: no prose, no code fences around it')
  return ok(value)
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
