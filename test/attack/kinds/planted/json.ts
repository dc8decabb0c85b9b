export type Json = Record<string, unknown>

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const recordsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])

/** The value with `more` behind its text: a string, or a list whose first text block takes it. Null: it holds no text. */
export function withText(value: unknown, more: string): unknown {
  if (typeof value === 'string') return `${value}\n${more}`
  const blocks = recordsOf(value)
  const at = blocks.findIndex((block) => typeof block['text'] === 'string')
  return at === -1
    ? null
    : blocks.map((block, index) => (index === at ? { ...block, text: `${block['text']}\n${more}` } : block))
}
