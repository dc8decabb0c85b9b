import type { BatchStore, ItemRecord } from '../db/batches.ts'
import type { GradeStore } from '../db/grades.ts'
import type { Clock } from '../domain/clock.ts'
import { holds } from '../domain/evidence/citations.ts'
import { claimsOfGrade, outcomeOfGrade, rubricView } from '../domain/rubric/claims.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import type { Batch, BatchResult, ResultGrade } from '../schemas/batch.ts'
import type { Grade } from '../schemas/grade.ts'

/** The shortest time between two looks for ended items. */
const SHORTEST_MS = 100
/** A look takes at most so large a part of the time of its follower: the counts of a large batch are a walk over its items. */
const MOST_LOOKING = 0.1
const LONGEST_MS = 1000
const SILENCE_MS = 10_000
const PAGE = 200

type Batches = Pick<BatchStore, 'get' | 'results'>
type Grades = Pick<GradeStore, 'getMany'>

/** `isOff`: the follower has gone. */
type Following = Readonly<{ batches: Batches; clock: Clock; id: string; isOff: () => boolean }>

/** Yields the batch at once and after changes, until it is done or cancelled: a parked batch may go on. Null: ten seconds without a change. */
export async function* followBatch(following: Following, every_ms: number): AsyncGenerator<Batch | null> {
  let last = ''
  let told = 0
  for await (const batch of look(following, every_ms)) {
    if (batch === null) return
    const text = JSON.stringify(batch)
    const isSilent = performance.now() - told >= SILENCE_MS
    if (text !== last || isSilent) {
      yield text === last ? null : batch
      told = performance.now()
    }
    last = text
    if (isEnded(batch)) return
  }
}

/** Yields the ended items in order until no item ends by itself any more: an open item holds back the items behind it. */
export async function* followResults(following: Following): AsyncGenerator<readonly ItemRecord[]> {
  const { batches, id, isOff } = following
  let last = -1
  for await (const batch of look(following, SHORTEST_MS)) {
    for await (const page of endedPages(batches, id, last)) {
      const next = last + 1
      const ready = page.filter(({ index }, at) => index === next + at)
      if (ready.length > 0) yield ready
      last += ready.length
      if (ready.length < page.length || isOff()) break
    }
    if (batch === null || isOver(batch)) return yield* endedPages(batches, id, last)
  }
}

export const isEnded = ({ status }: Batch): boolean => status === 'done' || status === 'cancelled'

const isOver = (batch: Batch): boolean => isEnded(batch) || (batch.status === 'parked' && batch.resumes_at === null)

async function* look({ batches, clock, id, isOff }: Following, every_ms: number): AsyncGenerator<Batch | null> {
  while (!isOff()) {
    const begun = performance.now()
    const batch = await batches.get(id)
    const pause = Math.max(every_ms, Math.min(LONGEST_MS, (performance.now() - begun) / MOST_LOOKING))
    yield batch
    await clock.sleep(pause)
  }
}

/** Yields the ended items of a batch in order, a page of the store at a time. */
export async function* endedPages(batches: Batches, batch: string, after = -1): AsyncGenerator<readonly ItemRecord[]> {
  for (let last: number | undefined = after; last !== undefined; ) {
    const page: readonly ItemRecord[] = await batches.results(batch, last, PAGE)
    yield page
    last = page.length < PAGE ? undefined : page.at(-1)?.index
  }
}

/** An item with its grade, new or from the cache; null where nothing was graded. */
export type EndedItem = Readonly<{ item: ItemRecord; grade: Grade | null }>

/** Reads the grades of items, all at once. */
export async function withGrades(grades: Grades, page: readonly ItemRecord[]): Promise<EndedItem[]> {
  const ids = new Set(page.flatMap(({ grade_id }) => grade_id ?? []))
  const byId = new Map((await grades.getMany([...ids])).map((grade) => [grade.id, grade]))
  return page.map((item) => ({ item, grade: byId.get(item.grade_id ?? '') ?? null }))
}

/** Renders items as results, in their order. */
export const toResults = async (grades: Grades, page: readonly ItemRecord[]): Promise<BatchResult[]> =>
  (await withGrades(grades, page)).map(({ item, grade }) => {
    const { item_id, index, status, label, request, grade_id, failure, cached, base_grade } = item
    return {
      ...{ item_id, index, status, label, judge: request.judge ?? null, rubric: request.rubric ?? null, grade_id },
      ...{ grade: grade && toResultGrade(grade), failure, cached, base_grade_id: base_grade },
      metadata: request.metadata ?? {},
    }
  })

function toResultGrade(grade: Grade): ResultGrade {
  const { confidence, claimed_label, contradictions, unmet, citations, receipt } = grade
  const claims = claimsOfGrade(grade) as Exclude<ResultGrade['claims'], undefined>
  return {
    ...{ judge: receipt.judge, confidence, claimed_label, outcome: outcomeOfGrade(grade) },
    ...{ claims, contradictions, unmet },
    evidence: { cited: citations.length, held: citations.filter(({ status }) => holds(status)).length },
    ...{ cost_usd: receipt.cost_usd, unread: receipt.unread ?? null, warnings: receipt.warnings.length },
  }
}

/** Reads the loaded rubrics of the items of a batch, by name. */
export async function readBatchRubrics(batches: BatchStore, { id }: Batch, known: ReadonlyMap<string, Rubric>) {
  return (await batches.rubrics(id)).flatMap((name) => known.get(name) ?? []).map(rubricView)
}
