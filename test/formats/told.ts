import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'

/** What a trajectory shows, step by step: `actor: text` of each part. */
export const told = (trajectory: Trajectory): string[][] =>
  trajectory.steps.map(({ parts }) => parts.map(({ actor, text }) => `${actor}: ${text}`))

/** The texts of one actor. */
export const texts = (trajectory: Trajectory, actor: string): string[] =>
  trajectory.steps.flatMap(({ parts }) => parts.filter((part) => part.actor === actor).map(({ text }) => text))
