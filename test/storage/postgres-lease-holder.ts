import { NO_CAPS } from '../../src/db/spending.ts'
import { openPostgresStores } from '../../src/db/stores.ts'
import { finishOk, planAttempt } from './make-attempt.ts'
import { leasesOf, takeSurely } from './postgres-lease-tools.ts'
import { SETTINGS } from './postgres-settings.ts'

/**
 * Run by itself: takes the lease `x` and begins a call under it, is stopped from outside, and says what it could still do once it goes on.
 * It asks the store whatever it knows itself.
 */
const [, , url, schema, seconds = '1'] = process.argv
if (url === undefined || schema === undefined)
  throw new Error('usage: postgres-lease-holder.ts <url> <schema> [seconds]')
const stores = await openPostgresStores({ url, schema, ...SETTINGS, lease_seconds: Number(seconds) })
const lease = await takeSurely(leasesOf(stores), 'x')
const begin = (id: string) =>
  stores.attempts.begin(planAttempt(id, { grade_id: 'grd_stalled', leases: [lease.token] }), NO_CAPS)
await begin('att_held')
process.stdout.write('holding\n')
await new Promise((resume) => process.stdin.once('data', resume))
const isLost = lease.lost.aborted
const code = await begin('att_late').then(
  () => 'begun',
  (error: unknown) => (error as { code?: string }).code,
)
await stores.attempts.finish(finishOk('att_held'))
await stores.close()
process.stdout.write(`${JSON.stringify({ isLost, code })}\n`)
process.stdin.destroy()
