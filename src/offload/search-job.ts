import type { ReadLimits } from '../formats/common/reading.ts'

export interface SearchJob {
  /** The document as it is stored. */
  readonly packed: Uint8Array
  readonly limits: ReadLimits
  readonly text: string
  /** Steps with the text after which the search ends. */
  readonly most: number
}
