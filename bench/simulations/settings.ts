import { AGREEMENT_SETTINGS } from './agreement.ts'
import { RATE_SETTINGS } from './rates.ts'
import type { Setting } from './simulation.ts'

/** Every line of the table, in its order: the place in this list is part of the seed. */
export const COVERAGE_SETTINGS: readonly Setting[] = [...AGREEMENT_SETTINGS, ...RATE_SETTINGS]
