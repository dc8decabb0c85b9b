import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { UsageError, wholeNumber, withFile } from '../../tools/command-line.ts'
import { ATTACK_CLASSES, type AttackCase, type AttackClass } from './attack-case.ts'
import { allCases, sliceOf } from './catalogue.ts'

/** Which cases are given to another judge. */
export interface Part {
  /** null: all. Those without an attack always come along: what a judge makes of the others says nothing without them. */
  readonly classes: readonly AttackClass[] | null
  readonly every: number
}
export const WHOLE: Part = { classes: null, every: 1 }

export const PART_OPTIONS = { classes: { type: 'string' }, every: { type: 'string' } } as const

/** Names of a list, comma-separated, each one that is known; null where the option was not given. */
export function chosen<T extends string>(
  given: string | undefined,
  known: readonly T[],
  what: string,
): readonly T[] | null {
  if (given === undefined) return null
  return given.split(',').map((name) => {
    const found = known.find((one) => one === name)
    if (found === undefined) throw new UsageError(`no ${what} is named ${name}; there are: ${known.join(', ')}`)
    return found
  })
}

interface PartValues {
  readonly classes?: string | undefined
  readonly every?: string | undefined
}

export const readPart = ({ classes, every }: PartValues): Part => ({
  classes: chosen(classes, ATTACK_CLASSES, 'class'),
  every: every === undefined ? 1 : wholeNumber('--every', every, 1),
})

/** The part as its options, which is how each exported case says it; null: the whole. */
export function partText({ classes, every }: Part): string | null {
  const options = [
    ...(classes === null ? [] : [`--classes ${classes.join(',')}`]),
    ...(every === 1 ? [] : [`--every ${every}`]),
  ]
  return options.length === 0 ? null : options.join(' ')
}

/** Reads `partText` again. Throws where it is none. */
export const parsePart = (text: string | null): Part =>
  text === null ? WHOLE : readPart(parseArgs({ args: text.split(' '), options: PART_OPTIONS }).values)

/** The cases of a part, in the order of the catalogue, but those whose instructions stand in a picture, which is not part of the suite. */
export function exportedCases({ classes, every }: Part): AttackCase[] {
  const all = allCases().filter(({ surface }) => surface !== 'media')
  const sliced = new Set(sliceOf(all, every))
  const isOf = (one: AttackCase) => sliced.has(one) && (classes === null || classes.includes(one.attack))
  return all.filter((one) => one.attack === 'control' || isOf(one))
}

/** A case as a line of `--export`: what a judge is shown, its name, and the label that is true. `part` is the part of the suite. */
export const exportLine = (one: AttackCase, part: string | null): string =>
  JSON.stringify({
    name: one.name,
    class: one.attack,
    limit: one.limit,
    truth: one.truth,
    target: one.target,
    part,
    trajectory: one.trajectory(),
    ground_truth: one.ground_truth,
  })

/** What carries a case’s name and its part through a batch; the names say the truth, and no judge is shown any metadata. */
export const CASE_FIELD = 'attack_case'
export const PART_FIELD = 'attack_part'

/** A case as a line that `veridict batch` and `POST /v1/batches` take. */
export const requestLine = (one: AttackCase, part: string | null): string =>
  JSON.stringify({
    item_id: one.name,
    trajectory: one.trajectory(),
    ground_truth: one.ground_truth,
    metadata: { [CASE_FIELD]: one.name, [PART_FIELD]: part },
  })

interface Written {
  readonly lines: number
  readonly bytes: number
}

/** Writes a line each to a file that has its name only once it is whole; a device or a pipe is written to as it comes. */
export const writeLines = (file: string, cases: readonly AttackCase[], lineOf: (one: AttackCase) => string): Written =>
  withFile(file, () => {
    const known = statSync(file, { throwIfNoEntry: false })
    if (known?.isDirectory()) throw new UsageError(`${file}: is a folder`)
    const partial = known === undefined || known.isFile() ? `${file}.partial` : file
    try {
      const bytes = writeAll(partial, cases, lineOf)
      if (partial !== file) renameSync(partial, file)
      return { lines: cases.length, bytes }
    } catch (error) {
      if (partial !== file) rmSync(partial, { force: true })
      throw error
    }
  })

function writeAll(file: string, cases: readonly AttackCase[], lineOf: (one: AttackCase) => string): number {
  const handle = openSync(file, 'w')
  let bytes = 0
  try {
    for (const one of cases) {
      const line = Buffer.from(`${lineOf(one)}\n`)
      for (let from = 0; from < line.length; ) from += writeSync(handle, line, from)
      bytes += line.length
    }
  } finally {
    closeSync(handle)
  }
  return bytes
}
