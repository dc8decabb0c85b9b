import { count } from '../../domain/count.ts'
import type { Finding } from '../../ports/upkeep-ports.ts'
import { type Check, type Examined, mebibytes, ok, warning } from './examine-check.ts'

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

export const OUTSIDE_CHECKS: readonly Check[] = [{ name: 'outside', since: 6, look: lookAtOutside }]
