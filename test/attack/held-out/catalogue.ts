import { readFileSync } from 'node:fs'
import type { KindCase } from '../kinds/kind-case.ts'

type FrozenCase = Omit<KindCase, 'kind' | 'document'> & { readonly document: Record<string, unknown> }

/** Action anchors by shape and instruction. */
type GivenAnchors = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

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

/**
 * Gives both instructions of each frozen case action anchors, mistaken and honest twin alike. The anchors were written from the instructions' texts
 * alone, and frozen before the first measurement with them.
 */
export function withGivenAnchors(cases: readonly KindCase[]): KindCase[] {
  const text = readFileSync(new URL('given-anchors.json', import.meta.url), 'utf8')
  const given = JSON.parse(text) as GivenAnchors
  return cases.map((one) => {
    const { cue, distractor, ...rest } = one.ground_truth
    const anchors = given[one.name.split('/').slice(1, 4).join('/')]
    const complete = <T extends object>(which: string, instruction: T) => ({
      ...instruction,
      ...(anchors?.[which] && { action_anchors: [...anchors[which]] }),
    })
    const ground_truth = {
      ...rest,
      ...(cue && { cue: complete('cue', cue) }),
      ...(distractor && { distractor: complete('distractor', distractor) }),
    }
    return { ...one, ground_truth }
  })
}
