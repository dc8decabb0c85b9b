import { claimIdOf } from '../domain/rubric/claims.ts'
import { decodeCursor, type QueueQuery, takePage } from '../schemas/queries.ts'
import { DISAGREEMENT_KINDS, type Disagreement, type DisagreementKind } from '../schemas/review.ts'
import { type Clash, differingClaims, FIND_CLASHES, readVerdicts, type Verdicts } from './clashes.ts'
import { type AuditContext, requireNames } from './names.ts'
import { agreedLabel } from './reviews.ts'
import { inTurns, type QuestionRow } from './trials.ts'

type Terms = Omit<Clash, 'why'>

/** Scores one clash of a kind by our own weights: each term only orders ties of the term before, but a claim counts as two levels of confidence. */
export function scoreClash(kind: DisagreementKind, clash: Terms) {
  const terms = {
    // Kinds are ten apart, and all other terms stay below ten in sum, so that kinds never mix in the order.
    kind: 10 * (DISAGREEMENT_KINDS.length - DISAGREEMENT_KINDS.indexOf(kind)),
    claims: 2 * Math.min(3, clash.distance),
    confidence: clash.confidence,
    votes: Math.round(Math.min(1, Math.max(0, clash.votes)) * 1000) / 1000,
  }
  // In thousandths: sums of fractions would not compare equal after a way through text.
  const millis = Math.round((terms.kind + terms.claims + terms.confidence + terms.votes) * 1000)
  return { millis, terms }
}

/** Returns the clash with the highest score among those of one kind, the first of equals; null without clashes. */
export function mostTelling<Of extends Terms>(kind: DisagreementKind, clashes: readonly Of[]) {
  const all = clashes.map((clash) => ({ clash, scored: scoreClash(kind, clash) }))
  const most = Math.max(...all.map(({ scored }) => scored.millis))
  return all.find(({ scored }) => scored.millis === most) ?? null
}

/** A place in the queue, with the question under its rubric: the next page begins behind it, even where earlier questions were added or removed. */
type QueuePlace = Readonly<{ millis: number; question: string }>

/** Orders the queue: the higher score first; ties by the question's digests, which never change. */
const compareQueued = (one: QueuePlace, other: QueuePlace): number =>
  other.millis - one.millis || (one.question < other.question ? -1 : one.question > other.question ? 1 : 0)

/** A question in the queue. `clashes`: the highest clash of each kind that occurs; `first`: the most telling of them. */
type Queued = QueuePlace &
  Readonly<{ verdicts: Verdicts; row: QuestionRow; clashes: TellingClash[]; first: TellingClash }>

/** The form of a cursor: `{thousandths of the score}/{question}/{rubric}`. */
const CURSOR = /^(\d{1,6})\/(sha256:[0-9a-f]{64}\/sha256:[0-9a-f]{64}\/[a-z][a-z0-9-]*)$/

/** Finds the disagreements of the review queue, the most telling first, each with its place in the queue. */
export async function findDisagreements(context: AuditContext, query: QueueQuery) {
  const { limit: _limit, format: _format, cursor, ...asked } = query
  await requireNames(context, asked)
  const [, millis, question = ''] = CURSOR.exec(decodeCursor(cursor, CURSOR) ?? '') ?? []
  return readDisagreements(context, asked, millis === undefined ? null : { millis: Number(millis), question })
}

/** Lists one page of the review queue. */
export async function listDisagreements(context: AuditContext, query: QueueQuery) {
  const found = await findDisagreements(context, query)
  const page = await takePage(found, query.limit ?? 50, ({ place }) => `${place.millis}/${place.question}`)
  return { ...page, items: page.items.map(({ disagreement }) => disagreement) }
}

/** Yields all questions with a disagreement behind a place, the highest score first, each written on request. */
async function* readDisagreements(context: AuditContext, asked: QueueQuery, after: QueuePlace | null) {
  const { kind, claim, settled, ...filter } = asked
  const queue: Queued[] = []
  const read = readVerdicts(context, filter, claim ? claimIdOf(claim) : null)
  for await (const { subject: question, row, verdicts } of read) {
    const clashes = tellingClashes(verdicts)
    const [first] = clashes
    if (first === undefined) continue
    const queued = { millis: first.scored.millis, question, verdicts, row, clashes, first }
    const isAsked =
      (kind === undefined || clashes.some((clash) => clash.kind === kind)) &&
      (settled === undefined || settled === (agreedLabel(verdicts.reviews) !== undefined)) &&
      (verdicts.claim === null || differingClaims(verdicts).some((differing) => differing.claim === verdicts.claim))
    if (isAsked && (after === null || compareQueued(queued, after) > 0)) queue.push(queued)
  }
  for await (const place of inTurns(queue.sort(compareQueued))) yield { disagreement: describe(place), place }
}

type TellingClash = ReturnType<typeof tellingClashes>[number]

const tellingClashes = (verdicts: Verdicts) =>
  DISAGREEMENT_KINDS.flatMap((kind) => {
    const most = mostTelling(kind, FIND_CLASHES[kind](verdicts))
    return most === null ? [] : [{ kind, ...most }]
  })

function describe({ verdicts, row, clashes, first }: Queued): Disagreement {
  const { question, rubric, agent, model, task, trial } = row
  const [trajectory = '', ground_truth = ''] = question.split('/')
  const { millis, terms } = first.scored
  const score = `Score ${millis / 1000} = ${terms.kind} (${first.kind}) + ${terms.claims} (deciding claims apart) + ${terms.confidence} (confidence) + ${terms.votes} (votes).`
  return {
    ...{ trajectory, ground_truth, rubric, agent, model, task, trial },
    kinds: clashes.map(({ kind }) => kind),
    score: millis / 1000,
    terms,
    why: [...clashes.map(({ clash }) => clash.why), score],
    grades: verdicts.opinions.map(({ id, vote_share: _, quotes: _quotes, recorded: _recorded, ...opinion }) => ({
      ...{ grade_id: id, ...opinion, claims: opinion.claims as Disagreement['grades'][number]['claims'] },
      votes: opinion.votes.map(({ label }) => label),
      contradictions: [...opinion.contradictions],
    })),
    signals: Object.keys(verdicts.signals).length > 0 ? verdicts.signals : null,
    claims: differingClaims(verdicts),
    reviews: verdicts.reviews.map(({ id, rater, label, blind, provenance = 'human' }) => ({
      ...{ id, rater, label, blind, provenance },
    })),
    settled: agreedLabel(verdicts.reviews) !== undefined,
  }
}
