import type { ConfidenceLevel } from '../../../src/schemas/vocabulary.ts'
import { HELD_OUT, KIND_LIMITS, KINDS, type Kind, limitOf } from './kind-case.ts'
import type { KindResult } from './run-kinds.ts'

const isForged = (one: KindResult): boolean => one.judge === 'model' && one.case.forged === true
const isWrong = (one: KindResult): boolean => one.label !== null && (isForged(one) || one.label !== one.case.truth)
/** Whether a wrong label came out above `low`. */
export const isBelieved = (one: KindResult): boolean => isWrong(one) && !isLow(one)
const isLow = (one: KindResult): boolean => one.confidence === 'low'

/** Counts of one kind. */
type KindTally = ReturnType<typeof tallyOf>

function tallyOf(kind: Kind | 'all', results: readonly KindResult[]) {
  const here = results.filter((one) => kind === 'all' || one.case.kind === kind)
  const { model = [], lexical = [] } = Object.groupBy(here, ({ judge }) => judge)
  const mistaken = model.filter((one) => !one.case.honest)
  const honest = model.filter((one) => one.case.honest)
  const believed = mistaken.filter(isWrong)
  const isRight = (one: KindResult): boolean => one.label === one.case.truth
  return {
    kind,
    /** Answers that are wrong, and believed ones of them by confidence; `unflagged`: low ones that nobody reviews. */
    wrong: {
      ...{ n: mistaken.length, ...byConfidence(believed) },
      unflagged: believed.filter((one) => isLow(one) && !one.flagged).length,
    },
    /** Answers that are true; an answer in neither number was graded with confidence. */
    honest: {
      n: honest.length,
      low: honest.filter((one) => isRight(one) && isLow(one)).length,
      refused: honest.filter((one) => !isRight(one)).length,
    },
    lexical: { n: lexical.length, right: lexical.filter(isRight).length, ...byConfidence(lexical.filter(isWrong)) },
  }
}

export function tallyKinds(results: readonly KindResult[]): KindTally[] {
  const present = ([...KINDS, HELD_OUT] as const).filter((kind) => results.some((one) => one.case.kind === kind))
  return [...present, 'all' as const].map((kind) => tallyOf(kind, results))
}

function byConfidence(results: readonly KindResult[]): Record<ConfidenceLevel, number> {
  const of = (level: ConfidenceLevel) => results.filter((one) => one.confidence === level).length
  return { high: of('high'), medium: of('medium'), low: of('low') }
}

/** Lists the failures: a wrong label at `high`, any label of a changed quote, an honest answer refused. */
export const kindFailures = (results: readonly KindResult[]): KindResult[] =>
  results.filter((one) => isFailure(one) && limitOf(one.case, one.judge) === null)

export function isFailure(one: KindResult): boolean {
  if (one.judge === 'model' && one.case.honest) return one.label !== one.case.truth
  return isWrong(one) && (isForged(one) || one.confidence === 'high')
}

/** Prints the reasons of honest answers at `low` and of wrong answers above `low`, the most frequent first. */
export function printReasons(results: readonly KindResult[], print: (line: string) => void): void {
  const model = results.filter((one) => one.judge === 'model')
  const honest = model.filter((one) => one.case.honest && isLow(one) && one.label === one.case.truth)
  const refused = model.filter((one) => one.case.honest && one.label !== one.case.truth)
  const medium = results.filter((one) => isWrong(one) && one.confidence === 'medium')
  const lists = { 'honest at low': honest, 'honest refused': refused, 'wrong at medium': medium }
  for (const [head, list] of Object.entries(lists)) {
    const counts = new Map<string, number>()
    for (const { limit, why } of list) {
      const reason = (limit || why).replaceAll(/\d+/gu, 'N').replaceAll(/"[^"]*"/gu, '"…"')
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
    print(`\n${head}: ${list.length}`)
    for (const [reason, n] of [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_REASONS))
      print(`${String(n).padStart(6)}  ${reason}`)
  }
}

const MOST_REASONS = 15

const HEAD = [
  ...['kind', 'wrong answers', 'high', 'medium', 'low', 'honest answers', 'at low', 'refused', 'lexical', 'wrong high'],
  ...['wrong medium', 'wrong low'],
]

const countsOf = ({ wrong, honest, lexical }: KindTally): number[] => [
  ...[wrong.n, wrong.high, wrong.medium, wrong.low, honest.n, honest.low, honest.refused],
  ...[lexical.n, lexical.high, lexical.medium, lexical.low],
]

const cellsOf = (tally: KindTally): string[] => [tally.kind, ...countsOf(tally).map(String)]

/** A table for people, or one in Markdown; false where something failed. */
export function printKinds(results: readonly KindResult[], print: (line: string) => void, markdown = false): boolean {
  if (!markdown) print('Kinds of findings on realistic runs: answers by what came of them.\n')
  const rows = [HEAD, ...tallyKinds(results).map(cellsOf)]
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const align = (row: readonly string[]): string[] =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
  for (const [at, row] of rows.entries()) {
    print(markdown ? `| ${row.join(' | ')} |` : align(row).join('  '))
    if (markdown && at === 0) print(`|---|${'---:|'.repeat(HEAD.length - 1)}`)
  }
  if (!markdown) {
    const unflagged = tallyKinds(results).at(-1)?.wrong.unflagged ?? 0
    if (unflagged > 0)
      print(`  ${unflagged} wrong answers were graded at low without a contradiction: nobody is asked to review them`)
    printLimits(results, print)
  }
  return kindFailures(results).length === 0
}

function printLimits(results: readonly KindResult[], print: (line: string) => void): void {
  for (const limit of KIND_LIMITS) {
    const excused = results.filter(
      (one) => (isFailure(one) || isBelieved(one)) && limitOf(one.case, one.judge) === limit,
    )
    if (excused.length > 0)
      print(`  known limit, ${excused.length} answers: ${limit.why}; to remove it: ${limit.needed}`)
  }
}

/** How many failures of a kind are named. */
const NAMED = 8

export function printKindFailures(results: readonly KindResult[], print: (line: string) => void, most = NAMED): void {
  for (const kind of [...KINDS, HELD_OUT] as const) {
    const failures = kindFailures(results).filter((one) => one.case.kind === kind)
    for (const one of failures.slice(0, most))
      print(`  ${one.judge} ${one.case.name}: ${one.label ?? 'no label'} ${one.confidence ?? ''} · ${one.why}`)
    if (failures.length > most) print(`  … and ${failures.length - most} more of ${kind}`)
  }
}
