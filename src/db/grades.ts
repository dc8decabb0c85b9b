import { type RawBuilder, sql as raw } from 'kysely'
import type { Digest } from '../domain/digest.ts'
import { sum } from '../domain/statistics/weighted-shares.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GroundTruth, Signals } from '../schemas/trial.ts'
import { type GradeOverview, NAMED_BY, type NamedBy } from '../schemas/views.ts'
import { GRADE_STATUSES, LABELS, rubricIdOf } from '../schemas/vocabulary.ts'
import { type ItemRef, isOf, settleItem, toItemEnd } from './batches.ts'
import { columns, type Db, insert, isIn, newest, type Page, type Sql, Undo } from './db.ts'
import type { GradeRow } from './schema.ts'

/** The filters of lists, from the most selective to the least. */
export const FILTERS = ['batch', 'task', 'model', 'agent', 'rubric', 'judge', 'label', 'status'] as const

/** Conditions that a grade has to meet, all of them; an absent name is no condition. */
export type GradeFilter = { readonly [Name in (typeof FILTERS)[number]]?: string }

export type GradeQuery = GradeFilter & Page

/** A grade with its ground truth, which is no part of the public form. */
export interface GradeRecord {
  readonly grade: Grade
  readonly ground_truth: GroundTruth
  /** The batch item that the grade settles, in the same unit of work. */
  readonly item?: ItemRef
  /** The grade is kept beside the others without answering its key: it only checked stored replies again. */
  readonly silent?: boolean
}

/** A grade with the measurements of the harness in its trial. */
export type StandingGrade = Readonly<{ grade: Grade; signals: Signals }>

/** Names the graded question: `sha256:…/sha256:…`, the trajectory and its ground truth. */
export const questionOf = ({ receipt }: Pick<Grade, 'receipt'>): string =>
  `${receipt.trajectory}/${receipt.ground_truth}`

/** Tells whether a name is a batch of ours rather than a word of the caller’s own metadata. */
export const isOwnBatch = (batch: string | undefined): batch is string => batch?.startsWith('bat_') === true

/** Tells whether a rubric is named by its id alone: all of its versions are meant. */
const meansAllVersions = (rubric: string | undefined): boolean => rubric?.includes('@') === false

/** The names that filters compare; an absent name fits no filter. */
type Names = { readonly [K in keyof GradeFilter]: string | null | undefined }

export const namesOf = ({ label, status, receipt: { judge, rubric }, metadata }: Grade): Names => ({
  ...{ ...metadata, label, status, judge, rubric },
})

export const fitsNames = (names: Names, filter: GradeFilter): boolean =>
  Object.entries(filter).every(([name, wanted]) => {
    const own = names[name as keyof GradeFilter]
    const isById = name === 'rubric' && meansAllVersions(wanted)
    return wanted === undefined || (isById && own != null ? rubricIdOf(own) : own) === wanted
  })

export type GradeStore = ReturnType<typeof createGrades>

/** The columns of a standing grade: `grade` is parsed from its text. */
const STANDING = "body AS grade, coalesce(signals, '{}') AS signals"

export function createGrades(db: Db) {
  type Row = Pick<GradeRow, 'body' | 'ground_truth'>
  const read = async <K extends keyof Row>(column: K, condition: RawBuilder<unknown>): Promise<Row[K] | null> =>
    (await db.read.first<Row>`SELECT ${raw.raw(column)} FROM grades WHERE ${condition}`)?.[column] ?? null
  const find = async (condition: RawBuilder<unknown>): Promise<readonly Grade[]> => {
    const rows = await db.read.all<{ grade: Grade }>`SELECT body AS grade FROM grades WHERE ${condition}`
    return rows.map(({ grade }) => grade)
  }
  const current = (key: string) => raw`key = ${key} AND is_current = 1`
  return {
    /** Stores a grade; a good grade answers its key from now on, a failed one never. A grade for an item that has ended is not stored. */
    put: (record: GradeRecord): Promise<void> =>
      db.write(async (sql) => {
        const { grade, item, silent = false } = record
        const is_current = grade.status !== 'failed' && !silent
        const [, , isSettled] = await Promise.all([
          is_current && replaceCurrent(sql, grade.receipt.key),
          insert(sql, 'grades', { ...renderGrade(record), is_current }),
          item === undefined || settleItem(sql, item, toItemEnd(grade, false)),
        ])
        // Another process has ended the item meanwhile: nothing of this grade is published, and its replies are kept.
        if (!isSettled) throw new Undo('ended')
      }),
    /** Finds the stored JSON of a grade: an answer passes it on unparsed. */
    getText: (id: string): Promise<string | null> => read('body', raw`id = ${id}`),
    get: async (id: string): Promise<Grade | null> => (await find(raw`id = ${id}`))[0] ?? null,
    /** Finds those of the grades that are stored, in no order. */
    getMany: (ids: readonly string[]) => find(raw`${isIn(db, 'id', ids)}`),
    getGroundTruth: (id: string): Promise<GroundTruth | null> => read('ground_truth', raw`id = ${id}`),
    findByKey: async (key: Digest): Promise<Grade | null> => (await find(current(key)))[0] ?? null,
    findTextByKey: (key: Digest): Promise<string | null> => read('body', current(key)),
    /** Finds the grades that answer the keys now, by key. */
    async findByKeys(keys: readonly Digest[]): Promise<ReadonlyMap<string, Grade>> {
      const grades = await find(raw`${isIn(db, 'key', keys)} AND is_current = 1`)
      return new Map(grades.map((grade) => [grade.receipt.key, grade]))
    },
    list: async (query: GradeQuery): Promise<readonly Grade[]> =>
      (await db.read.all<{ grade: Grade }>`${selectGrades(db, 'body AS grade', query)}`).map(({ grade }) => grade),
    /** Lists standing grades, newest first: of each key the grade that answers it, else its newest failure; never a silent grade. */
    listStanding: (query: GradeQuery): Promise<readonly StandingGrade[]> =>
      db.read.all<StandingGrade>`${selectGrades(db, STANDING, query, [STANDS])}`,
    listForQuestion(question: string): Promise<readonly StandingGrade[]> {
      const short = question.slice(7, 23) + question.slice(79, 87)
      return db.read.all<StandingGrade>`SELECT ${raw.raw(STANDING)} FROM grades
        WHERE substr(question, 8, 16) || substr(question, 80, 8) = ${short} AND question = ${question} AND ${STANDS}
        ORDER BY id DESC`
    },
    /** Counts all grades and their citations by judge, rubric and status, but grades that only checked stored replies again. */
    countEvidence() {
      type Counted = Pick<GradeRow, 'judge' | 'rubric' | 'status'> & { kind: 'grade' | 'citation'; n: number }
      const cited = db.kind === 'sqlite' ? CITED_IN_SQLITE : CITED_IN_POSTGRES
      return db.read.all<Counted>`
        SELECT judge, rubric, 'grade' AS kind, status, count(*) AS n FROM grades
        WHERE silent = 0 GROUP BY judge, rubric, status
        UNION ALL SELECT judge, rubric, 'citation', ${cited} WHERE silent = 0 GROUP BY judge, rubric, cited_as
        ORDER BY 1, 2, 3, 4`
    },
    /** Counts, of the newest `most` grades that fit the most selective filter, those that fit the other filters too. */
    async overview(query: GradeFilter, most = MOST_COUNTED): Promise<GradeOverview> {
      type CountRow = Pick<GradeRow, 'status' | 'label'> & Record<'fits' | 'n', number>
      const [widest, ...rest] = FILTERS.filter((name) => query[name] !== undefined)
      const one = { ...(widest !== undefined && { [widest]: query[widest] }), limit: most }
      const walked = selectGrades(db, [...FILTERS, 'rubric_id'].join(', '), one)
      const compared = rest.map((name) => raw`${columns([columnOf(name, query)])} = ${query[name]}`)
      const rows = await db.read.all<CountRow>`SELECT status, label, fits, count(*) AS n FROM (
          SELECT status, label, CASE WHEN ${raw.join([raw`1 = 1`, ...compared], raw` AND `)} THEN 1 ELSE 0 END AS fits
          FROM (${walked}) AS walked
        ) AS listed GROUP BY status, label, fits`
      const fitting = rows.filter(({ fits }) => fits === 1)
      const count = (some: readonly CountRow[]): number => sum(some.map(({ n }) => n))
      const counted = (column: 'status' | 'label', words: readonly string[]) =>
        Object.fromEntries(words.map((word) => [word, count(fitting.filter((row) => row[column] === word))]))
      const others = fitting.flatMap(({ label }) => label ?? []).sort()
      const names = await Promise.all(NAMED_BY.map(async (name) => [name, await readNames(db, name)] as const))
      return {
        total: count(fitting),
        complete: count(rows) < most,
        statuses: counted('status', GRADE_STATUSES) as GradeOverview['statuses'],
        labels: counted('label', [...LABELS, ...others]) as GradeOverview['labels'],
        names: Object.fromEntries(names) as GradeOverview['names'],
      }
    },
  }
}

/** Condition: the grade stands for its question. */
const STANDS = raw`grades.silent = 0 AND (grades.is_current = 1 OR (grades.status = 'failed'
  AND NOT EXISTS (SELECT 1 FROM grades AS c WHERE c.key = grades.key AND c.is_current = 1)
  AND NOT EXISTS (SELECT 1 FROM grades AS later
    WHERE later.key = grades.key AND later.id > grades.id AND (later.status = 'failed' OR later.silent = 1))))`

const CITED_IN_SQLITE = raw`json_extract(cited.value, '$.status') AS cited_as, count(*)
  FROM grades, json_each(body, '$.citations') AS cited`

/** Cuts citations out of the text: no JSON type of PostgreSQL takes every character of a quote. Texts escape their quotation marks, and hold neither mark. */
const CITED_IN_POSTGRES = raw`cited[1] AS cited_as, count(*) FROM grades, regexp_matches(
  split_part(split_part(body, '"citations":[', 2), '],"unmet":', 1), '"status":"([a-z_]+)"', 'g') AS cited`

const columnOf = (name: (typeof FILTERS)[number], query: GradeFilter) =>
  name === 'rubric' && meansAllVersions(query.rubric) ? 'rubric_id' : name

function selectGrades(db: Db, selected: string, query: GradeQuery, more: readonly RawBuilder<unknown>[] = []) {
  const filters = FILTERS.map((name) => {
    const value = query[name]
    // The grades of a batch’s items, also those that another batch has paid for.
    return name === 'batch' && isOwnBatch(value)
      ? raw`id IN (SELECT grade_id FROM batch_items WHERE ${isOf(value)} AND grade_id IS NOT NULL)`
      : ([columnOf(name, query), value] as const)
  })
  return newest(db, 'grades', selected, [...filters, ...more], query)
}

/** Marks that no grade answers the key, within a unit of work that stores the next answer. */
export const replaceCurrent = (sql: Sql, key: string) =>
  sql.run`UPDATE grades SET is_current = 0 WHERE key = ${key} AND is_current = 1`

export function renderGrade({ grade, ground_truth, silent = false }: GradeRecord) {
  const { id, status, label, claimed_label, created_at } = grade
  const { key, judge, rubric, trajectory } = grade.receipt
  const metadata: Readonly<Record<string, unknown>> = grade.metadata
  const text = (name: string): string | null => (typeof metadata[name] === 'string' ? metadata[name] : null)
  return {
    ...{ id, status, label, claimed_label, created_at },
    ...{ key, judge, rubric, trajectory },
    ...{ agent: text('agent'), model: text('model'), task: text('task'), batch: text('batch') },
    ...{ ground_truth, signals: ground_truth.signals ?? null },
    ...{ body: JSON.stringify(grade), silent, question: questionOf(grade) },
  }
}

/** More grades than this are not looked at, and more names not listed: a page must not hold up the database. */
const MOST_COUNTED = 20_000
const MOST_NAMES = 200

/** Finds the names of one column, each by one step in its index: a walk over all grades would take as long as the table is. */
async function readNames(db: Db, column: NamedBy): Promise<string[]> {
  const name = columns([column])
  const rows = await db.read.all<{ readonly name: string }>`
    WITH RECURSIVE found (name, n) AS (
      SELECT MIN(${name}), 1 FROM grades WHERE ${name} IS NOT NULL
      UNION ALL
      SELECT (SELECT MIN(${name}) FROM grades WHERE ${name} > found.name), found.n + 1
      FROM found WHERE found.name IS NOT NULL AND found.n < ${raw.lit(MOST_NAMES)}
    )
    SELECT name FROM found WHERE name IS NOT NULL`
  return rows.map((row) => row.name)
}
