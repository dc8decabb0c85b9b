import { openSqliteStores } from '../../src/db/stores.ts'
import { begin, finishOk, goodReply, planAttempt } from './make-attempt.ts'

/** Run by itself: writes calls into the given file for ever, and names each step only once it is durable. */
const path = process.argv[2]
if (path === undefined) throw new Error('usage: ledger-writer.ts <database>')
const stores = openSqliteStores({ path })
for (let number = 0; ; number++) {
  const id = `att_${String(number).padStart(6, '0')}`
  await begin(stores, planAttempt(id))
  process.stdout.write(`begun ${id}\n`)
  await stores.attempts.finish(finishOk(id, goodReply({ raw: `reply of ${id} ${'x'.repeat(3000)}` })))
  process.stdout.write(`finished ${id}\n`)
}
