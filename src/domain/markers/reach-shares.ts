import type { UndefinedReason } from '../../schemas/audit/agreement.ts'
import type { Rate } from '../../schemas/audit/report.ts'
import { BOOTSTRAP, type BootstrapSettings } from '../statistics/bootstrap.ts'
import { rateOf, tally } from '../statistics/clustered-rates.ts'
import { type BooleanPair, comparePairs } from '../statistics/paired.ts'
import type { Reached } from './check-run.ts'
import { MARKERS, type MarkerName } from './marker-finding.ts'

/** Whether a marker came to the agent in one run. */
export interface ReachRow {
  readonly marker: MarkerName
  readonly variant: string | null
  readonly task: string | null
  readonly agent: string | null
  readonly model: string | null
  readonly run_index: number | null
  readonly reached: Reached
}

/** Of one variant: the share of runs in which the marker reaches the agent, which is what a defense leaves of it. */
export interface ReachShare {
  readonly marker: MarkerName
  readonly variant: string | null
  /** Runs of which it is known: `k` of `n`; `unknown` ones are left out. The interval counts runs of one task as related. */
  readonly rate: Rate
}

/** The share of one variant less that of another, over runs that both have. */
export interface ReachDifference {
  readonly marker: MarkerName
  readonly base: string | null
  readonly variant: string | null
  readonly pairs: number
  /** Runs of either variant without a partner, with more than one, of no task, or of which nothing is known on one side. */
  readonly unpaired: number
  readonly base_rate: number | null
  readonly variant_rate: number | null
  /** variant − base. */
  readonly difference: number | null
  readonly ci95: readonly [number, number] | null
  readonly reason: UndefinedReason | null
  /** Pairs in which it reaches the agent in the base alone, and in the variant alone. */
  readonly discordant: { readonly base_only: number; readonly variant_only: number }
  /** McNemar’s exact p. */
  readonly p: number | null
}

export interface ReachReport {
  readonly shares: readonly ReachShare[]
  readonly differences: readonly ReachDifference[]
}

/**
 * Shares of each variant in the order in which variants first come, and each against the base, paired by task, run index and model; by agent
 * too where both variants have the same agents: a defense often is an agent of another name.
 *
 * @param base the variant to compare with; the first one where absent.
 */
export function reachReport(
  rows: readonly ReachRow[],
  base?: string,
  settings: BootstrapSettings = BOOTSTRAP,
): ReachReport {
  const variants = [...new Set(rows.map(({ variant }) => variant))]
  const first = base ?? variants[0] ?? null
  const of = (marker: MarkerName, variant: string | null) =>
    rows.filter((row) => row.marker === marker && row.variant === variant)
  return {
    shares: MARKERS.flatMap((marker) =>
      variants.flatMap((variant): ReachShare[] => {
        const own = of(marker, variant)
        const counted = tally(own, ({ task }) => task, [({ reached }) => reached])
        return own.length === 0 ? [] : [{ marker, variant, rate: rateOf(counted, 0, settings) }]
      }),
    ),
    differences: MARKERS.flatMap((marker) =>
      variants
        .filter((variant) => variant !== first)
        .flatMap((variant): ReachDifference[] => {
          const [bases, heads] = [of(marker, first), of(marker, variant)]
          return bases.length === 0 || heads.length === 0 ? [] : [compare(marker, bases, heads, settings)]
        }),
    ),
  }
}

function compare(
  marker: MarkerName,
  bases: readonly ReachRow[],
  heads: readonly ReachRow[],
  settings: BootstrapSettings,
): ReachDifference {
  const pairs = pairsOf(bases, heads)
  const { base, head, value, ci95, reason, base_only, head_only, mcnemar_p } = comparePairs(pairs, settings)
  return {
    marker,
    base: bases[0]?.variant ?? null,
    variant: heads[0]?.variant ?? null,
    pairs: pairs.length,
    unpaired: bases.length + heads.length - 2 * pairs.length,
    base_rate: base,
    variant_rate: head,
    difference: value,
    ...{ ci95, reason },
    discordant: { base_only, variant_only: head_only },
    p: mcnemar_p,
  }
}

/** A place with two runs of one variant is ambiguous: none of it is paired. */
function pairsOf(bases: readonly ReachRow[], heads: readonly ReachRow[]): BooleanPair[] {
  const agents = (rows: readonly ReachRow[]): string =>
    JSON.stringify([...new Set(rows.map(({ agent }) => agent))].sort())
  const byAgent = agents(bases) === agents(heads)
  const placeOf = ({ task, model, run_index, agent }: ReachRow): string =>
    JSON.stringify([task, model, run_index, byAgent ? agent : null])
  const others = Map.groupBy(heads, placeOf)
  return [...Map.groupBy(bases, placeOf)].flatMap(([place, [one, ...more]]): BooleanPair[] => {
    const [other, ...rest] = others.get(place) ?? []
    if (one === undefined || other === undefined || more.length + rest.length > 0 || one.task === null) return []
    if (one.reached === 'unknown' || other.reached === 'unknown') return []
    return [{ cluster: one.task, base: one.reached, head: other.reached }]
  })
}
