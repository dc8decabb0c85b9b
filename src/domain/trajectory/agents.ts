import type { Trajectory } from './trajectory.ts'

const known = new WeakMap<Trajectory, readonly string[]>()

/** The names of the agents of a run of several, in the order in which they first appear; none where the record does not say. */
export function agentsOf(trajectory: Trajectory): readonly string[] {
  const agents = known.get(trajectory) ?? [
    ...new Set(trajectory.steps.flatMap(({ agent }) => (agent === undefined ? [] : [agent]))),
  ]
  known.set(trajectory, agents)
  return agents
}
