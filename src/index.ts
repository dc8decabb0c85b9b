/** The library: one interface to grade in this process or at a service. docs/clients.md shows how. */

export type { Judge as JudgeView, Rubric as RubricView } from './client/contract.ts'
export * from './client/index.ts'
export { grade, type OpenOptions, openVeridict } from './library/library.ts'
