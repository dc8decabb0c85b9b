import type { Grade } from '../schemas/grade.ts'
import type { GradeFilter } from './grade-ports.ts'

/** What filters compare; a name that there is not fits no filter. */
type Names = { readonly [K in keyof GradeFilter]: string | null | undefined }

export const namesOf = ({ label, status, receipt, metadata }: Grade): Names => {
  const { judge, rubric } = receipt
  return { ...metadata, label, status, judge, rubric }
}

export const fitsNames = (names: Names, filter: GradeFilter): boolean =>
  Object.entries(filter).every(([name, wanted]) => wanted === undefined || names[name as keyof GradeFilter] === wanted)
