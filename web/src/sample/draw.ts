import { itemOfGrade, placeOfQuestion, type ReviewItem } from '../review/review-item.ts'
import type { Grade, Label } from '../types.ts'
import { LABELS } from '../words.ts'

export const DRAW_DESIGNS = ['random', 'stratified'] as const
type DrawDesign = (typeof DRAW_DESIGNS)[number]

export interface DrawOptions {
  readonly design: DrawDesign
  readonly n: number
  readonly seed: string
}

/** The number of drawn questions of a label; a random draw has a single stratum. */
export interface Stratum {
  readonly label: Label | null
  readonly drawn: number
  readonly of: number
}

export interface Draw {
  readonly items: readonly ReviewItem[]
  readonly strata: readonly Stratum[]
}

/** Picks the newest grade with a label of each question. `grades` come newest first. */
export function populationOf(grades: readonly Grade[]): Grade[] {
  const newest = new Map<string, Grade>()
  for (const grade of grades) {
    const place = placeOfQuestion(grade.receipt)
    if (grade.label !== null && !newest.has(place)) newest.set(place, grade)
  }
  return [...newest.values()]
}

/** Lists the labels of grades in a fixed order. */
const labelsOf = (grades: readonly Grade[]): readonly string[] => [
  ...new Set([...LABELS, ...grades.flatMap(({ label }) => label ?? []).sort()]),
]

/**
 * Draws without replacement: every question has a rank made of seed and question alone, and the lowest ranks are drawn. The same
 * seed over the same grades is the same sample for everybody, and its order says nothing of the labels.
 */
export function drawSample(population: readonly Grade[], { design, n, seed }: DrawOptions): Draw {
  const ranked = population
    .map((grade) => ({ grade, rank: rankOf(`${seed}\n${placeOfQuestion(grade.receipt)}`) }))
    .sort((a, b) => a.rank - b.rank || (placeOfQuestion(a.grade.receipt) < placeOfQuestion(b.grade.receipt) ? -1 : 1))
  const strata =
    design === 'random'
      ? [ranked]
      : labelsOf(population)
          .map((label) => ranked.filter(({ grade }) => grade.label === label))
          .filter(({ length }) => length > 0)
  const sizes = shareOut(n, strata)
  const drawn = strata.flatMap((stratum, index) => {
    const size = sizes[index] ?? 0
    const probability = size / stratum.length
    return stratum.slice(0, size).map((item) => ({ ...item, probability }))
  })
  drawn.sort((a, b) => a.rank - b.rank)
  return {
    items: drawn.map(({ grade, probability }) => itemOfGrade(grade, { design, probability })),
    strata: strata.map((stratum, index) => ({
      label: design === 'random' ? null : (stratum[0]?.grade.label ?? null),
      drawn: sizes[index] ?? 0,
      of: stratum.length,
    })),
  }
}

/** Shares out a number over strata as equally as can be: larger strata fill the gap of a small stratum. */
function shareOut(n: number, strata: readonly (readonly unknown[])[]): number[] {
  const shares = strata.map(() => 0)
  let left = Math.min(n, strata.flat().length)
  while (left > 0)
    for (const [index, { length }] of strata.entries()) {
      if (left === 0 || (shares[index] ?? 0) >= length) continue
      shares[index] = (shares[index] ?? 0) + 1
      left--
    }
  return shares
}

/** Hashes a text to 53 bits, spread evenly, by cyrb53 (bryc, public domain): for chance, not for secrecy. */
function rankOf(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}
