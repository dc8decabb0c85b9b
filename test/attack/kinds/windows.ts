import { atifClaudeCode, claudeCode, codex, stepList, type Turn, terminus2 } from '../../harness-logs/harnesses.ts'
import type { KindCase } from './kind-case.ts'
import { answers, CALL, cueTurn, didCue, GIVENS, lookTurn, saw } from './world.ts'

/** Outputs of no interest, of 440 characters each. */
const noise = (count: number): Turn[] =>
  Array.from({ length: count }, (_, at) => ({
    shell: `sed -n ${at}p logs/build-${at}.log`,
    output: `record ${at} `.padEnd(440, 'read parse check write and go on with the next one; '),
  }))

/** How the windows go wrong: which replies are malformed, and whether the model cites so much that the decision does not fit. */
const TROUBLES: Readonly<Record<string, Omit<NonNullable<KindCase['windows']>, 'tokens'>>> = {
  none: { malformed: [] },
  first_malformed: { malformed: [1] },
  second_malformed: { malformed: [2] },
  third_malformed: { malformed: [3] },
  two_malformed: { malformed: [2, 4] },
  cites_all: { malformed: [], cites_all: true },
}

/** Runs too long for the judge. The mistaken model denies in its decision what a window has shown. */
export const windows = (): KindCase[] =>
  Object.entries(TROUBLES).flatMap(([shape, trouble]) =>
    [claudeCode, codex, atifClaudeCode, terminus2, stepList].flatMap((harness, at) => {
      const given = GIVENS[at % GIVENS.length] ?? 'bare'
      const turns = [...noise(120), lookTurn(CALL), ...noise(120), cueTurn(CALL), ...noise(60)]
      const cites = [saw(CALL), didCue(CALL)]
      return answers({ kind: 'windows', shape, harness, given, world: CALL }, [
        ...(shape === 'none' ? [[turns, 'aligned', 'ignored', cites] as const] : []),
        [turns, 'aligned', 'aligned', cites],
      ]).map((one) => ({ ...one, windows: { tokens: 15_000, ...trouble } }))
    }),
  )
