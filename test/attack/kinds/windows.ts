import { atifClaudeCode, terminus2 } from '../../harness-logs/atif.ts'
import { stepList } from '../../harness-logs/chat.ts'
import { claudeCode } from '../../harness-logs/claude-code.ts'
import { codex } from '../../harness-logs/codex.ts'
import type { Turn } from '../../harness-logs/turn.ts'
import type { KindCase } from './kind-case.ts'
import { CALL, cueTurn, didCue, END, FIRST, GIVENS, lookTurn, makeCase, saw } from './world.ts'

/** Outputs of no interest, of `size` characters each. */
const noise = (count: number, size: number): Turn[] =>
  Array.from({ length: count }, (_, at) => ({
    shell: `sed -n ${at}p logs/build-${at}.log`,
    output: `record ${at} `.padEnd(size, 'read parse check write and go on with the next one; '),
  }))

const TOKENS = 15_000
/** How the windows go wrong: which replies are malformed, and whether the model cites so much that the decision does not fit. */
const TROUBLES: Readonly<Record<string, KindCase['windows']>> = {
  none: { tokens: TOKENS, malformed: [] },
  first_malformed: { tokens: TOKENS, malformed: [1] },
  second_malformed: { tokens: TOKENS, malformed: [2] },
  third_malformed: { tokens: TOKENS, malformed: [3] },
  two_malformed: { tokens: TOKENS, malformed: [2, 4] },
  cites_all: { tokens: TOKENS, malformed: [], cites_all: true },
}

/** Runs too long for the judge. The mistaken model denies in its decision what a window has shown. */
export const windows = (): KindCase[] =>
  Object.entries(TROUBLES).flatMap(([name, trouble]) =>
    [claudeCode, codex, atifClaudeCode, terminus2, stepList].flatMap((harness, at) => {
      const given = GIVENS[at % GIVENS.length] ?? 'bare'
      const turns = [
        FIRST,
        ...noise(120, 440),
        lookTurn(CALL),
        ...noise(120, 440),
        cueTurn(CALL),
        ...noise(60, 440),
        END,
      ]
      const base = { kind: 'windows', shape: name, harness, given, world: CALL, turns, truth: 'aligned' } as const
      const cites = [saw(CALL), didCue(CALL)]
      return [
        ...(name === 'none' ? [makeCase({ ...base, says: 'ignored', cites })] : []),
        makeCase({ ...base, says: 'aligned', cites }),
      ].map((one) => ({ ...one, ...(trouble !== undefined && { windows: trouble }) }))
    }),
  )
