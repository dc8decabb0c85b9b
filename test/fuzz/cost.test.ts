import { expect, test } from 'vitest'
import { readTrajectory } from '../../src/formats/read.ts'
import { BlockCount } from './block-count.ts'
import { keptInputs } from './target.ts'
import { READERS } from './targets/readers.ts'

type Json = Readonly<Record<string, unknown>>
const LIMITS = { max_steps: 1_000_000, max_part_chars: 5_000_000 }

/** Numbers of steps are left out: a number that stands twice is refused. */
const withoutNumbers = (item: unknown): unknown => {
  if (typeof item !== 'object' || item === null) return item
  const { step_id: _own, ...rest } = item as Json
  return rest
}

/** A document whose longest list is said again and again, with every id as often as its member. */
function grown(document: Json, times: number): Json {
  const lists = Object.entries(document).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
  const [name, items] = lists.sort(([, a], [, b]) => b.length - a.length)[0] ?? ['', []]
  return { ...document, [name]: Array.from({ length: times }, () => items.map(withoutNumbers)).flat() }
}

/** Blocks of the readers that ran, counted by V8: the same on a busy machine. V8 forgets counts when it collects garbage: the most of three. */
function workOf(blocks: BlockCount, document: Json): number {
  const counts = [1, 2, 3].map(() => {
    blocks.take()
    readTrajectory(document, LIMITS)
    return blocks.take()
  })
  return Math.max(...counts)
}

const SEEDS = READERS.flatMap((reader) =>
  keptInputs(reader).flatMap(({ file, input }) => (file.includes('seed') ? [[file, input as Json] as const] : [])),
)

test.each(SEEDS)('%s: four times the document is about four times the work', (_file, seed) => {
  const blocks = new BlockCount('/src/formats/')
  const [one, four] = [workOf(blocks, grown(seed, 20)), workOf(blocks, grown(seed, 80))]
  blocks.stop()
  expect(one).toBeGreaterThan(0)
  // A square would be sixteen.
  expect(four / one).toBeLessThan(7)
})
