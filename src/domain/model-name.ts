/** The longest name that is read. */
const LONGEST_MODEL = 200
/** The provider in front of a name: `us.anthropic.`, `openai:`. A version is no provider, since a digit stands beside its stop: `gpt-5.2`; behind another colon stands a tag: `llama3:8b`, `mistral:instruct`. */
const VENDOR =
  /^(?:[a-z_-]+\.(?=[a-z])|(?:(?:openai|google)(?:-[a-z]+)?|anthropic|gemini|vertex(?:_?ai)?|azure|bedrock|openrouter|ollama|groq|together|fireworks|litellm|xai):)+/
const EDITION =
  /(?:[-@](?:20\d\d-?\d\d-?\d\d|\d\d-\d\d|\d\d-20\d\d|\d{3,4}|latest|preview|thinking)|:(?:latest|beta|free|nitro|floor|online|extended|thinking)|-v?\d+:\d+| ?[[(][^\])]{0,30}[\])])$/

/**
 * Returns the name of a model without its provider, date and edition, and with one sign between its words: `us.anthropic.claude-x-20250514-v1:0`,
 * `anthropic/claude-x:beta`, `Claude X`.
 */
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
