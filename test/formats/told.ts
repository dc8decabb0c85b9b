import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'

/** Lists the parts of each step as `actor: text`. */
export const told = (trajectory: Trajectory): string[][] =>
  trajectory.steps.map(({ parts }) => parts.map(({ actor, text }) => `${actor}: ${text}`))

/** Lists the texts of one actor. */
export const texts = (trajectory: Trajectory, actor: string): string[] =>
  trajectory.steps.flatMap(({ parts }) => parts.filter((part) => part.actor === actor).map(({ text }) => text))
