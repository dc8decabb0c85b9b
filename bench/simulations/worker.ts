import { parentPort } from 'node:worker_threads'
import { COVERAGE_SETTINGS } from './settings.ts'
import { runSimulations } from './simulation.ts'

/** Simulations `from` … `to` − 1 of the setting at `place`. */
export interface Piece {
  readonly place: number
  readonly from: number
  readonly to: number
}

parentPort?.on('message', ({ place, from, to }: Piece) => {
  const setting = COVERAGE_SETTINGS[place]
  if (setting === undefined) throw new RangeError(`no setting ${place}`)
  parentPort?.postMessage({ place, tally: runSimulations(setting, place, from, to) })
})
