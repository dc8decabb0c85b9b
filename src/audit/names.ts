import { isOwnBatch } from '../db/grades.ts'
import type { Stores } from '../db/stores.ts'
import { claimIdOf, findRubric, type Rubrics } from '../domain/rubric/claims.ts'
import { allClaims } from '../domain/rubric/rubric.ts'
import { clipName, faultAt, notFound } from '../schemas/problem.ts'
import type { NamedBy } from '../schemas/views.ts'
import { rubricIdOf } from '../schemas/vocabulary.ts'

/** The stores, the loaded rubrics and the judges that lists, reviews and reports read. */
export interface AuditContext {
  readonly stores: Stores
  readonly rubrics: Rubrics
  readonly judges: ReadonlyMap<string, unknown>
  /** Judges that cannot be asked. */
  readonly unready: ReadonlyMap<string, string>
  readonly default_rubric: string
  readonly clock: { now(): Date }
  readonly newId: (prefix: string) => string
}

type AskedNames = { readonly [Name in 'rubric' | 'judge' | 'batch' | 'label' | 'claim']?: string | undefined }

/**
 * Requires that the names of a list or a report exist, in this service or on a stored grade: an empty list would read like an answer. Throws an error that
 * lists the existing rubrics, judges, labels or claims, and 404 for an unknown batch. `place`: JSON pointer of the names in the input.
 */
export async function requireNames(
  { rubrics, judges, unready, stores }: Pick<AuditContext, 'stores' | 'rubrics' | 'judges' | 'unready'>,
  { rubric, judge, batch, label, claim }: AskedNames,
  place = '',
): Promise<void> {
  const isStored = async (name: NamedBy | 'batch' | 'label', value: string) =>
    (await stores.grades.list({ [name]: value, limit: 1 })).length > 0
  const noSuch = (name: keyof AskedNames, value: string, existing: readonly string[], code = 'invalid_request') => {
    const message = `there are: ${[...new Set(existing)].sort().join(', ')}`
    return faultAt(`${place}/${name}`, message, code, `there is no such ${name}: ${clipName(value)}`)
  }
  const unknown = async (name: 'rubric' | 'judge', value: string, here: Iterable<string>) =>
    noSuch(name, value, [...here, ...(await stores.grades.overview({}, 0)).names[name]], `unknown_${name}`)
  if (rubric !== undefined && findRubric(rubrics, rubric) === null && !(await isStored('rubric', rubric)))
    throw await unknown('rubric', rubric, rubrics.keys())
  if (judge !== undefined && !judges.has(judge) && !unready.has(judge) && !(await isStored('judge', judge)))
    throw await unknown('judge', judge, [...judges.keys(), ...unready.keys()])
  if (label !== undefined && !hasLabel(rubrics, label) && !(await isStored('label', label)))
    throw noSuch('label', label, labelsOf(rubrics, rubric))
  const claims = [...rubrics.values()].flatMap((rubric) => allClaims(rubric.claims).map(({ id }) => id))
  if (claim !== undefined && !claims.includes(claimIdOf(claim))) {
    const { names } = await stores.grades.overview({}, 0)
    // The claims of a rubric that is not loaded are unknown, and a full list of rubrics may be cut.
    const isWhole = names.rubric.length < MOST_RUBRICS && names.rubric.every((name) => rubrics.has(name))
    if (isWhole || claim === '') throw noSuch('claim', claim, claims)
  }
  if (batch === undefined) return
  const isThere = isOwnBatch(batch) ? (await stores.batches.get(batch)) !== null : await isStored('batch', batch)
  if (!isThere) throw notFound('batch', batch)
}

/** The most names that the overview lists. */
const MOST_RUBRICS = 200

/** Tells a label of a loaded rubric. The labels of a sum are its numbers. */
const hasLabel = (rubrics: Rubrics, label: string): boolean =>
  labelsOf(rubrics).includes(label) ||
  (/^-?\d+$/.test(label) && [...rubrics.values()].some(({ outcome }) => outcome.kind === 'sum'))

/** Lists the labels of all loaded rubrics, or of the loaded versions of the asked rubric, where there are any. */
function labelsOf(rubrics: Rubrics, asked?: string): readonly string[] {
  const all = [...rubrics.values()]
  const own = all.filter(({ name }) => name === asked || rubricIdOf(name) === asked)
  return (own.length > 0 ? own : all).flatMap(({ outcome }) => outcome.labels)
}
