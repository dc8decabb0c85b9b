import { appendFileSync } from 'node:fs'
import type { Row } from './sweep.ts'

/** Prints a row, and keeps it for `tools/fault-table.ts`, which says where. */
export function recordRow(row: Row): void {
  const { operation, act, points, runs, met, wrong } = row
  process.stdout.write(
    `faults: ${operation}, ${act}: ${points} points, ${runs} runs, ${met} met, ${wrong.length} wrong\n`,
  )
  const file = process.env['VERIDICT_FAULT_TABLE']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`)
}
