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
