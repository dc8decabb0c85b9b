import { statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { count } from '../../domain/count.ts'
import type { ExamineOptions, Finding } from '../../ports/upkeep-ports.ts'
import { type Check, type Examined, mebibytes, note, ok, warning } from './examine-check.ts'

/** Below this a batch of some thousand trajectories may fill the disk. */
const LEAST_FREE = 256 * 1024 * 1024

/** What can be said of the file before it is opened. Yields nothing for a file that is not there: opening it says so. */
export function* lookAtFile({ path }: ExamineOptions): Generator<Finding> {
  const file = statSync(path, { throwIfNoEntry: false })
  if (file?.isFile() !== true) return
  const { bavail, bsize } = statfsSync(dirname(resolve(path)))
  yield judgeSpace({ free: bavail * bsize, size: file.size, wal: logBytes(path) })
}

/** Keys came with this migration. */
const KEYS_SINCE = 5

export const FILE_CHECKS: readonly Check[] = [
  {
    name: 'permissions',
    since: 0,
    *look({ db, applied, options }) {
      const keys = applied < KEYS_SINCE ? 0 : (db.prepare('SELECT count(*) FROM api_keys').pluck().get() as number)
      yield judgeMode(statSync(options.path).mode, keys > 0)
    },
  },
  {
    name: 'log',
    since: 0,
    *look({ options }) {
      yield judgeLog(logBytes(options.path))
    },
  },
]

const logBytes = (path: string): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0

/** A log that a calm service keeps is below 4 MiB: it is written back after every thousand pages. */
const BIG_LOG = 64 * 1024 * 1024

export function judgeLog(bytes: number): Finding {
  const found = `the log has ${mebibytes(bytes)}`
  if (bytes <= BIG_LOG) return ok('log', found)
  return warning('log', found, {
    means:
      'A reading that does not end keeps the log from being written back: a shell of sqlite3, a backup, a stuck command.',
    advice: 'End that (`lsof` on the -shm file names who has it open), and look again in a minute.',
  })
}

/** The file holds trajectories, and secrets: digests of keys, and the service’s own for its frame marks. */
export function judgeMode(mode: number, hasKeys: boolean): Finding {
  const bits = (mode & 0o777).toString(8)
  const advice = 'chmod 600 the file, and 700 its folder: its log and its copies are as readable as it is.'
  if ((mode & 0o002) !== 0)
    return warning('permissions', `everybody on this machine may write the file (mode ${bits})`, {
      means: 'Everybody who may log in can change grades and keys.',
      advice,
    })
  if ((mode & 0o004) === 0) return ok('permissions', `not for everybody (mode ${bits})`)
  const means = 'It holds every trajectory and grade, and the secret that makes frame marks unknown to their writers.'
  const found = `everybody on this machine may read the file (mode ${bits})`
  return hasKeys
    ? warning('permissions', found, {
        means: `${means} It has keys: whose they are, and the digests of their secrets.`,
        advice,
      })
    : note('permissions', found, { means, advice })
}

/** All in bytes. Writing the log back may grow the file by as much as the log holds. */
export function judgeSpace({ free, size, wal }: { free: number; size: number; wal: number }): Finding {
  const found = `${mebibytes(free)} free, the file has ${mebibytes(size)}, its log ${mebibytes(wal)}`
  if (free < LEAST_FREE + wal)
    return warning('space', found, {
      means: 'A full disk ends every write: the service answers 503 storage_full until there is room again.',
      advice: 'Make room, or move the database (stop the service, move the file, set VERIDICT_DATABASE).',
    })
  if (free < size + wal)
    return note('space', found, {
      means: 'A backup has no room on this disk.',
      advice: 'Back up to another disk.',
    })
  return ok('space', found)
}

const SUMS = `
  SELECT count(*) AS n, coalesce(sum(outside_bytes), 0) AS bytes FROM (
    SELECT outside_bytes FROM trajectories WHERE outside_bytes IS NOT NULL
    UNION ALL SELECT outside_bytes FROM attempts WHERE outside_bytes IS NOT NULL
  )`

/** How much lies outside of the file, and whether it can be had; whether it is whole is seen with the documents themselves. */
function* lookAtOutside({ db, options }: Examined): Generator<Finding> {
  const { n, bytes } = db.prepare(SUMS).get() as { readonly n: number; readonly bytes: number }
  if (n === 0) return yield ok('outside', 'all data is in the file')
  const place = db.prepare('SELECT place FROM blob_places ORDER BY rowid DESC LIMIT 1').pluck().get() as
    | string
    | undefined
  const found = `${count(n, 'document')} of ${mebibytes(bytes)} outside of the file, at ${place ?? 'an unknown place'}`
  if (options.blobs && options.blobs.place === place) return yield ok('outside', found)
  yield warning('outside', found, {
    means: options.blobs
      ? `VERIDICT_BLOBS is ${options.blobs.place}: they were looked for there.`
      : 'They are in no copy of this file, and were not looked at.',
    advice: `Set VERIDICT_BLOBS=${place ?? 's3://bucket/prefix'} and the credentials for it, and look again (docs/blobs.md).`,
  })
}

/** What lies outside of the file. */
export const OUTSIDE: Check = { name: 'outside', since: 6, look: lookAtOutside }
