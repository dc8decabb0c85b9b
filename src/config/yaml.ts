import { createRequire } from 'node:module'
import { err, type Issue, ok, type Result } from '../domain/result.ts'

/** The parser is loaded with the first text: most services start without one. */
const load = () => createRequire(import.meta.url)('yaml') as typeof import('yaml')

/** YAML or JSON. */
export const parseYaml = (text: string): unknown => load().parse(text) as unknown

/** The same for who wrote it: what is wrong, with its line. */
export function readYaml(text: string): Result<unknown, (Issue & { readonly line: number })[]> {
  const { LineCounter, parseDocument } = load()
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  if (document.errors.length > 0)
    return err(
      document.errors.map(({ message, pos: [at] }) => ({ path: '', message, line: lineCounter.linePos(at).line })),
    )
  try {
    return ok(document.toJS() as unknown)
  } catch (error) {
    // Too many aliases.
    return err([{ path: '', message: (error as Error).message, line: 1 }])
  }
}
