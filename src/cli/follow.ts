import { isSettled, waitsForWorker, waitsForYou } from '../client/persist.ts'
import { count } from '../domain/words.ts'
import type { Batch, BatchEstimate } from '../schemas/batch.ts'
import type { Options } from './options.ts'
import { type Shown, summary, writeResults } from './output/results-format.ts'
import { doneOf, retryTime } from './output/screen.ts'
import { dollars, line, oneLine, present } from './output/text.ts'
import type { Answer, Session } from './session.ts'
import { CliError, EXIT, exitOfCounts, strictCode } from './shell.ts'

type ResultOptions = Pick<Options, 'strict' | 'detach'> & Pick<Shown, 'values' | 'skipped'>

export async function finishBatch(session: Session, begun: Batch, options: ResultOptions = {}): Promise<Answer> {
  if (options.detach !== true) return writeEnds(session, await watchBatch(session, begun), options)
  return { data: begun, text: `${begun.id}\n`, notes: [`Follow: veridict status ${begun.id}${session.flag} --follow`] }
}

/** Writes the results that a batch has; the notes tell what is open. `follows`: the command waited for the batch. */
export async function writeEnds(session: Session, batch: Batch, options: ResultOptions, follows = true) {
  const { values, skipped = 0 } = options
  const { veridict, shell, screen, format, flag, signal, json } = session
  const claims = format === 'csv' ? await claimColumns(session, batch.id) : []
  const ended = veridict.results(batch.id, { signal })
  const { tally, results, note } = await writeResults(session, ended, batch, { claims, skipped, values })
  const isElsewhere = !json && (format !== 'table' || screen !== shell.out)
  const text = present([summary(batch, tally, skipped), note]).join('\n')
  const open = batch.counts.total - doneOf(batch.counts)
  const isResting = restsFor(session, batch, follows)
  const wait = isResting || isOrphan(session, batch) ? '' : `: veridict results ${batch.id}${flag} --wait`
  const notes = [
    isElsewhere ? `${batch.id}: ${text.replaceAll('\n', '\n  ')}` : '',
    open > 0 ? `${count(open, 'item')} not ended (${stateOf(session, batch)})${wait}` : '',
    restText(session, batch),
    overBudgetText(batch),
  ]
  const code = isResting ? EXIT.parked : strictCode(exitOfCounts(batch.counts), options, tally.unread.items + skipped)
  return { data: { batch, results }, notes, code }
}

export async function claimColumns({ veridict, signal }: Session, id: string): Promise<string[]> {
  const rubrics = await veridict.batchRubrics(id, { signal })
  return [...new Set(rubrics.flatMap(({ claims }) => claims.map((claim) => claim.id)))]
}

/** A worker that is started again announces its judges within this time, and a service takes the run lock. */
const PATIENCE_S = 20

/** Reads a batch that another process may run; with `follow` to its end, unless no process runs the batch. */
export async function lookAt(session: Session, id: string, follow = false): Promise<Batch> {
  const first = await session.veridict.batch(id, { signal: session.signal })
  session.follows = true
  return follow && !isOrphan(session, first) ? watchBatch(session, first) : first
}

/** Shows the states of a batch, and returns the last state. The command leaves a batch that no process runs, after the patience above. */
export async function watchBatch(session: Session, begun: Batch): Promise<Batch> {
  const { veridict, local, signal, view, follows } = session
  session.batch = begun
  const leaving = new AbortController()
  let idle = 0
  let batch = begun
  const elsewhere = `${begun.id}: another process runs the batches of this database (a service, or a worker); this command follows it`
  if (local?.runsElsewhere() === true && !isSettled(begun)) view.note(elsewhere)
  const watch = setInterval(() => {
    // A command that may run its batch takes the run lock itself, once it is free.
    idle = waitsForWorker(batch) || (follows && isOrphan(session, batch)) ? idle + 1 : 0
    if (idle >= PATIENCE_S) leaving.abort()
  }, 1000)
  const stopped = AbortSignal.any([signal, leaving.signal])
  try {
    for await (batch of veridict.events(begun.id, { signal: stopped })) {
      session.batch = batch
      view.show(batch)
    }
  } catch (error) {
    if (!leaving.signal.aborted || signal.aborted) throw error
  } finally {
    clearInterval(watch)
  }
  view.end()
  return batch
}

/** Follows a batch to its end. Throws for a batch that has not ended: it waits for the user, or for a worker. */
export async function watchToEnd(session: Session, begun: Batch): Promise<Batch> {
  const batch = await watchBatch(session, begun)
  if (isEnded(batch)) return batch
  const rest = restText(session, batch) || `${batch.id} has not ended`
  const [message = '', ...advice] = rest.split('\n  ')
  throw new CliError(message, advice, EXIT.parked, 'parked')
}

export const isEnded = ({ status }: Batch): boolean => status === 'done' || status === 'cancelled'

/** Tells whether no process runs an open batch. */
export const isOrphan = ({ local }: Pick<Session, 'local'>, batch: Batch): boolean =>
  !isSettled(batch) && local?.hasRunner() === false

/** Renders the state of a batch. A database stores no state of an interrupted batch: its run lock is free. */
export const stateOf = (session: Pick<Session, 'local'>, batch: Batch): string =>
  batch.status === 'running' && isOrphan(session, batch) ? 'interrupted' : batch.status

/** Tells whether a command that looks at the batch exits as parked. `follows`: a batch that no process runs counts, too. */
export const restsFor = (session: Session, batch: Batch, follows: boolean): boolean =>
  waitsForYou(batch) || waitsForWorker(batch) || (follows && isOrphan(session, batch))

/** Renders the reason why a batch rests, the time of the next try, and the command that goes on; empty for a batch that goes on. */
export function restText(session: Session, batch: Batch): string {
  const { id, status, resumes_at, parked_reason } = batch
  const resume = `veridict resume ${id}${session.flag}`
  const reason = oneLine(parked_reason ?? 'no reason given')
  if (waitsForYou(batch)) return `parked: ${reason}\n  Nothing is lost. Once the cause is mended, go on: ${resume}`
  if (status === 'parked' && resumes_at !== null)
    return `parked: ${reason}
  Nothing is lost: a running service tries again by itself ${retryTime(resumes_at)}.
  Sooner, or without a service: ${resume}`
  if (waitsForWorker(batch))
    return `${reason}
  Nothing is lost: the batch goes on by itself once \`veridict serve\` or \`veridict worker\` runs on this database with the judge.`
  return isOrphan(session, batch) ? `no process runs this batch: go on with \`${resume}\`` : ''
}

/** Renders the count of items over the budget, and the command that grades them. A cap parks no batch: such items have ended. */
export function overBudgetText({ failures, max_cost_usd }: Batch): string {
  const over = failures['budget_exceeded'] ?? 0
  if (over === 0) return ''
  const cap = max_cost_usd === null ? 'of the key or the day' : `--max-cost-usd ${max_cost_usd}`
  return `${count(over, 'item')} over the cap (${cap}): the same command grades them once the cap is higher`
}

/** Answers a dry run with its estimate, for people or as a JSON line. Names the judge without a price, and the variable that a judge lacks. */
export async function estimateAnswer(session: Session, estimate: BatchEstimate, judge?: string): Promise<Answer> {
  // A key that may only grade lists no judge, and gets its estimate all the same.
  const listed = session.veridict.listJudges().catch(() => ({ items: [], not_configured: [] }))
  const { items, not_configured = [] } = await listed
  const asked = items.find((one) => (judge === undefined ? one.default : one.name === judge))
  const lack = not_configured.find(({ name }) => name === asked?.name)
  const unpriced = asked?.price === null && asked.kind === 'model' ? `the judge ${asked.name}` : 'a judge of the batch'
  const { calls, input_tokens, output_tokens, cost_usd } = estimate
  const cost = cost_usd === null ? `unknown: ${unpriced} has no price in VERIDICT_CONFIG` : figures(cost_usd, dollars)
  const text = `\
${count(estimate.items, 'item')}: ${estimate.cached} answered by stored grades, replies or equal items, ${estimate.to_grade} to ask a judge
  calls          ${figures(calls)}
  input tokens   ${figures(input_tokens)}
  output tokens  ${figures(output_tokens)}
  cost           ${cost}
No judge was asked. The upper bound is for all repairs of all items; --max-cost-usd reserves one call at a time.
`
  return {
    data: estimate,
    text: ['ndjson', 'csv', 'json'].includes(session.format) ? line(estimate) : text,
    notes: [lack === undefined ? '' : `to ask the judge ${lack.name}, ${lack.reason}`],
  }
}

const { format: short } = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

function figures({ expected, most }: BatchEstimate['calls'], show: (n: number) => string = short): string {
  const [usual, bound] = [show(expected), show(most)]
  return usual === bound ? bound : `expected ${usual}, at most ${bound}`
}
