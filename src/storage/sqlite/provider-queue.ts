import type Database from 'better-sqlite3'
import type { ProviderQueue } from '../../ports/provider-ports.ts'
import type { Outside } from '../outside.ts'
import { fetchReply } from '../outside-replies.ts'
import {
  ANSWERS_OF,
  type AnswerRow,
  INSERT_REQUEST,
  MOST_PAST_ROUNDS,
  NEXT_JUDGE,
  OPEN_SUBMISSIONS,
  type PastRoundRow,
  parseAnswers,
  parseRound,
  parseSubmission,
  ROUND,
  type RoundRow,
  renderRequest,
  type SubmissionRow,
} from '../provider-rows.ts'
import { createItemGate } from './provider-items.ts'
import { createSubmissions } from './provider-submissions.ts'
import type { Spending } from './spending.ts'
import type { Unit } from './unit.ts'

const PAST_ROUNDS = `
  SELECT recorded_at, ended_at FROM provider_batches WHERE judge = ? AND status = 'ended'
  ORDER BY rowid DESC LIMIT ${MOST_PAST_ROUNDS}`

/**
 * Questions in a provider’s batch endpoint, over SQLite. A question for an item that has ended is not queued. `record`,
 * `lines` and the rest work on one submission by its id; what is asked of one that is not there changes nothing, but for
 * `markSubmitted`, which rejects.
 */
export function createProviderQueue(
  db: Database.Database,
  unit: Unit,
  spending: Spending,
  outside: Outside,
): ProviderQueue {
  const insert = db.prepare(INSERT_REQUEST)
  const answers = db.prepare(ANSWERS_OF)
  const nextJudge = db.prepare(NEXT_JUDGE).pluck()
  const openSubmissions = db.prepare(OPEN_SUBMISSIONS)
  const round = db.prepare(ROUND.replace('$1', '?'))
  const pastRounds = db.prepare(PAST_ROUNDS)
  const items = createItemGate(db)
  return {
    ...createSubmissions({ db, unit, spending, items, outside }),
    enqueue: (request, caps) =>
      unit.write(() => {
        const { planned, item } = request
        if (!items.isOpen(item)) return null
        const broken = spending.findBroken(planned, planned.reserved_usd, caps)
        if (broken !== null) return broken
        insert.run(renderRequest(request))
        spending.add(planned, { reserved_usd: planned.reserved_usd ?? 0 })
        items.wait(item)
        return null
      }),
    async find(question) {
      const [newest, ...older] = await unit.read(() => answers.all({ ...question }) as AnswerRow[])
      return newest === undefined ? null : parseAnswers([await fetchReply(outside, newest), ...older])
    },
    queuedJudges: (batch) =>
      unit.read(() => {
        const judges: string[] = []
        // One step a judge: reading all that is queued would be a walk over the batch.
        for (let judge = nextJudge.get(batch, ''); judge !== undefined; judge = nextJudge.get(batch, judge))
          judges.push(judge as string)
        return judges
      }),
    round: (batch) =>
      unit.read(() => {
        const row = round.get(batch) as RoundRow
        return parseRound(row, pastRounds.all(row.judge) as PastRoundRow[])
      }),
    listOpen: (batch) => unit.read(() => (openSubmissions.all(batch) as SubmissionRow[]).map(parseSubmission)),
  }
}
