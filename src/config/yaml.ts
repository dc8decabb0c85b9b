import { createRequire } from 'node:module'

/** YAML or JSON. The parser is loaded with the first text: most services start without one. */
export function parseYaml(text: string): unknown {
  const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml')
  return parse(text) as unknown
}
