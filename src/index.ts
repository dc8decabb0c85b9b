/** The library: grade in this process. docs/clients.md shows how. */
export {
  type GradedItem,
  type GradeManyOptions,
  type OpenOptions,
  type Place,
  type Veridict,
  VeridictError,
} from './library/contract.ts'
export { grade, openVeridict } from './library/open.ts'
export type { Grade } from './schemas/grade.ts'
export type { GradeOptions, GradeRequest } from './schemas/grade-request.ts'
export type { GivenTruth } from './schemas/ground-truth.ts'
export type { JudgeView } from './schemas/judge-info.ts'
export type { RubricView } from './schemas/rubric-view.ts'
