import { count } from '../../domain/count.ts'
import type { Finding } from '../../ports/upkeep-ports.ts'
import {
  type Check,
  countIds,
  dollars,
  type Examined,
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

function* lookAtRunning(examined: Examined): Generator<Finding> {
  const { db } = examined
  const unrun = countIds(db, UNRUN, livingValue(examined))
  if (unrun.n === 0) yield ok('batches', 'every batch that should run has a process that lives')
  else
    yield warning('batches', `${count(unrun.n, 'batch', 'batches')} that no process runs`, {
      means: 'Their process has ended. Nothing is lost; they go on where they were.',
      advice: 'Start the service (`veridict serve`), which takes them over, or `veridict resume BATCH`.',
      ids: unrun.ids,
    })
  const parked = countIds(db, "SELECT id FROM batches WHERE status = 'parked' AND resumes_at IS NULL")
  if (parked.n > 0)
    yield note('batches', `${count(parked.n, 'batch', 'batches')} parked until they are resumed`, {
      means: 'Going on would only have burnt them; `veridict status BATCH` says why.',
      advice: 'Mend the reason, then `veridict resume BATCH`.',
      ids: parked.ids,
    })
}

interface Sums {
  readonly n: number
  readonly usd: number | null
}

/** Good replies that were paid for, or may have been, without a grade. Those of a process that lives may be of a grade in the making, unless their batch has ended. */
const renderOrphans = (examined: Examined): string => `
  FROM attempts
  WHERE outcome = 'ok' AND cost_usd IS NOT 0 AND NOT EXISTS (SELECT 1 FROM grades WHERE grades.id = attempts.grade_id)
    AND (${ofTheDead(examined)} ${examined.applied < 3 ? '' : OR_ENDED})`

const OR_ENDED = "OR batch IN (SELECT id FROM batches WHERE status IN ('done', 'cancelled'))"

function* lookAtOrphans(examined: Examined): Generator<Finding> {
  const { db } = examined
  const orphans = renderOrphans(examined)
  const living = livingValue(examined)
  const { n, usd } = db.prepare(`SELECT count(*) AS n, sum(cost_usd) AS usd ${orphans}`).get(living) as Sums
  if (n === 0) return yield ok('paid replies', 'every paid reply is part of a grade, or of one in the making')
  yield note('paid replies', `${count(n, 'paid reply', 'paid replies')} without a grade, ${dollars(usd)}`, {
    means:
      'Their process or their batch ended, or their batch waits, before the grade was written. They are kept; they are used, and not paid for again, when the same question is asked.',
    advice: 'Let the batch go on, or ask again: `veridict resume BATCH`, or the same command.',
    ids: countIds(db, `SELECT id ${orphans}`, living).ids,
  })
}

/** Reservations came with the processes; a call that reserved nothing cost nothing, like those of the built-in judge. */
const renderUnknown = ({ applied }: Examined): string =>
  applied < 3
    ? "SELECT count(*) AS n, NULL AS usd FROM attempts WHERE outcome = 'unknown'"
    : "SELECT count(*) AS n, sum(reserved_usd) AS usd FROM attempts WHERE outcome = 'unknown' AND reserved_usd IS NOT 0"

function* lookAtUnknown(examined: Examined): Generator<Finding> {
  const { db } = examined
  const unknown = db.prepare(renderUnknown(examined)).get() as Sums
  const sent = `SELECT id FROM attempts WHERE outcome = 'sent' AND ${ofTheDead(examined)}${examined.applied < 3 ? '' : ' AND reserved_usd IS NOT 0'}`
  const lost = countIds(db, sent, livingValue(examined))
  if (unknown.n + lost.n === 0) yield ok('unknown calls', 'no call was cut off by a crash')
  if (unknown.n > 0)
    yield note('unknown calls', `${count(unknown.n, 'call')} in flight at a crash, ${dollars(unknown.usd)} at most`, {
      means: 'They may have been paid for: they are counted as uncertain_usd, and caps hold for them too.',
      advice: 'Compare with the bill of the provider, if it matters.',
    })
  if (lost.n > 0)
    yield note('unknown calls', `${count(lost.n, 'call')} that a dead process had in flight`, {
      means: 'No process waits for their answers any more.',
      advice: 'Nothing: the next start marks them as unknown.',
      ids: lost.ids,
    })
}

/** Providers end a batch within a day. */
const LATE_MS = 25 * 60 * 60 * 1000

function* lookAtSubmissions({ db, options }: Examined): Generator<Finding> {
  const open = "SELECT coalesce(provider_id, id) AS id FROM provider_batches WHERE status IN ('recorded', 'submitted')"
  const all = countIds(db, open)
  if (all.n === 0) return yield ok('provider batches', 'nothing lies with a provider')
  const since = new Date(options.now.getTime() - LATE_MS).toISOString()
  const late = countIds(db, `${open} AND recorded_at < @since`, { since })
  if (late.n > 0)
    yield warning(
      'provider batches',
      `${late.n} of ${count(all.n, 'batch', 'batches')} at a provider, since over a day`,
      {
        means: 'Providers answer within a day; these were not fetched, or they were lost.',
        advice: 'Start the service, or resume their batch: it asks the provider before anything is sent again.',
        ids: late.ids,
      },
    )
  else
    yield note('provider batches', `${count(all.n, 'batch', 'batches')} at a provider`, {
      means: 'They are asked after while a service runs, and cost what they cost whether it does or not.',
      advice: 'Before you restore a backup that is older than these: docs/operations.md.',
      ids: all.ids,
    })
}

/** What is paid for and waits, and what a crash left. */
export const WORK_CHECKS: readonly Check[] = [
  {
    name: 'processes',
    since: 3,
    *look({ db, living }) {
      const rows = db.prepare('SELECT count(*) FROM processes').pluck().get() as number
      const dead = rows - living.size
      const found = `${count(living.size, 'process', 'processes')} in use of this file`
      if (dead <= 0) return yield ok('processes', found)
      yield note('processes', `${found}, ${dead} that ended without saying so`, {
        means: 'A crash or a kill. What they held is free; the next start takes it over.',
      })
    },
  },
  { name: 'batches', since: 3, look: lookAtRunning },
  { name: 'paid replies', since: 1, look: lookAtOrphans },
  { name: 'unknown calls', since: 1, look: lookAtUnknown },
  { name: 'provider batches', since: 3, look: lookAtSubmissions },
]
