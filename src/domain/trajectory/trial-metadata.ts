import { MOST_FIELDS, MOST_NAME_CHARS, type TrialMetadata } from '../../schemas/grade-request.ts'
import type { Trajectory } from './trajectory.ts'

/** What the caller says of the trial; where that names no agent or no model, what the run itself says of them. */
export function metadataOf({ agent }: Trajectory, given: TrialMetadata = {}): TrialMetadata {
  const own = Object.entries({ agent: agent.name, model: agent.model }).flatMap(([field, name]) =>
    name === null || name === '' ? [] : [[field, name.slice(0, MOST_NAME_CHARS).toWellFormed()] as const],
  )
  const whole = { ...Object.fromEntries(own), ...given }
  return Object.keys(whole).length > MOST_FIELDS ? given : whole
}
