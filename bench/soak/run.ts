import type { Check } from './checks.ts'
import { type Figures, figuresOf, isGood, type Outcome } from './recorder.ts'
import type { Sample } from './sampler.ts'

interface Span {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** One kind of request in one phase. */
export interface Row extends Figures {
  readonly phase: string
  readonly kind: string
  /** Count of every outcome but a good one. */
  readonly others: Readonly<Record<string, number>>
}

/** Hits within one second. */
interface Second {
  readonly at: number
  readonly answered: number
  readonly hit_p50_ms: number | null
  readonly hit_p99_ms: number | null
}

/** Everything that a run has shown, as it is kept. */
export interface SoakRun {
  readonly minutes: number
  readonly node: string
  readonly cores: number
  readonly load: number
  readonly batch_items: number
  readonly held_back: number
  readonly phases: readonly Span[]
  readonly samples: readonly Sample[]
  readonly rows: readonly Row[]
  readonly seconds: readonly Second[]
  readonly checks: readonly Check[]
}

export function summarize(outcomes: readonly Outcome[], spans: readonly Span[]): Pick<SoakRun, 'rows' | 'seconds'> {
  const kinds = [...new Set(outcomes.map(({ kind }) => kind))]
  const rows = [...new Set(spans.map(({ name }) => name))].flatMap((phase) =>
    kinds.flatMap((kind) => {
      const mine = outcomes.filter((one) => one.kind === kind && one.phase === phase)
      return mine.length === 0 ? [] : [{ phase, kind, ...figuresOf(mine.filter(isGood)), others: countOthers(mine) }]
    }),
  )
  return { rows, seconds: perSecond(outcomes) }
}

function countOthers(outcomes: readonly Outcome[]): Record<string, number> {
  const others: Record<string, number> = {}
  for (const one of outcomes) if (!isGood(one)) others[one.outcome] = (others[one.outcome] ?? 0) + 1
  return others
}

function perSecond(outcomes: readonly Outcome[]): Second[] {
  const bySecond = Map.groupBy(outcomes, ({ at }) => Math.floor(at))
  const last = Math.max(0, ...bySecond.keys())
  return Array.from({ length: last + 1 }, (_, at) => at).map((at) => {
    const all = bySecond.get(at) ?? []
    const hits = figuresOf(all.filter((one) => one.kind === 'hit'))
    const some = hits.count > 0
    return { at, answered: all.length, hit_p50_ms: some ? hits.p50_ms : null, hit_p99_ms: some ? hits.p99_ms : null }
  })
}

export function renderRun(run: SoakRun): string {
  const lines = run.rows.map((row) =>
    [
      row.phase.padEnd(14),
      row.kind.padEnd(9),
      String(row.count).padStart(7),
      ms(row.p50_ms),
      ms(row.p99_ms),
      `  ${othersOf(row)}`,
    ].join(''),
  )
  const checks = run.checks.map(
    ({ name, promised, found, holds }) => `${holds ? 'holds' : 'FAILS'}  ${name}: ${found} (promised: ${promised})`,
  )
  return [
    `\n${'phase'.padEnd(14)}${'kind'.padEnd(9)}${'good'.padStart(7)}${'p50 ms'.padStart(9)}${'p99 ms'.padStart(9)}  others`,
    ...lines,
    '',
    `most: loop p99 ${most(run, 'loop_p99_ms')} ms, heap ${most(run, 'heap_mb')} MB, anonymous ${most(run, 'anonymous_mb')} MB, handles ${most(run, 'handles')}, WAL ${most(run, 'wal_mb')} MB; held back ${run.held_back}`,
    ...checks,
  ].join('\n')
}

const othersOf = ({ others }: Row): string =>
  Object.entries(others)
    .map(([outcome, count]) => `${count} × ${outcome}`)
    .join(', ')

export const most = ({ samples }: SoakRun, name: keyof Sample): string =>
  Math.max(...samples.map((one) => one[name])).toFixed(0)

const ms = (value: number): string => (Number.isNaN(value) ? '–' : value.toFixed(1)).padStart(9)
