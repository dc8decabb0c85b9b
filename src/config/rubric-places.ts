import { createRequire } from 'node:module'
import type { Issue } from '../domain/result.ts'

/** Where an issue of a rubric stands: `rubric.yaml:12 /claims/x`, `question.md:7`. `files`: their texts, by their names. */
export function placeOf({ path, message }: Issue, files: Readonly<Record<string, string>>): string {
  const [, file = ''] = path.split('/')
  const text = files[file]
  if (text !== undefined) return `${file}:${lineHolding(text, /\{\{[^}]*\}\}/.exec(message)?.[0] ?? '')}`
  return `rubric.yaml:${lineOf(files['rubric.yaml'] ?? '', path.split('/').slice(1))}${path === '' ? '' : ` ${path}`}`
}

function lineHolding(text: string, tag: string): number {
  const at = tag === '' ? 0 : text.indexOf(tag)
  return text.slice(0, Math.max(at, 0)).split('\n').length
}

/** The line of the deepest member on the way to a place that the text has. */
function lineOf(text: string, keys: readonly string[]): number {
  const { LineCounter, parseDocument, isCollection, isPair } = createRequire(import.meta.url)(
    'yaml',
  ) as typeof import('yaml')
  const lines = new LineCounter()
  let node: unknown = parseDocument(text, { lineCounter: lines }).contents
  let offset = 0
  for (const key of keys) {
    if (!isCollection(node)) break
    const items: readonly unknown[] = node.items
    const item = items.find((one, index) => (isPair(one) ? String(one.key) === key : String(index) === key))
    if (item === undefined) break
    const place = (isPair(item) ? item.key : item) as { range?: readonly number[] | null } | null
    offset = place?.range?.[0] ?? offset
    node = isPair(item) ? item.value : item
  }
  return lines.linePos(offset).line
}
