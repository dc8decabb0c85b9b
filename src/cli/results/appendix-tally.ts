import type { BatchResult } from '../../schemas/batch.ts'
import type { AttemptSummary, BatchCall, Grade } from '../../schemas/grade.ts'

export type Counts = Record<string, number>

/** All that must be the same for two grades to have been made in the same way. */
export interface Setting {
  readonly judge: string
  readonly provider: string | null
  readonly model_requested: string | null
  readonly model_resolved: string | null
  readonly settings: NonNullable<Grade['receipt']['settings']> | null
  readonly samples: number | null
  readonly mode: string | null
  readonly software: string | null
  readonly versions: Grade['receipt']['versions']
  readonly denied_acts: string | null
  readonly rubric: string
  readonly rubric_digest: string
  readonly price_as_of: string | null
}

/** What was made in one way. Items that one grade answers are several items and one grade. */
export interface Made {
  readonly setting: Setting
  grades: number
  items: number
  /** Items whose judge gave an answer that could be read, and those for which no call was made, by how they ended. */
  answered: number
  readonly never_asked: Counts
  /** Output limits that were sent, each with its calls; a cap shortens them, a truncated answer doubles them. */
  readonly limits: Map<number, number>
}

/** How one item ended. */
export interface Trial {
  readonly item_id: string
  readonly status: string
  readonly label: string | null
  readonly confidence: string | null
  readonly judge: string | null
  /** Its failure, or the claims that lack evidence. */
  readonly why: string
}

/** What items that have no grade were given. */
export interface Ungraded {
  readonly judge: string | null
  readonly rubric: string | null
  items: number
}

/** What the items of a batch come to, beyond what the batch itself counts: each grade and each call once. */
export class AppendixTally {
  readonly trials: Trial[] = []
  readonly confidences: Counts = {}
  /** Of all calls. */
  readonly outcomes: Counts = {}
  /** Calls that grades rest on. */
  readonly calls = { listed: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0, unpriced: 0 }
  /** Calls of the batch that none of its grades rests on; `ok`: a good reply without any stored grade. */
  readonly loose = { listed: 0, elsewhere: 0, ok: 0, cost_usd: 0, unpriced: 0 }
  without_raw_reply = 0
  grades = 0
  /** Items that have a grade. */
  answered = 0
  /** Items that have the grade of another item of this batch, and those that have one from before. */
  equal = 0
  earlier = 0
  /** Grades whose judge was shown less than the whole run. */
  cut = 0
  /** Grades that something contradicts. */
  contradicted = 0
  private readonly unreadRuns = new Set<string>()
  private readonly found = new Map<string, Made>()
  private readonly given = new Map<string, Ungraded>()
  private readonly gradesSeen = new Set<string>()
  private readonly callsSeen = new Set<string>()

  /** Runs of which a record could not be read. */
  get unread(): number {
    return this.unreadRuns.size
  }

  /** Items without a grade, most first. */
  get ungraded(): Ungraded[] {
    return [...this.given.values()].sort((a, b) => b.items - a.items)
  }

  /** `isMadeHere`: the item’s grade was made for an item of this batch. */
  addItem(result: BatchResult, full: Grade | null, isMadeHere: boolean): void {
    const { item_id, status, label, judge = null, rubric = null, grade_id, grade, failure, cached } = result
    const confidence = label === null ? null : (grade?.confidence.reported ?? null)
    const why = failure?.code ?? (grade?.unmet ?? []).map(({ claim }) => claim).join(', ')
    this.trials.push({ item_id, status, label, confidence, judge, why })
    if (status === 'graded') add(this.confidences, confidence ?? 'none')
    if (grade_id === null) {
      this.addUngraded(judge, rubric)
      return
    }
    this.answered += 1
    if (cached) this[isMadeHere ? 'equal' : 'earlier'] += 1
    if (full === null) return
    const made = this.madeAs(full.receipt)
    made.items += 1
    if (full.status !== 'failed') made.answered += 1
    else if (full.receipt.attempts.length === 0) add(made.never_asked, full.failure?.code ?? 'failed')
  }

  /** Whether the grade was not counted before. */
  addGrade({ id, contradictions, receipt }: Grade): boolean {
    if (this.gradesSeen.has(id)) return false
    this.gradesSeen.add(id)
    this.grades += 1
    if (receipt.coverage.elided_chars > 0) this.cut += 1
    if (contradictions.length > 0) this.contradicted += 1
    if ((receipt.unread?.records ?? 0) > 0) this.unreadRuns.add(receipt.trajectory)
    this.madeAs(receipt).grades += 1
    return true
  }

  /** Whether the call was not counted before. */
  addCall(call: AttemptSummary, { receipt }: Grade): boolean {
    if (!this.isNew(call)) return false
    this.calls.listed += 1
    this.calls.input_tokens += call.usage?.input_tokens ?? 0
    this.calls.output_tokens += call.usage?.output_tokens ?? 0
    this.calls.cost_usd += call.cost_usd ?? 0
    if (call.cost_usd === null) this.calls.unpriced += 1
    const { limits } = this.madeAs(receipt)
    const limit = call.max_output_tokens ?? null
    if (limit !== null) limits.set(limit, (limits.get(limit) ?? 0) + 1)
    return true
  }

  /** A call of the batch; whether no grade of its items rests on it. */
  addLoose(call: BatchCall): boolean {
    if (!this.isNew(call)) return false
    this.loose.listed += 1
    if (call.grade_id !== null) this.loose.elsewhere += 1
    else if (call.outcome === 'ok') this.loose.ok += 1
    this.loose.cost_usd += call.cost_usd ?? 0
    if (call.cost_usd === null) this.loose.unpriced += 1
    return true
  }

  /** Most grades first. */
  settings(): readonly Made[] {
    return [...this.found.values()].sort((a, b) => b.grades - a.grades)
  }

  private isNew({ id, outcome }: { readonly id: string; readonly outcome: string }): boolean {
    if (this.callsSeen.has(id)) return false
    this.callsSeen.add(id)
    add(this.outcomes, outcome)
    return true
  }

  private addUngraded(judge: string | null, rubric: string | null): void {
    const name = JSON.stringify([judge, rubric])
    const known = this.given.get(name) ?? { judge, rubric, items: 0 }
    known.items += 1
    this.given.set(name, known)
  }

  private madeAs(receipt: Grade['receipt']): Made {
    const setting = settingOf(receipt)
    const name = JSON.stringify(setting)
    const known = this.found.get(name) ?? newMade(setting)
    this.found.set(name, known)
    return known
  }
}

const newMade = (setting: Setting): Made => ({
  ...{ setting, grades: 0, items: 0, answered: 0, never_asked: {}, limits: new Map() },
})

const add = (counts: Counts, word: string): void => {
  counts[word] = (counts[word] ?? 0) + 1
}

/** The least and the most output limit that was sent; null: it is not known of any call. */
export function limitsSent({ limits }: Made): { readonly min: number; readonly max: number } | null {
  if (limits.size === 0) return null
  return { min: Math.min(...limits.keys()), max: Math.max(...limits.keys()) }
}

function settingOf(receipt: Grade['receipt']): Setting {
  const { judge, provider, model_requested, model_resolved, versions, rubric, rubric_digest } = receipt
  return {
    ...{ judge, provider, model_requested, model_resolved },
    settings: receipt.settings ?? null,
    samples: receipt.samples ?? null,
    mode: receipt.mode ?? null,
    software: receipt.software ?? null,
    versions,
    denied_acts: receipt.denied_acts ?? null,
    ...{ rubric, rubric_digest },
    price_as_of: receipt.price_as_of ?? null,
  }
}
