import { isCollection, isPair, LineCounter, parseDocument } from 'yaml'

/** Parses YAML or JSON: its value, or its faults; `lineOf` finds the line of the deepest existing member on the way to a place. */
export function readYaml(text: string) {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const lineOf = (keys: readonly string[]): number => {
    let node: unknown = document.contents
    let offset = 0
    for (const key of keys) {
      if (!isCollection(node)) break
      const items: readonly unknown[] = node.items
      const item = items.find((item, index) => (isPair(item) ? String(item.key) === key : String(index) === key))
      if (item === undefined) break
      const place = (isPair(item) ? item.key : item) as { range?: readonly number[] | null } | null
      offset = place?.range?.[0] ?? offset
      node = isPair(item) ? item.value : item
    }
    return lineCounter.linePos(offset).line
  }
  const fault = (code: string, message: string, at = 0) => {
    const { line, col } = lineCounter.linePos(at)
    return { line, message, code: code.toLowerCase().replaceAll('_', ' '), place: `line ${line}, column ${col}` }
  }
  const faults = document.errors.map(({ code, message, pos: [at] }) =>
    fault(code, `is no YAML: ${message}${HINTS[code] ?? ''}`, at),
  )
  if (faults.length > 0) return { value: undefined, faults, lineOf }
  try {
    const value: unknown = document.toJS()
    return { value, faults: isCyclic(value) ? [fault('cyclic alias', CYCLE)] : [], lineOf }
  } catch (error) {
    const code =
      error instanceof ReferenceError && !/too many|excessive/i.test(error.message)
        ? 'unknown alias'
        : 'too many aliases'
    return { value: undefined, faults: [fault(code, (error as Error).message)], lineOf }
  }
}

const CYCLE = 'an alias (*name) stands in what it names: write it out'

/** Tells whether a value holds itself. */
function isCyclic(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false
  return above.includes(value) || Object.values(value).some((member) => isCyclic(member, [...above, value]))
}

const QUOTE = '; a text that holds ": " or begins with a mark is written in quotes'

/** Remedies of the commonest mistakes. */
const HINTS: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: QUOTE,
  MULTILINE_IMPLICIT_KEY: QUOTE,
  BAD_SCALAR_START: QUOTE,
  UNEXPECTED_TOKEN: QUOTE,
  DUPLICATE_KEY: ': remove one of the two, or rename it',
  TAB_AS_INDENT: ': indent with spaces',
  BAD_INDENT: ': indent members of one object alike',
}
