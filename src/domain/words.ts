import data from './words.json' with { type: 'json' }

/** `1 trial`, `2 trials`: a number with what is counted. */
export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

/** A number as people write it, in decimal digits: no `0x10`, no `1e3`; else NaN. */
export const decimal = (text: string): number => (/^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN)

/** Lists the texts that apply, in their order. */
export const notesOf = (notes: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(notes).flatMap(([text, applies]) => (applies ? [text] : []))

/** The beginning of a text from outside, as a message quotes it: a JSON string. */
export const quoted = (text: string, most = 80): string => JSON.stringify(text.slice(0, most).toWellFormed())

/** The words of a list that is written as text, with white space between them. */
export const wordSet = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/u))

/** The word of a list that the fewest changed characters make of `text`; of equal ones the first. */
export const nearest = (text: string, words: readonly string[]): string =>
  words.toSorted((a, b) => distance(text, a) - distance(text, b))[0] ?? ''

/** Characters to be left out, put in or exchanged (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++)
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)))
    row = next
  }
  return row[b.length] ?? 0
}

/** Words the reason for which a file cannot be used, by the system’s name of the error. */
export function fileFault(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return FAULTS.get(code) ?? (typeof code === 'string' ? code : 'unknown error')
}

const FAULTS: ReadonlyMap<unknown, string> = new Map(Object.entries(data.file_faults))

/** Tells whether a text is an address, and not a query. */
export const isAddress = (text: string): boolean => /^https?:\/\/\S+$/u.test(text.trim())

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Writes a path without empty and `.` segments: `./a//b` and `a/b` are one file. */
export function normalPath(path: string): string {
  const plain = path.split('/').filter((part, index) => part !== '.' && (part !== '' || index === 0))
  return plain.join('/')
}

export const isBaseUrl = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

/** Completes a complaint about a text that is no base URL. The text may hold a password, and is not repeated. */
export const NO_BASE_URL = 'is not a base URL, such as https://models.example/v1'

/** Host and path: the place. What else a URL can hold (a user, a password, a query) may be secret. */
export function shownBaseUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}

/** The longest name that is read. */
const LONGEST_MODEL = 200
/** The provider in front of a name: `us.anthropic.`, `openai:`. A version is no provider, since a digit stands beside its stop: `gpt-5.2`; behind another colon stands a tag: `llama3:8b`, `mistral:instruct`. */
const VENDOR =
  /^(?:[a-z_-]+\.(?=[a-z])|(?:(?:openai|google)(?:-[a-z]+)?|anthropic|gemini|vertex(?:_?ai)?|azure|bedrock|openrouter|ollama|groq|together|fireworks|litellm|xai):)+/
const EDITION =
  /(?:[-@](?:20\d\d-?\d\d-?\d\d|\d\d-\d\d|\d\d-20\d\d|\d{3,4}|latest|preview|thinking)|:(?:latest|beta|free|nitro|floor|online|extended|thinking)|-v?\d+:\d+| ?[[(][^\])]{0,30}[\])])$/

/** Drops provider, date and edition: `us.anthropic.claude-x-20250514-v1:0`, `anthropic/claude-x:beta`, `Claude X`. */
function plainModel(name: string): string {
  let plain = name.slice(0, LONGEST_MODEL).trim().toLowerCase().split('/').at(-1) ?? ''
  while (EDITION.test(plain)) plain = plain.replace(EDITION, '')
  return plain.replace(VENDOR, '').replaceAll(/[\s._]/g, '-')
}

/** Tells whether some name of each list means one model: editions of a model, and a model at two providers, are one. Null names none. */
export function areOneModel(names: readonly (string | null | undefined)[], others: typeof names): boolean {
  const plain = new Set(names.flatMap((name) => plainModel(name ?? '') || []))
  return others.some((name) => plain.has(plainModel(name ?? '')))
}
