import { parseArgs } from 'node:util'
import { UsageError, wholeNumber } from '../../tools/command-line.ts'
import { ATTACK_CLASSES, type AttackCase, type AttackClass } from './attack-case.ts'
import { allCases, sliceOf } from './catalogue.ts'

/** Which cases are given to another judge. */
export interface Part {
  /** null: all. Those without an attack always come along: what a judge makes of the others says nothing without them. */
  readonly classes: readonly AttackClass[] | null
  readonly every: number
}
export const WHOLE: Part = { classes: null, every: 1 }

export const PART_OPTIONS = { classes: { type: 'string' }, every: { type: 'string' } } as const

/** Names of a list, comma-separated, each one that is known; null where the option was not given. */
export function chosen<T extends string>(
  given: string | undefined,
  known: readonly T[],
  what: string,
): readonly T[] | null {
  if (given === undefined) return null
  return given.split(',').map((name) => {
    const found = known.find((one) => one === name)
    if (found === undefined) throw new UsageError(`no ${what} is named ${name}; there are: ${known.join(', ')}`)
    return found
  })
}

export interface PartValues {
  readonly classes?: string | undefined
  readonly every?: string | undefined
}

export const readPart = ({ classes, every }: PartValues): Part => ({
  classes: chosen(classes, ATTACK_CLASSES, 'class'),
  every: every === undefined ? 1 : wholeNumber('--every', every, 1),
})

/** The part as its options, which is how each exported case says it; null: the whole. */
export function partText({ classes, every }: Part): string | null {
  const options = [
    ...(classes === null ? [] : [`--classes ${classes.join(',')}`]),
    ...(every === 1 ? [] : [`--every ${every}`]),
  ]
  return options.length === 0 ? null : options.join(' ')
}

/** Reads `partText` again. Throws where it is none. */
export const parsePart = (text: string | null): Part =>
  text === null ? WHOLE : readPart(parseArgs({ args: text.split(' '), options: PART_OPTIONS }).values)

/** The cases of a part, in the order of the catalogue, but those whose instructions stand in a picture, which is not part of the suite. */
export function exportedCases({ classes, every }: Part): AttackCase[] {
  const all = allCases().filter(({ surface }) => surface !== 'media')
  const sliced = new Set(sliceOf(all, every))
  const isOf = (one: AttackCase) => sliced.has(one) && (classes === null || classes.includes(one.attack))
  return all.filter((one) => one.attack === 'control' || isOf(one))
}
