import { FewAnswers, once } from '../result.ts'

/**
 * Tests whether ordinal values of items fall over runs. The statistic is the sum over the items of Mann-Kendall's S (Mann, Econometrica 13,
 * 1945): pairs of runs in which the value rose, less pairs in which the value fell. Where nothing changes between the runs, all orders of the values
 * of an item are equally likely, for each item by itself: p is the exact share of orders whose sum is as low. Equal values stay equal. Of two
 * runs this is the sign test. Items have at most seven values each: their orders are counted out.
 *
 * @returns the items that fell over the runs, those that rose, and p: one-sided and exact, 1 where nothing changed.
 * @example fallOver([[3, 2], [3, 2], [3, 1], [2, 1], [2, 2]]).p // → 1 / 16
 */
export function fallOver(series: readonly (readonly number[])[]) {
  const sums = series.map(sumOf)
  let chances = new Map([[0, 1]])
  for (const values of series) {
    const own = chancesOf(values.toSorted((a, b) => a - b).join())
    if (own.size > 1) chances = together(chances, own)
  }
  const seen = sums.reduce((sum, one) => sum + one, 0)
  const p = [...chances].reduce((share, [sum, chance]) => share + (sum <= seen ? chance : 0), 0)
  return { fell: sums.filter((sum) => sum < 0).length, rose: sums.filter((sum) => sum > 0).length, p: Math.min(1, p) }
}

/** Computes Mann-Kendall's S. */
const sumOf = (values: readonly number[]): number =>
  values.reduce(
    (sum, later, at) => sum + values.slice(0, at).reduce((own, earlier) => own + Math.sign(later - earlier), 0),
    0,
  )

/** Returns the chances of each S over all orders of some values, which are written as a list. */
const chancesOf = once((list: string): ReadonlyMap<number, number> => {
  const orders = ordersOf(list.split(',').map(Number))
  const chances = new Map<number, number>()
  for (const order of orders) chances.set(sumOf(order), (chances.get(sumOf(order)) ?? 0) + 1 / orders.length)
  return chances
}, new FewAnswers<ReadonlyMap<number, number>>(10_000))

const ordersOf = (values: readonly number[]): number[][] =>
  values.length === 0
    ? [[]]
    : values.flatMap((value, at) => ordersOf(values.toSpliced(at, 1)).map((rest) => [value, ...rest]))

function together(one: ReadonlyMap<number, number>, other: ReadonlyMap<number, number>): Map<number, number> {
  const both = new Map<number, number>()
  for (const [a, p] of one) for (const [b, q] of other) both.set(a + b, (both.get(a + b) ?? 0) + p * q)
  return both
}
