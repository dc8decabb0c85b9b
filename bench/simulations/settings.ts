import { AGREEMENT_SETTINGS } from './agreement.ts'
import { RATE_SETTINGS } from './rates.ts'
import { runSimulations, type Setting, type Tally } from './simulation.ts'

/** Every line of the table, in its order: the place in this list is part of the seed. */
export const COVERAGE_SETTINGS: readonly Setting[] = [...AGREEMENT_SETTINGS, ...RATE_SETTINGS]

/** Simulations `from` … `to` − 1 of the setting at `place`. */
export interface Piece {
  readonly place: number
  readonly from: number
  readonly to: number
}

/** Runs a piece; its draws depend on its seeds alone. */
export function runPiece({ place, from, to }: Piece): Tally {
  const setting = COVERAGE_SETTINGS[place]
  if (setting === undefined) throw new RangeError(`no setting ${place}`)
  return runSimulations(setting, place, from, to)
}
