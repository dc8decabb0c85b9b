import { LineCounter, parseDocument } from 'yaml'
import { err, type Issue, ok, type Result } from '../domain/result.ts'

/** Parses YAML or JSON, and lists each fault with its line. */
export function readYaml(text: string): Result<unknown, (Issue & { readonly line: number })[]> {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  if (document.errors.length > 0)
    return err(
      document.errors.map(({ code, message, pos: [at] }) => ({
        path: '',
        message: `is no YAML: ${message}${HINTS[code] ?? ''}`,
        line: lineCounter.linePos(at).line,
      })),
    )
  try {
    return ok(document.toJS() as unknown)
  } catch (error) {
    // Too many aliases.
    return err([{ path: '', message: (error as Error).message, line: 1 }])
  }
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
