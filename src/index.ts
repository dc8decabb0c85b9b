/** The library: one interface to grade in this process or at a service. docs/clients.md shows how. */
export { ServiceError, UnreachableError } from './client/errors.ts'
export { grade, type OpenOptions, openVeridict } from './library/open.ts'
export { remote } from './library/remote.ts'
export {
  type CreateOptions,
  type GradedItem,
  type GradeManyOptions,
  type LocalVeridict,
  type Place,
  type Veridict,
  VeridictError,
} from './library/veridict.ts'
export type { Batch, BatchItem, BatchResult } from './schemas/batch.ts'
export type { Grade } from './schemas/grade.ts'
export type { RubricView } from './schemas/rubric.ts'
export type { GivenTruth, GradeOptions, GradeRequest } from './schemas/trial.ts'
export type { JudgeView } from './schemas/views.ts'
