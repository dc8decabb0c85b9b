import { describe, expect, test } from 'vitest'
import * as batches from './batch-operations.ts'
import { ACTS } from './fault-plan.ts'
import * as grades from './grade-operations.ts'
import type { AnyOperation } from './operation.ts'
import { recordRow, sweep } from './sweep.ts'

const slow = process.env['VERIDICT_SLOW_TESTS'] === '1'
/** For work on this harness: operations whose name has this in it, and so many points of each. */
const only = process.env['VERIDICT_FAULT_ONLY']
const MOST = Number(process.env['VERIDICT_FAULT_MOST'] ?? (slow ? 60 : 3))
if (!slow) process.stdout.write('faults: a sample of the points; VERIDICT_SLOW_TESTS=1 has most of them\n')

const ALL: readonly AnyOperation[] = [
  grades.singleGrade,
  grades.keyedGrade,
  grades.review,
  batches.batch,
  batches.openAiBatch,
  batches.anthropicBatch,
  batches.regrade,
  batches.recheck,
  batches.cancel,
  batches.resume,
]
const QUICK: readonly AnyOperation[] = [grades.singleGrade, grades.review, batches.batch, batches.openAiBatch]
const chosen = only === undefined ? (slow ? ALL : QUICK) : ALL.filter(({ name }) => name.includes(only))

describe.each(chosen)('$name', (operation) => {
  const played = ACTS.filter((act) => act !== 'none' && (act === 'kill' || operation.errors))
  test.each(slow || only !== undefined ? played : played.slice(0, 2))(
    '%s',
    async (act) => {
      const row = await sweep(operation, act, { most: MOST, at_once: 4 })
      recordRow(row)
      expect(row.wrong).toEqual([])
    },
    600_000,
  )
})
