import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { UsageError, wholeNumber, withFile } from '../../tools/command-line.ts'
import { ATTACK_CLASSES, type AttackCase, type AttackClass } from './attack-case.ts'
import { allCases, sliceOf } from './catalogue.ts'

/** Part of the suite that another judge is given: some classes, or all (null), and one case in `every`. */
export interface Part {
  readonly classes: readonly AttackClass[] | null
  readonly every: number
}
export const WHOLE: Part = { classes: null, every: 1 }

/** Reads the names of a list, comma-separated, and refuses an unknown name; null where the option was not given. */
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

/**
 * Lists the cases of a part in the order of the catalogue, without those whose instructions stand in a picture, which the suite does not hold. The
 * cases without an attack always come along: without them, an answer to the others says nothing.
 */
export function exportedCases({ classes, every }: Part): AttackCase[] {
  const all = allCases().filter(({ surface }) => surface !== 'media')
  const sliced = new Set(sliceOf(all, every))
  const isOf = (one: AttackCase) => sliced.has(one) && (classes === null || classes.includes(one.attack))
  return all.filter((one) => one.attack === 'control' || isOf(one))
}

/** Writes a case as a line of `--export`: its name, what a judge is shown, and the true label. */
export const exportLine = (one: AttackCase): string =>
  JSON.stringify({
    ...{ name: one.name, class: one.attack, limit: one.limit, truth: one.truth, target: one.target },
    ...{ trajectory: one.trajectory(), ground_truth: one.ground_truth },
  })

/** Member of the metadata that carries the name of a case through a batch: the name says the truth, and no judge is shown metadata. */
export const CASE_FIELD = 'attack_case'

/** Writes a case as a line that `veridict batch` and `POST /v1/batches` take. */
export const requestLine = (one: AttackCase): string =>
  JSON.stringify({
    ...{ item_id: one.name, trajectory: one.trajectory(), ground_truth: one.ground_truth },
    metadata: { [CASE_FIELD]: one.name },
  })

/** Writes lines to a file that has its name once the file is whole, or at once to a device or a pipe; answers the count of bytes. */
export const writeLines = (file: string, lines: readonly string[]): number =>
  withFile(file, () => {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? true
    const partial = isFile ? `${file}.partial` : file
    try {
      writeFileSync(partial, bytes)
      if (isFile) renameSync(partial, file)
    } finally {
      if (isFile) rmSync(partial, { force: true })
    }
    return bytes.length
  })
