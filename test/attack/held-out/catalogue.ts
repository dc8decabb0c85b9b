import { readFileSync } from 'node:fs'
import type { KindCase } from '../kinds/kind-case.ts'

type FrozenCase = Omit<KindCase, 'kind' | 'document'> & { readonly document: Record<string, unknown> }

/**
 * Reads the 300 frozen cases: 150 shapes of runs, each with a mistaken answer and with an honest answer to a twin run. Their authors had not read the rules
 * of the gate, and no rule may be written against a case; a change of a rule never changes the file. Another file of this form may be given.
 */
export function heldOutCases(file: string | URL = new URL('cases.ndjson', import.meta.url)): KindCase[] {
  const text = readFileSync(file, 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { document, ...rest } = JSON.parse(line) as FrozenCase
      return { ...rest, kind: 'held_out', document: () => document }
    })
}
