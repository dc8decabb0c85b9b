import type { BatchResult } from '../../schemas/batch.ts'
import type { Grade } from '../../schemas/grade.ts'

type Counts = Record<string, number>

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

/** What the items of a batch come to, beyond what the batch itself counts. */
export class AppendixTally {
  readonly trials: Trial[] = []
  /** Items without a grade, by the judge that they were given. */
  readonly ungraded = new Map<string | null, number>()
  readonly confidences: Counts = {}
  readonly outcomes: Counts = {}
  readonly calls = { listed: 0, without_raw_reply: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0, unpriced: 0 }
  /** Grades whose judge was shown less than the whole run. */
  cut = 0
  /** Grades that something contradicts, and those of whose run a record could not be read. */
  contradicted = 0
  unread = 0
  private readonly found = new Map<string, { setting: Setting; grades: number }>()

  addItem({ item_id, status, label, judge = null, grade_id, grade, failure }: BatchResult): void {
    const confidence = label === null ? null : (grade?.confidence.reported ?? null)
    const why = failure?.code ?? (grade?.unmet ?? []).map(({ claim }) => claim).join(', ')
    this.trials.push({ item_id, status, label, confidence, judge, why })
    if (grade_id === null) this.ungraded.set(judge, (this.ungraded.get(judge) ?? 0) + 1)
  }

  addGrade({ status, confidence, contradictions, receipt }: Grade): void {
    if (status === 'graded') add(this.confidences, confidence.reported ?? 'none')
    if (receipt.coverage.elided_chars > 0) this.cut += 1
    if (contradictions.length > 0) this.contradicted += 1
    if ((receipt.unread?.records ?? 0) > 0) this.unread += 1
    const setting = settingOf(receipt)
    const name = JSON.stringify(setting)
    const known = this.found.get(name) ?? { setting, grades: 0 }
    known.grades += 1
    this.found.set(name, known)
    for (const { outcome, usage, cost_usd } of receipt.attempts) {
      add(this.outcomes, outcome)
      this.calls.listed += 1
      this.calls.input_tokens += usage?.input_tokens ?? 0
      this.calls.output_tokens += usage?.output_tokens ?? 0
      this.calls.cost_usd += cost_usd ?? 0
      if (cost_usd === null) this.calls.unpriced += 1
    }
  }

  /** Most grades first. */
  settings(): { readonly setting: Setting; readonly grades: number }[] {
    return [...this.found.values()].sort((a, b) => b.grades - a.grades)
  }
}

const add = (counts: Counts, word: string): void => {
  counts[word] = (counts[word] ?? 0) + 1
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
