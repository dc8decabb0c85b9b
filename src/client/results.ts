import type { BatchResult } from './contract.ts'
import { ServiceError } from './errors.ts'

/**
 * Which results have come, so that a stream that is opened again gives none twice. They come in the order of the items, with gaps where an item
 * has not ended: what is held grows with what stands behind the first gap.
 */
export class SeenResults {
  private next = 0
  private readonly beyond = new Set<number>()

  /** How many came. */
  get count(): number {
    return this.next + this.beyond.size
  }

  /** Whether it is a new one. Throws a `ServiceError` where it is no result: without its place it could not be told from another. */
  add(result: Pick<BatchResult, 'index'>): boolean {
    const index = result?.index
    if (!Number.isSafeInteger(index) || index < 0)
      throw new ServiceError(200, {
        code: 'not_a_result',
        detail: 'a line of the results is none: is this a Veridict service?',
      })
    if (index < this.next || this.beyond.has(index)) return false
    this.beyond.add(index)
    while (this.beyond.delete(this.next)) this.next++
    return true
  }
}
