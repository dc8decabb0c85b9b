import type { Clash } from '../../domain/disagreement-score.ts'

/** A clash with its sentence, which is only written for what is shown. */
export interface FoundClash extends Clash {
  readonly say: () => string
}
