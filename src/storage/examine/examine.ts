import { setImmediate as turn } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import type { ExamineOptions, Finding } from '../../ports/upkeep-ports.ts'
import { livingProcesses } from '../process-registry.ts'
import { openToRead } from '../read-file.ts'
import { toStorageError } from '../storage-error.ts'
import { type Check, type Examined, error } from './examine-check.ts'
import { CONTENT_CHECKS } from './examine-content.ts'
import { FILE_CHECKS, lookAtFile, OUTSIDE } from './examine-file.ts'
import { judgeSchema, readSchema, STRUCTURE_CHECKS } from './examine-schema.ts'
import { WORK_CHECKS } from './examine-work.ts'

const CHECKS: readonly Check[] = [...STRUCTURE_CHECKS, ...FILE_CHECKS, ...WORK_CHECKS, OUTSIDE, ...CONTENT_CHECKS]

/**
 * All looks at one database, in the order in which a person wants to read them. Opens it for reading only, beside a service that
 * writes; each look is a reading of its own, so that no look but the integrity check holds the log back for long. Nothing is
 * thrown for what the file holds: a look that fails is itself a finding.
 */
export async function* examineDatabase(options: ExamineOptions): AsyncGenerator<Finding> {
  yield* lookAtFile(options)
  let db: Database.Database
  try {
    db = openToRead(options.path)
  } catch (failure) {
    return yield cannotOpen(failure)
  }
  try {
    const schema = readSchema(db)
    yield judgeSchema(schema)
    if (schema.applied === 0) return
    const examined: Examined = { db, options, applied: schema.applied, living: livingProcesses(db, options.now) }
    for (const check of CHECKS) {
      if (check.since > schema.applied) continue
      yield* settle(check, examined)
      await turn()
    }
  } catch (failure) {
    yield cannotOpen(failure)
  } finally {
    db.close()
  }
}

async function* settle(check: Check, examined: Examined): AsyncGenerator<Finding> {
  try {
    yield* check.look(examined)
  } catch (failure) {
    yield error(check.name, `could not be looked at: ${told(failure)}`, {
      means: 'This part of the file cannot be read.',
      advice: 'Run with --full; where the integrity check fails too, restore a backup.',
    })
  }
}

const cannotOpen = (failure: unknown): Finding =>
  error('open', told(failure), {
    means: 'Nothing of the database can be looked at.',
    advice:
      'Is the path right, and may this user read the file and write into its folder? A damaged file: restore a backup.',
  })

function told(failure: unknown): string {
  const shown = toStorageError(failure)
  return shown instanceof Error ? shown.message : 'unknown error'
}
