import { openSqliteStores } from '../../src/db/stores.ts'
import { begin, planAttempt } from './make-attempt.ts'
import { openBatch } from './make-batch.ts'

/** Run by itself: holds the run lock, a call for a batch and a call for a single grade until it is killed, or lets go on SIGTERM. */
const path = process.argv[2]
if (path === undefined) throw new Error('usage: process-holder.ts <database>')
const stores = openSqliteStores({ path })
if (stores.run_lock?.take() !== true) throw new Error('the run lock is held')
await openBatch(stores, 'bat_held', 1)
const started_at = new Date().toISOString()
await begin(stores, planAttempt('att_1', { batch: 'bat_held', reserved_usd: 2, started_at }))
await begin(stores, planAttempt('att_2', { started_at, round: 1 }))
const awake = setInterval(() => {}, 1000)
process.once('SIGTERM', () => {
  clearInterval(awake)
  void stores.close()
})
process.stdout.write('holding\n')
