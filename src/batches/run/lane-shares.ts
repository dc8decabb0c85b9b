import type { Lane } from '../../asking/lane/lane.ts'

/** The lanes that one run of a batch calls through, and its share of them. */
export class LaneShares {
  private readonly batch: string
  private readonly onChange: () => void
  private readonly lanes = new Map<Lane, () => void>()

  constructor(batch: string, onChange: () => void) {
    this.batch = batch
    this.onChange = onChange
  }

  use(lane: Lane): void {
    if (!this.lanes.has(lane)) this.lanes.set(lane, lane.onChange(this.onChange))
  }

  /** Items to keep in flight; one at least: only asking shows whether a judge that was out is there again. */
  wanted(): number {
    let sum = 0
    for (const lane of this.lanes.keys()) sum += lane.wanted(this.batch)
    return Math.max(1, sum)
  }

  leave(): void {
    for (const [lane, stopListening] of this.lanes) {
      stopListening()
      lane.forget(this.batch)
    }
  }
}
