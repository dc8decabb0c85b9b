import type { Grade } from '../schemas/grade.ts'
import { rubricIdOf } from '../schemas/vocabulary.ts'
import { type GradeFilter, meansAllVersions } from './grades.ts'

/** The names that filters compare; an absent name fits no filter. */
type Names = { readonly [K in keyof GradeFilter]: string | null | undefined }

export const namesOf = ({ label, status, receipt, metadata }: Grade): Names => {
  const { judge, rubric } = receipt
  return { ...metadata, label, status, judge, rubric }
}

export const fitsNames = (names: Names, filter: GradeFilter): boolean =>
  Object.entries(filter).every(([name, wanted]) => {
    const own = names[name as keyof GradeFilter]
    return (
      wanted === undefined ||
      own === wanted ||
      (name === 'rubric' && meansAllVersions(wanted) && own != null && rubricIdOf(own) === wanted)
    )
  })
