import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Stores } from '../../src/db/stores.ts'
import { describeBatches } from './contract-batches.ts'
import { describeGrades } from './contract-grades.ts'
import { describeLedger } from './contract-ledger.ts'
import { describeProvider } from './contract-provider.ts'
import { describeReserve } from './contract-reserve.ts'
import { describeDispositions, describeOverview, describeReviews } from './contract-reviews.ts'
import { describeSmallStores, describeTrajectories } from './contract-small-stores.ts'
import { describeSpending } from './contract-spending.ts'

/** The open stores of the running test. */
export type Current = () => Stores

/** What every adapter of `Stores` must do. `open` answers empty stores of its own each time. */
export function describeStores(name: string, open: () => Promise<Stores>): void {
  describe(`stores: ${name}`, () => {
    let stores: Stores
    beforeEach(async () => {
      stores = await open()
    })
    afterEach(() => stores.close())
    const current: Current = () => stores

    describeTrajectories(current)
    describeGrades(current)
    describeLedger(current)
    describeSmallStores(current)
    describeReserve(current)
    describeSpending(current)
    describeBatches(current)
    describeProvider(current)
    describeReviews(current)
    describeDispositions(current)
    describeOverview(current)

    test('check writes and may be repeated', async () => {
      await stores.settings.check()
      await expect(stores.settings.check()).resolves.toBeUndefined()
    })

    test('close may be repeated; what comes after it is refused', async () => {
      await stores.close()
      await stores.close()
      await expect(stores.settings.check()).rejects.toMatchObject({ name: 'StorageError', code: 'storage_error' })
      await expect(stores.grades.list({ limit: 1 })).rejects.toMatchObject({ code: 'storage_error' })
    })
  })
}
