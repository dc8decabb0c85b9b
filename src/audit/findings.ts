import { setImmediate as nextTurn } from 'node:timers/promises'
import { endedPages, isEnded } from '../batches/follow.ts'
import type { ItemRecord } from '../db/batches.ts'
import { digestBytes, digestValue } from '../domain/digest.ts'
import { count, quoted } from '../domain/words.ts'
import type { Batch } from '../schemas/batch.ts'
import { faultAt, notFound, orNotFound, RequestError } from '../schemas/problem.ts'
import type { DispositionRequest, FindingClass, FindingKind, Findings } from '../schemas/review.ts'
import { FINDING_KINDS } from '../schemas/review.ts'
import { rubricIdOf, TAB_BEHAVIOR } from '../schemas/vocabulary.ts'
import { FIND_CLASHES, readVerdicts, type Verdicts } from './clashes.ts'
import type { AuditContext } from './names.ts'
import { isCanary, nameIn, nameOf, type OpinionRow, opinionIn, questionOfItem } from './trials.ts'

/** A finding at a trial. `cause`: the words of its class, or lists of labels. `against`: grades and reviews that disagree. */
interface Finding {
  readonly kind: FindingKind
  readonly cause?: readonly (string | readonly string[])[]
  readonly why: string
  readonly against?: readonly string[]
}

/** A class of findings before its disposition is known. */
type Group = Omit<FindingClass, 'disposition' | 'open'>

/** Classes of one kind at the most: more are joined. */
const MOST_CLASSES = 200
/** Trials that are listed of each class, and of a class that is asked for; grades and reviews that are listed of a trial. */
const LISTED = { each: 5, asked: 1000, against: 20 }
const LONGEST_WHY = 300
/** Characters of the labels in the id of a class. */
const LONGEST_LABELS = 75

/** Renders the id of a class: `disagreement:judges/aligned~ignored`. A word with other characters, or too many, is named by its digest. */
function classOf({ kind, cause = [] }: Finding): string {
  const digest = (text: string) => `x${digestValue(text.toWellFormed()).slice(7, 23)}`
  const words = cause.map((part) => {
    const text = [part].flat().map((word) => (/^[\w.+-]{1,36}$/.test(word) ? word : digest(word)))
    return text.join('~').length <= LONGEST_LABELS ? text.join('~') : digest(text.join('~'))
  })
  return words.length === 0 ? kind : `${kind}:${words.join('/')}`
}

/** Joins the findings of one trial that are of one class. */
const classesOf = (findings: readonly Finding[]) =>
  [...Map.groupBy(findings, classOf)].flatMap(([id, [first, ...more]]) => {
    if (first === undefined) return []
    const against = [first, ...more].flatMap((finding) => finding.against ?? []).sort()
    return { id, kind: first.kind, why: first.why.slice(0, LONGEST_WHY).toWellFormed(), against }
  })

/** Lists the findings that need no grade. */
function* findingsOfItem({ status, failure, request }: ItemRecord): Generator<Finding> {
  const metadata: Readonly<Record<string, unknown>> = request.metadata ?? {}
  if (status === 'failed') yield { kind: status, cause: [failure?.code ?? 'internal'], why: failure?.message ?? '' }
  if (status === 'cancelled') yield { kind: status, why: 'The batch was cancelled before the trial was graded.' }
  if (metadata['conflicting_reward'] === true)
    yield { kind: 'conflicting_reward', why: 'Result and files of the harness name different rewards.' }
}

/** An opinion with the key of its question and the verdicts of all judges and reviewers on that question. */
type QuestionedOpinion = Readonly<{ own: OpinionRow; question: string; verdicts: Verdicts }>

function findingsOfGrade({ own, verdicts }: QuestionedOpinion): Finding[] {
  const isRecorded = own.contradictions.some((code) => code.endsWith('_against_signal'))
  // A grade that is older than the rule does not record the contradiction.
  const clashes = isRecorded ? [] : FIND_CLASHES.signals({ ...verdicts, opinions: [own], reviews: [] })
  return [
    ...recordedIn(own),
    ...clashes.map(({ why }) => ({ kind: 'contradiction', cause: ['signals'], why }) as const),
    ...disagreementsOf(own, verdicts),
  ]
}

/** Lists the disagreements of an opinion with others, and among its samples. The class has the labels of both sides in one order. */
function disagreementsOf(own: OpinionRow, { opinions, reviews, ...question }: Verdicts): Finding[] {
  if (own.label === null) return []
  const find = (
    side: 'samples' | 'judges' | 'evidence' | 'human',
    others: readonly { readonly label: string | null; readonly id?: string }[],
    more: Partial<Verdicts> = {},
  ): Finding[] => {
    const labels = new Set([own, ...others].flatMap(({ label }) => label ?? []))
    const against = others.flatMap(({ id }) => id ?? [])
    const clashes = FIND_CLASHES[side]({ ...question, opinions: [own], reviews: [], ...more })
    return clashes.map(({ why }) => ({ kind: 'disagreement', cause: [side, [...labels].sort()], why, against }))
  }
  // The samples of a grade have a side of their own.
  const alone = { ...own, votes: [] }
  const judges = opinions.filter((opinion) => nameOf(opinion) !== nameOf(own))
  // A thousand equal reviews are one comparison.
  const answers = Map.groupBy(reviews, ({ label, claims, provenance }) => JSON.stringify([label, claims, provenance]))
  return [
    ...find('samples', own.votes),
    ...judges.flatMap((judge) => {
      const pair = { opinions: [alone, { ...judge, votes: [] }] }
      return [...find('judges', [judge], pair), ...find('evidence', [judge], pair)]
    }),
    // A label that an agent made stands among the judges.
    ...[...answers.values()].flatMap((equal) => {
      const review = { reviews: equal.slice(0, 1) }
      return [...find('judges', equal, review), ...find('human', equal, review)]
    }),
  ]
}

/** Lists the findings that a grade records. */
function* recordedIn({ status, claims, recorded: { contradictions, unmet, unread } }: OpinionRow): Generator<Finding> {
  const isSplit = contradictions.some(({ code }) => code === 'no_majority')
  for (const { code, claim, detail } of contradictions.filter(({ code }) => code !== 'no_majority')) {
    const value = claims?.[claim ?? '']
    const side = typeof value === 'boolean' ? [value ? 'claimed' : 'denied'] : []
    yield { kind: 'contradiction', cause: [code, ...(claim === null ? [] : [claim]), ...side], why: detail }
  }
  if (status === 'unverified') {
    for (const { claim, reason } of unmet) yield { kind: 'unverified', cause: [claim], why: reason }
    if (isSplit) yield { kind: 'unverified', cause: ['no_majority'], why: 'The samples have no majority.' }
    else if (unmet.length === 0) yield { kind: 'unverified', cause: ['evidence'], why: 'The evidence does not hold.' }
  }
  if (unread === undefined || unread.records === 0) return
  const why = `${count(unread.records, 'record')} could not be read; ${unread.actions} may hold acts.`
  yield { kind: 'unread', cause: [unread.actions > 0 ? 'actions' : 'records'], why }
}

type ItemFindings = Awaited<ReturnType<typeof readItems>>[number]

/** Reads the ended items of a batch in their order, with the classes of their findings. */
async function readItems(context: AuditContext, batch: string) {
  const opinions = new Map<string, QuestionedOpinion>()
  for await (const { row, verdicts } of readVerdicts(context, { batch }))
    for (const own of row.opinions) opinions.set(own.id, { own, question: row.question, verdicts })
  const items = []
  for await (const page of endedPages(context.stores.batches, batch))
    for (const item of page) {
      const { index, item_id, grade_id, base_grade, status, label, failure, request } = item
      const opinion = opinions.get(grade_id ?? '')
      const { metadata = {}, rubric = TAB_BEHAVIOR } = request
      // An item of a re-grade has the id of its base.
      const named = item_id === base_grade ? (nameIn(metadata.trial) ?? nameIn(metadata.task)) : null
      items.push({
        ...{ index, item_id, grade_id, name: named ?? item_id },
        rubric: rubricIdOf(opinion?.own.rubric ?? rubric),
        question: opinion?.question ?? questionOfItem(item, context.rubrics),
        result: [item_id, status, label, grade_id, failure?.code ?? null],
        findings: classesOf([...findingsOfItem(item), ...(opinion ? findingsOfGrade(opinion) : [])]),
      })
      await nextTurn()
    }
  return items
}

/** Groups the findings of items into classes. `asked`: the class of which more trials are listed. */
function groupFindings(items: readonly ItemFindings[], asked: string | undefined): Group[] {
  const all = items.flatMap(({ findings, ...item }) => findings.map((finding) => ({ ...item, ...finding })))
  return FINDING_KINDS.flatMap((kind) => {
    const own = all.filter((one) => one.kind === kind)
    const groups = [...Map.groupBy(own, ({ id }) => id)].map(([id, found]): Group => {
      const listed = found.slice(0, id === asked ? LISTED.asked : LISTED.each)
      const trials = listed.map(({ item_id, index, name, grade_id, against, why }) => {
        return { item_id, index, name, grade_id, against: against.slice(0, LISTED.against), why }
      })
      const digest = digestLines(found.map(({ index, grade_id, against }) => [index, grade_id, ...against]))
      return { id, kind, trials, count: found.length, digest }
    })
    groups.sort((a, b) => (a.id < b.id ? -1 : 1))
    if (groups.length <= MOST_CLASSES) return groups
    const digest = digestValue(groups.map((group) => [group.id, group.digest]))
    const trials = groups.slice(0, LISTED.each).flatMap((group) => group.trials.slice(0, 1))
    return [{ id: `${kind}:${VARIOUS}`, kind, count: sumOf(groups), digest, trials }]
  })
}

const digestLines = (lines: readonly (readonly unknown[])[]) =>
  digestBytes(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

const VARIOUS = 'various'
const sumOf = (groups: readonly Group[]): number => groups.reduce((sum, group) => sum + group.count, 0)

async function load(context: AuditContext, id: string, asked?: string) {
  const { batches, dispositions } = context.stores
  // An ended batch keeps its items, whatever is read later.
  const batch = orNotFound(await batches.get(id), 'batch', id)
  const items = await readItems(context, id)
  const { newest, signoff } = await dispositions.of(id)
  const classes = groupFindings(items, asked).map((group): FindingClass => {
    const disposition = newest.get(group.id) ?? null
    return { ...group, disposition, open: disposition?.digest !== group.digest }
  })
  const results = digestLines(items.map(({ result }) => result))
  const findings = digestValue(classes.map((one) => [one.id, one.digest, one.disposition?.id ?? null]))
  const outdated = signoff?.results !== results || signoff.findings !== findings
  const answer: Findings = {
    ...{ batch: id, ended: isEnded(batch), classes, open: classes.filter(({ open }) => open).length },
    ...{ tally: tallyOf(classes), results, findings, signoff: signoff && { ...signoff, outdated } },
  }
  return { batch, items, answer }
}

const tallyOf = (classes: readonly FindingClass[]): Findings['tally'] =>
  FINDING_KINDS.flatMap((kind) => {
    const own = classes.filter((one) => one.kind === kind)
    const byState = Map.groupBy(own, ({ open, disposition }) => (open ? null : disposition)?.disposition ?? 'open')
    return [...byState].map(([disposition, some]) => {
      return { kind, disposition, classes: some.length, findings: sumOf(some) }
    })
  })

/** Reads the findings of a batch in classes, or of one class. */
export async function readFindings(context: AuditContext, id: string, asked?: string): Promise<Findings> {
  const { answer } = await load(context, id, asked)
  const classes = answer.classes.filter((one) => asked === undefined || one.id === asked)
  if (asked !== undefined && classes.length === 0) throw notFound('class of findings', asked)
  return { ...answer, classes }
}

/** Stores a decision about a class of findings. Throws a RequestError for a decision that does not hold. */
export async function disposeFindings(context: AuditContext, id: string, body: DispositionRequest) {
  const { disposition, reason = '', by } = body
  // The ellipsis of a command line to copy is no reason.
  const needed = 'is required where a class is dismissed'
  if (disposition === 'dismissed' && !/[\p{L}\p{N}]/u.test(reason))
    throw faultAt('/reason', needed, 'invalid_request', 'a dismissal needs a reason in words')
  const { batch, items, answer } = await load(context, id)
  const group = answer.classes.find((one) => one.id === body.class)
  if (group === undefined) throw notFound('class of findings', body.class)
  const { digest } = group
  if (body.digest !== undefined && body.digest !== digest)
    throw new RequestError('findings_changed', `other findings are in ${group.id} now: read them again`)
  if (disposition === 'regraded') await requireNewer(context, batch, items, group.id)
  return context.stores.dispositions.put({
    ...{ id: context.newId('dsp'), batch: id, class: group.id, disposition, reason, by, digest, count: group.count },
    created_at: context.clock.now().toISOString(),
  })
}

/** Requires for each trial of a class a grade that is newer than the batch, agrees, did not fail, is no canary, and has no finding of the class. */
async function requireNewer(context: AuditContext, batch: Batch, items: readonly ItemFindings[], asked: string) {
  const { finished_at } = batch
  if (finished_at === null) throw notEnded(batch.id)
  if (asked.endsWith(`:${VARIOUS}`))
    throw new RequestError('not_regraded', 'too many classes are joined here to tell which grades would mend them')
  const missing: string[] = []
  for (const { item_id, question, rubric, findings } of items) {
    const own = findings.find((one) => one.id === asked)
    if (own === undefined) continue
    const standing = await context.stores.grades.listForQuestion(question)
    const isMended = standing.some(
      ({ grade }) =>
        grade.status !== 'failed' &&
        grade.created_at > finished_at &&
        rubricIdOf(grade.receipt.rubric) === rubric &&
        !isCanary(grade) &&
        !own.against.includes(grade.id) &&
        !classesOf([...recordedIn(opinionIn(grade, context.rubrics))]).some((one) => one.id === asked),
    )
    if (!isMended) missing.push(item_id)
  }
  if (missing.length === 0) return
  const names = missing.slice(0, 3).map((name) => quoted(name))
  const detail = `${count(missing.length, 'trial')} without a grade that is newer than the batch, did not fail, and has no finding of the class: ${names.join(', ')}; grade again first, or accept or dismiss the class`
  throw new RequestError('not_regraded', detail)
}

const notEnded = (id: string) => new RequestError('batch_not_ended', `${id} has not ended: it can have more findings`)

/** Signs the results and findings of a batch. Throws a RequestError while a class is open, and for a batch that has not ended. */
export async function signOff(context: AuditContext, id: string, { by }: Pick<DispositionRequest, 'by'>) {
  const { batch, answer } = await load(context, id)
  const { ended, classes, tally, results, findings } = answer
  if (!ended) throw notEnded(id)
  const open = classes.filter((one) => one.open)
  if (open.length > 0) {
    const errors = open.map((one) => ({ path: '', message: `${one.id}: ${count(one.count, 'finding')}` }))
    throw new RequestError('findings_open', `${count(open.length, 'class is', 'classes are')} open`, { errors })
  }
  return context.stores.dispositions.put({
    ...{ id: context.newId('dsp'), batch: id, by, counts: batch.counts, tally, results, findings },
    created_at: context.clock.now().toISOString(),
  })
}
