import { expect, test } from 'vitest'
import { describeStores } from '../storage/contract.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { countOutside, everythingOutside } from './blob-tools.ts'

describePostgres('PostgreSQL, everything outside', (tools) => {
  describeStores('PostgreSQL, everything outside', async () =>
    tools().open(undefined, { blobs: await everythingOutside() }),
  )
  test('all that did lie outside', async () => {
    expect(await countOutside()).toBeGreaterThan(100)
  })
})
