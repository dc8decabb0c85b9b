import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { UsageError, withFile } from '../../tools/command-line.ts'
import type { AttackCase } from './attack-case.ts'

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

export interface Written {
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
