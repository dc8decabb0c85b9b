/** The library: one interface to grade in this process or at a service. docs/clients.md shows how. */
export * from './client/index.ts'
export { grade, type OpenOptions, openVeridict } from './library/library.ts'
export type { RubricView } from './schemas/rubric.ts'
export type { GradeOptions } from './schemas/trial.ts'
export type { JudgeView } from './schemas/views.ts'
