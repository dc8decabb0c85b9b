import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import type fc from 'fast-check'

/** A law that did not hold. What a target throws otherwise is a find as well: nothing may throw. */
export class BrokenLaw extends Error {}

export function hold(law: boolean, what: string): asserts law {
  if (!law) throw new BrokenLaw(what)
}

/** What is fuzzed: how its inputs are kept and made, and the law that every input must obey. */
export interface Target<Input> {
  readonly name: string
  /** One sentence, for people. */
  readonly law: string
  /** The folder of its corpus; targets may share one. */
  readonly corpus: string
  readonly decode: (bytes: Buffer) => Input
  readonly encode: (input: Input) => Buffer
  readonly extension: string
  /** Inputs near those that are kept. */
  near(kept: readonly Input[]): fc.Arbitrary<Input>
  /** Throws where the law is broken. */
  check(input: Input): void | Promise<void>
}

export const MAX_INPUT_BYTES = 60_000

const CORPUS = join(import.meta.dirname, 'corpus')

interface Kept<Input> {
  readonly file: string
  readonly input: Input
}

/** The kept inputs of a target, in the order of their names. */
export function keptInputs<Input>(target: Target<Input>): Kept<Input>[] {
  const folder = join(CORPUS, target.corpus)
  return readdirSync(folder)
    .sort()
    .map((name) => ({
      file: join('test/fuzz/corpus', target.corpus, name),
      input: target.decode(readFileSync(join(folder, name))),
    }))
}

/** An input that takes longer does not end, for all that anybody waits. */
const MAX_RUN_MS = 10_000
const GUARD = new Script('globalThis.fuzzRun()')

/** Checks an input against the law of its target, and ends a loop for ever, which nothing else in this process can. */
export async function checkLaw<Input>(target: Target<Input>, input: Input): Promise<void> {
  Object.assign(globalThis, { fuzzRun: () => target.check(input) })
  await GUARD.runInThisContext({ timeout: MAX_RUN_MS })
}
