import { expect, test } from 'vitest'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { describeStores } from '../storage/contract.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { countOutside, everythingOutside } from './blob-tools.ts'

describeStores('SQLite file, everything outside', async () => {
  const stores = openSqliteStores({ path: tempDatabase(), blobs: await everythingOutside() })
  await stores.settlePlace()
  return stores
})

test('all that did lie outside', async () => {
  expect(await countOutside()).toBeGreaterThan(100)
})
