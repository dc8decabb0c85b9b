import { count } from '../domain/count.ts'
import { type Check, error, faultCheck, note, ok } from './examine-check.ts'

const BACKUP = 'Restore the newest backup that is whole.'

/** What the columns say beside the body is what lists and reports filter by. */
const WRONG_BODIES = `
  SELECT id FROM grades WHERE CASE WHEN json_valid(body) THEN
    body ->> '$.id' IS NOT id OR body ->> '$.status' IS NOT status OR body ->> '$.label' IS NOT label
    OR body ->> '$.receipt.key' IS NOT key OR body ->> '$.receipt.trajectory' IS NOT trajectory
  ELSE 1 END`

const WRONG_ANSWERS = `
  SELECT grade_id AS id FROM current_grades LEFT JOIN grades ON grades.id = current_grades.grade_id
  WHERE grades.id IS NULL OR grades.status = 'failed' OR grades.key <> current_grades.key`

export const GRADE_CHECKS: readonly Check[] = [
  faultCheck({
    name: 'cache',
    since: 1,
    sql: WRONG_ANSWERS,
    fine: 'every cached answer is a grade of its own key',
    wrong: (n) => `${count(n, 'cached answer')} without its grade, or with a wrong one`,
    means: 'Requests with these keys are answered wrongly, or not at all.',
    advice: BACKUP,
  }),
  faultCheck({
    name: 'grades',
    since: 1,
    onlyFull: true,
    sql: WRONG_BODIES,
    fine: 'every grade is JSON that agrees with its columns',
    wrong: (n) => `${count(n, 'grade')} whose body is damaged, or is not what its columns say`,
    means: 'Lists and reports count them as something else than what they are.',
    advice: BACKUP,
  }),
  faultCheck({
    name: 'trajectories of grades',
    since: 1,
    sql: `SELECT id FROM grades
          WHERE NOT EXISTS (SELECT 1 FROM trajectories WHERE trajectories.id = grades.trajectory)`,
    fine: 'every grade has its trajectory',
    wrong: (n) => `${count(n, 'grade')} whose trajectory is not there`,
    means: 'Their evidence cannot be shown or checked again.',
    advice: 'Upload the trajectory again (`veridict import`), or restore a backup.',
  }),
  faultCheck({
    name: 'trajectories of items',
    since: 3,
    sql: `SELECT item_id AS id FROM batch_items WHERE status IN ('pending', 'waiting')
          AND NOT EXISTS (SELECT 1 FROM trajectories WHERE trajectories.id = batch_items.trajectory)
          AND (SELECT status FROM batches WHERE batches.rowid = batch_items.batch) <> 'draft'`,
    fine: 'every open item has its trajectory',
    wrong: (n) => `${count(n, 'open item')} whose trajectory is not there`,
    means: 'They cannot be graded.',
    advice: 'Upload the trajectories again (`veridict import`), then `veridict resume BATCH`.',
  }),
  {
    name: 'rubrics',
    since: 1,
    *look({ db, options: { rubrics } }) {
      const stored = db.prepare('SELECT name, digest FROM rubrics ORDER BY name').all() as {
        name: string
        digest: string
      }[]
      const folder = new Map(rubrics.map(({ name, digest }) => [name, digest]))
      const changed = stored.filter(({ name, digest }) => (folder.get(name) ?? digest) !== digest)
      const gone = stored.filter(({ name }) => !folder.has(name))
      if (changed.length > 0)
        yield error('rubrics', `${changed.map(({ name }) => name).join(', ')}: changed under the same version`, {
          means: 'Old and new grades would look alike, so the service does not start.',
          advice: 'Restore the rubric’s folder, or copy it to a new version and change that.',
        })
      if (gone.length > 0)
        yield note('rubrics', `${gone.map(({ name }) => name).join(', ')}: in the database, but not in the folder`, {
          means: 'Its grades stay; nothing can be graded by it, and its open items park.',
          advice: 'Put its folder back if it is still needed.',
        })
      if (changed.length + gone.length === 0) yield ok('rubrics', `${count(stored.length, 'rubric')}, as in the folder`)
    },
  },
]
