import { count } from '../domain/count.ts'
import type { Finding } from '../grading/upkeep-ports.ts'
import {
  type Check,
  countIds,
  type Examined,
  faultCheck,
  livingValue,
  note,
  ofTheDead,
  ok,
  warning,
} from './examine-check.ts'

const UNRUN = `
  SELECT id FROM batches WHERE (
    status IN ('running', 'cancelling') OR (status = 'parked' AND resumes_at IS NOT NULL)
  ) AND ${ofTheDead({ applied: 3 })}`

/** Items as they are, against the tallies that the triggers keep. `pending` has none. */
const WRONG_TALLIES = `
  WITH counted AS (
    SELECT batch, status, coalesce(label, failure_code, '') AS detail, cached, count(*) AS n
    FROM batch_items WHERE status <> 'pending' GROUP BY 1, 2, 3, 4
  ), wrong AS (
    SELECT * FROM (SELECT * FROM counted EXCEPT SELECT batch, status, detail, cached, n FROM batch_tallies WHERE n <> 0)
    UNION ALL
    SELECT * FROM (SELECT batch, status, detail, cached, n FROM batch_tallies WHERE n <> 0 EXCEPT SELECT * FROM counted)
  )
  SELECT DISTINCT coalesce((SELECT id FROM batches WHERE rowid = wrong.batch), 'row ' || batch) AS id FROM wrong`

const WRONG_TOTALS = `
  SELECT id FROM batches WHERE total <> (SELECT count(*) FROM batch_items WHERE batch = batches.rowid)`

const ENDED_WITH_OPEN_ITEMS = `
  SELECT id FROM batches WHERE status IN ('done', 'cancelled') AND EXISTS (
    SELECT 1 FROM batch_items WHERE batch = batches.rowid AND status IN ('pending', 'waiting')
  )`

const RECOUNT =
  'Run `veridict doctor --full`, keep a copy of the file, and report it: no known way leads here but an edited file.'

function* lookAtRunning(examined: Examined): Generator<Finding> {
  const { db } = examined
  const unrun = countIds(db, UNRUN, livingValue(examined))
  if (unrun.n === 0) yield ok('batches', 'every batch that should run has a process that lives')
  else
    yield warning('batches', `${count(unrun.n, 'batch', 'batches')} that nobody runs`, {
      means: 'Their process has ended. Nothing is lost; they go on where they were.',
      advice: 'Start the service (`veridict serve`), which takes them over, or `veridict resume BATCH`.',
      ids: unrun.ids,
    })
  const parked = countIds(db, "SELECT id FROM batches WHERE status = 'parked' AND resumes_at IS NULL")
  if (parked.n > 0)
    yield note('batches', `${count(parked.n, 'batch', 'batches')} parked until somebody says go on`, {
      means: 'Going on would only have burnt them; `veridict status BATCH` says why.',
      advice: 'Mend the reason, then `veridict resume BATCH`.',
      ids: parked.ids,
    })
}

function* lookAtDrafts(examined: Examined): Generator<Finding> {
  const sql = `SELECT id FROM batches WHERE status = 'draft' AND ${ofTheDead(examined)}`
  const { n, ids } = countIds(examined.db, sql, livingValue(examined))
  if (n === 0) return yield ok('drafts', 'no draft was left behind')
  yield note('drafts', `${count(n, 'draft')} of processes that have ended`, {
    means: 'Batches that were still being sent: nobody was told that they were taken.',
    advice: 'Nothing: the next start of the service throws them away.',
    ids,
  })
}

export const BATCH_CHECKS: readonly Check[] = [
  { name: 'batches', since: 3, look: lookAtRunning },
  { name: 'drafts', since: 3, look: lookAtDrafts },
  faultCheck({
    name: 'tallies',
    since: 3,
    sql: WRONG_TALLIES,
    fine: 'the counts of every batch are those of its items',
    wrong: (n) => `${count(n, 'batch', 'batches')} whose counts are not those of their items`,
    means: 'Status and reports of these batches say wrong numbers.',
    advice: RECOUNT,
  }),
  faultCheck({
    name: 'totals',
    since: 3,
    sql: WRONG_TOTALS,
    fine: 'every batch has as many items as it says',
    wrong: (n) => `${count(n, 'batch', 'batches')} with more or fewer items than their total`,
    means: 'Items are missing, or too many.',
    advice: RECOUNT,
  }),
  faultCheck({
    name: 'ends',
    since: 3,
    sql: ENDED_WITH_OPEN_ITEMS,
    fine: 'no batch has ended before its items',
    wrong: (n) => `${count(n, 'batch', 'batches')} that ended with open items`,
    means: 'Some items of these batches will never be graded.',
    advice: `${RECOUNT} The same \`veridict batch\` command with --new grades the rest.`,
  }),
  faultCheck({
    name: 'item grades',
    since: 3,
    sql: `SELECT item_id AS id FROM batch_items
          WHERE grade_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM grades WHERE grades.id = batch_items.grade_id)`,
    fine: 'every ended item has its grade',
    wrong: (n) => `${count(n, 'item')} whose grade is not there`,
    means: 'Their results name grades that cannot be shown.',
    advice: 'Restore a backup from before, or grade them again with --new.',
  }),
]
