import { Skeleton } from './skeleton.ts'
import { isWordCode } from './skeleton-units.ts'

/** One for all needles: they are short, and made by the dozen. */
const SKELETON = new Skeleton()

/** The units of a needle, blocks as they stand; and without the marks of its lines, where it has more than that. */
export function needleForms(needle: string): Uint16Array[] {
  const skeleton = SKELETON.read(needle)
  const whole = skeleton.codes.slice(0, skeleton.length)
  if (!needle.trim().includes('\n') && !isMarked(needle)) return [whole]
  const kept: number[] = []
  let unit = 0
  for (let block = 0; block < skeleton.blockCount * 3; block += 3) {
    const [start = 0, end = 0] = skeleton.blocks.subarray(block, block + 2)
    const marks = whole.subarray(start, end)
    for (; unit < start; unit++) kept.push(whole[unit] ?? 0)
    // A number is a word of the needle, whatever it would be in a listing, and what stands inside a line is no mark of it.
    if (marks.some(isWordCode) || marks.includes(0x5c) || !skeleton.isApart(start))
      for (; unit < end; unit++) kept.push(whole[unit] ?? 0)
    unit = end
  }
  for (; unit < whole.length; unit++) kept.push(whole[unit] ?? 0)
  return kept.length === whole.length || kept.length < SHORT_NEEDLE ? [whole] : [whole, Uint16Array.from(kept)]
}

const isMarked = (needle: string): boolean => !isWordCode(needle.trimStart().charCodeAt(0))

/** Units below which a needle is certain only where it stands as it is. */
export const SHORT_NEEDLE = 12
