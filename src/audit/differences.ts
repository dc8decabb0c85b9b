import { count } from '../domain/words.ts'
import type { Receipt } from '../schemas/grade.ts'
import { ASPECTS, type Difference } from '../schemas/regrade.ts'

/** The value of each aspect of a grade; null: not known. */
const VALUES: Readonly<Record<Exclude<Difference['what'], 'cases'>, (receipt: Receipt) => string | null>> = {
  rubric: ({ rubric, rubric_digest }) => `${rubric} ${rubric_digest.slice(0, 19)}`,
  prompt: ({ versions }) => String(versions.prompt),
  reader: ({ versions }) => String(versions.reader),
  rendering: ({ versions }) => String(versions.rendering),
  evidence: ({ versions, denied_acts }) =>
    `${versions.evidence}${denied_acts === 'refuse' ? ', denied acts refused' : ''}`,
  judge: ({ judge, model_resolved, model_requested }) =>
    `${judge} (${model_resolved ?? model_requested ?? 'no model'})`,
  settings: ({ settings = null, samples = null }) => settings && JSON.stringify({ samples, ...settings }),
}

/**
 * Tells which differences forbid paired tests. Such tests ask whether two judges differ at one question, shown and checked alike; across another
 * question, text or check, a moved label says nothing of the judge. Another judge or other settings are the subject of a comparison.
 */
const isBlocking = (what: Difference['what']): boolean => !['cases', 'judge', 'settings'].includes(what)

const MOST_VALUES = 10

/** Gathers the differences of the sides of a comparison, pair by pair. */
export function gatherDifferences() {
  const found = new Map<string, { n: number; base: Set<string>; head: Set<string> }>()
  return {
    add(base: Receipt, head: Receipt) {
      for (const [what, tell] of Object.entries(VALUES)) {
        const [one, other] = [tell(base), tell(head)]
        if (one === null || other === null || one === other) continue
        const all = found.get(what) ?? { n: 0, base: new Set(), head: new Set() }
        found.set(what, { n: all.n + 1, base: all.base.add(one), head: all.head.add(other) })
      }
    },
    /** Lists the differences; `alone`: the questions that one side alone asks. */
    list(alone: Readonly<Record<'base_only' | 'head_only', number>>): Difference[] {
      const { base_only, head_only } = alone
      const ofSide = (n: number) => new Set([`${count(n, 'question')} of this side alone`])
      const n = base_only + head_only
      if (n > 0) found.set('cases', { n, base: ofSide(base_only), head: ofSide(head_only) })
      return ASPECTS.flatMap((what) => {
        const { n = 0, base = [], head = [] } = found.get(what) ?? {}
        const values = { base: [...base].slice(0, MOST_VALUES), head: [...head].slice(0, MOST_VALUES) }
        return n === 0 ? [] : [{ what, n, ...values, blocks_tests: isBlocking(what) }]
      })
    },
  }
}
