import type { Coverage } from '../../schemas/grade.ts'
import type { Trajectory } from './trajectory.ts'

/** What is asked of a trajectory more often than its steps. */
export interface Measure {
  /** `textSize` */
  readonly text: number
  /** `fullCoverage` */
  readonly coverage: Coverage
  /** Whether the work on it holds others up. */
  readonly large: boolean
  /** Bytes that this thread holds of it. */
  readonly held: number
}

const measures = new WeakMap<Trajectory, Measure>()

/** Of a trajectory that another thread has read: here its steps are read only where somebody asks for them. */
export const rememberMeasure = (trajectory: Trajectory, measure: Measure): void =>
  void measures.set(trajectory, measure)

export const measureOf = (trajectory: Trajectory): Measure | undefined => measures.get(trajectory)
