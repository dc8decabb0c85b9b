import type { GivenGroundTruth } from '../../schemas/ground-truth.ts'
import { pushTo } from '../push-to.ts'
import { MARKERS, type MarkerName } from './marker-finding.ts'
import { type FoundString, MarkerSearch } from './marker-search.ts'
import { type MarkerTexts, stringsOf } from './marker-strings.ts'

/** Whose marker a string is. */
export interface StringOwner {
  readonly task: string
  readonly marker: MarkerName
}

/** What the set knows of one task. */
export interface SetTask extends MarkerTexts {
  readonly task: string
  readonly instruction?: GivenGroundTruth['instruction'] | undefined
}

/** A marker of one task that stands in what belongs to another. */
export interface ForeignString {
  readonly owner: StringOwner
  readonly string: string
  readonly place: string
}

/** Characters that one automaton is built of, and all of them: up to half a kilobyte of memory each. */
const MOST_CHARS = 50_000
const MOST_OF_ALL = 400_000

/** The markers of all tasks of a set, searched for at once. */
export class MarkerSet {
  /** UTF-16 units of the longest string. */
  readonly longest: number
  /** Tasks of which nothing is searched for: there are too many. */
  readonly left_out: number
  readonly #owners = new Map<string, StringOwner[]>()
  readonly #searches: readonly MarkerSearch[]

  constructor(tasks: readonly SetTask[]) {
    let chars = 0
    let left_out = 0
    for (const one of tasks) {
      const strings = MARKERS.flatMap((marker) => stringsOf(one[marker]).map((text) => ({ marker, string: text })))
      chars += strings.reduce((sum, { string }) => sum + string.length, 0)
      if (chars > MOST_OF_ALL) left_out++
      else for (const { marker, string } of strings) pushTo(this.#owners, string, { task: one.task, marker })
    }
    this.left_out = left_out
    this.#searches = groupsOf([...this.#owners.keys()]).map((strings) => new MarkerSearch(strings))
    this.longest = this.#searches.reduce((most, { longest }) => Math.max(most, longest), 0)
  }

  has(string: string): boolean {
    return this.#owners.has(string)
  }

  /** Every string of the set in a text, whoever owns it. */
  find(text: string): FoundString[] {
    return this.#searches.flatMap((search) => search.find(text))
  }

  /** Owners of a string but for the task with these names. */
  otherOwners(string: string, names: readonly string[]): StringOwner[] {
    return (this.#owners.get(string) ?? []).filter(({ task }) => !names.includes(task))
  }
}

function groupsOf(strings: readonly string[]): string[][] {
  const groups: string[][] = []
  let chars = MOST_CHARS
  for (const string of strings) {
    if (chars + string.length > MOST_CHARS) {
      groups.push([])
      chars = 0
    }
    groups.at(-1)?.push(string)
    chars += string.length
  }
  return groups
}

/** Markers that stand in the texts of another task’s ground truth: no folder need be there for that. */
export function clashesOf(tasks: readonly SetTask[], set: MarkerSet): ForeignString[] {
  return tasks.flatMap((one) => {
    const texts: [string, string][] = [
      ...MARKERS.flatMap((marker) => stringsOf(one[marker]).map((text): [string, string] => [marker, text])),
      ...(one.instruction === undefined ? [] : [['instruction', one.instruction] as [string, string]]),
    ]
    return texts.flatMap(([what, text]) =>
      set
        .find(text)
        .flatMap(({ string }) =>
          set.otherOwners(string, [one.task]).map((owner) => ({ owner, string, place: `the ${what} of ${one.task}` })),
        ),
    )
  })
}
