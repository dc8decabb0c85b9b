import type { Trajectory } from './trajectory.ts'

const known = new WeakMap<Trajectory, readonly string[]>()

/** The names of the agents of a run, in the order in which they first appear; of a run of one, its name, or `agent`. */
export function agentsOf(trajectory: Trajectory): readonly string[] {
  const read = known.get(trajectory)
  if (read !== undefined) return read
  const named = new Set(trajectory.steps.flatMap(({ agent }) => (agent === undefined ? [] : [agent])))
  const agents = named.size > 0 ? [...named] : [trajectory.agent.name ?? 'agent']
  known.set(trajectory, agents)
  return agents
}
