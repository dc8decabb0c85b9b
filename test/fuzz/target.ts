import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
const FINDS = join(import.meta.dirname, 'finds')

interface Kept<Input> {
  readonly file: string
  readonly input: Input
}

/** The kept inputs of a target, in the order of their names. */
export function keptInputs<Input>(target: Target<Input>): Kept<Input>[] {
  const folder = join(CORPUS, target.corpus)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .map((name) => ({
      file: join('test/fuzz/corpus', target.corpus, name),
      input: target.decode(readFileSync(join(folder, name))),
    }))
}

/** More inputs of a folder that is not ours to keep: JSON files that are small enough, with all that is below. */
export function foreignInputs<Input>(target: Target<Input>, folder: string): Input[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  return names.flatMap((name) => {
    const path = join(folder, name)
    if (!name.endsWith(`.${target.extension}`) || statSync(path).size > MAX_INPUT_BYTES) return []
    try {
      return [target.decode(readFileSync(path))]
    } catch {
      return []
    }
  })
}

/** Keeps an input that breaks the law; answers its path from the project's root. */
export function keepFind(target: Target<never>, bytes: Buffer): string {
  mkdirSync(join(FINDS, target.name), { recursive: true })
  const name = `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.${target.extension}`
  writeFileSync(join(FINDS, target.name, name), bytes)
  return join('test/fuzz/finds', target.name, name)
}
