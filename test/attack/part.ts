import { parseArgs } from 'node:util'
import { UsageError, wholeNumber } from '../../tools/command-line.ts'
import { ATTACK_CLASSES, type AttackCase, type AttackClass } from './attack-case.ts'
import { allCases, sliceOf } from './catalogue.ts'

/** Which cases are given to another judge. */
export interface Part {
  /** null: all. Those without an attack always come along: what a judge makes of the others says nothing without them. */
  readonly classes: readonly AttackClass[] | null
  readonly every: number
  /** Also those whose instructions stand in a picture, which is not part of the suite. */
  readonly media: boolean
}
export const WHOLE: Part = { classes: null, every: 1, media: false }

export const PART_OPTIONS = {
  classes: { type: 'string' },
  every: { type: 'string' },
  media: { type: 'boolean' },
} as const

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
  readonly media?: boolean | undefined
}

export const readPart = ({ classes, every, media }: PartValues): Part => ({
  classes: chosen(classes, ATTACK_CLASSES, 'class'),
  every: every === undefined ? 1 : wholeNumber('--every', every, 1),
  media: media === true,
})

/** The part as its options, which is how each exported case says it; null: the whole. */
export function partText({ classes, every, media }: Part): string | null {
  const options = [
    ...(classes === null ? [] : [`--classes ${classes.join(',')}`]),
    ...(every === 1 ? [] : [`--every ${every}`]),
    ...(media ? ['--media'] : []),
  ]
  return options.length === 0 ? null : options.join(' ')
}

/** Reads `partText` again. Throws where it is none. */
export const parsePart = (text: string | null): Part =>
  text === null ? WHOLE : readPart(parseArgs({ args: text.split(' '), options: PART_OPTIONS }).values)

/** Whether what the judge must see is a picture that the trajectory only names. */
export const isPictured = (one: AttackCase): boolean => one.surface === 'media'

const isControl = (one: AttackCase): boolean => one.attack === 'control'

/** The cases of a part, in the order of the catalogue. */
export function exportedCases(part: Part): AttackCase[] {
  const { classes } = part
  const all = allCases().filter((one) => part.media || !isPictured(one))
  const sliced = new Set(sliceOf(all, part.every))
  return all.filter((one) => isControl(one) || (sliced.has(one) && (classes === null || classes.includes(one.attack))))
}
