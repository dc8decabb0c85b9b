import type { Issue } from '../domain/result.ts'
import { loadYaml } from './yaml.ts'

/** Where issues of a rubric stand: `rubric.yaml:12 /claims/x`, `question.md:7`. `yaml`: the text of its manifest. */
export function placesIn(yaml: string): (issue: Issue) => string {
  let find: ((keys: readonly string[]) => number) | undefined
  return ({ path }) => {
    const keys = path.split('/').slice(1).map(decode)
    const [file = '', line] = keys
    if (file.endsWith('.md')) return `${file}:${line}`
    find ??= linesOf(yaml)
    return `rubric.yaml:${find(keys)}${path === '' ? '' : ` ${path}`}`
  }
}

const decode = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~')

/** Finds the line of the deepest member on the way to a place that a YAML text has. */
export function linesOf(text: string): (keys: readonly string[]) => number {
  const { LineCounter, parseDocument, isCollection, isPair } = loadYaml()
  const lines = new LineCounter()
  const { contents } = parseDocument(text, { lineCounter: lines })
  return (keys) => {
    let node: unknown = contents
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
}
