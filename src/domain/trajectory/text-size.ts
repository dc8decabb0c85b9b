import type { Coverage } from '../../schemas/grade.ts'
import type { Part, Trajectory } from './trajectory.ts'

/** About how much memory a trajectory takes: UTF-16 units of its texts and pictures, and something for every step. */
export const textSize = (trajectory: Trajectory): number =>
  measureOf(trajectory)?.text ?? trajectory.steps.reduce((sum, { parts }) => parts.reduce(addPart, sum + STEP), 1000)

/** About how much of that this thread holds. */
export const heldSize = (trajectory: Trajectory): number => measureOf(trajectory)?.held ?? textSize(trajectory)

/** A picture’s base64 is kept with its part, and nothing else keeps it. */
const addPart = (sum: number, { text, picture }: Part): number => sum + text.length + (picture?.data.length ?? 0)

const STEP = 200

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

/** Of a trajectory that another thread has read: here its steps are read only where they are needed. */
export const rememberMeasure = (trajectory: Trajectory, measure: Measure): void =>
  void measures.set(trajectory, measure)

export const measureOf = (trajectory: Trajectory): Measure | undefined => measures.get(trajectory)
