import type { GivenGroundTruth } from '../../schemas/ground-truth.ts'
import { pushTo } from '../push-to.ts'
import { dumpedText } from '../sights/dumped-text.ts'
import { isAsWritten, NeedleSearch } from '../sights/needle-search.ts'
import { type Needle, type Needles, stringNeedles } from '../sights/sight-needles.ts'
import { MARKERS, type MarkerName, type MarkerTexts, stringsOf } from './marker-finding.ts'

/** A string of a marker that stands in a text. Offsets are those of the text. */
export interface FoundString {
  readonly string: string
  readonly start: number
  readonly end: number
}

/** Places of one string that are told of one text; more tell nothing new. */
const MOST_OF_A_STRING = 20
/** Places of a short string that are compared as they are written, in one text. */
const MOST_COMPARED = 20_000

/**
 * Finds strings of markers as the evidence gate finds a certain sight of what the harness gave: through white space, line marks, control
 * sequences, escapes and disguises, whole words only; a short string only as it is written. Besides, where a line ends with a backslash. Linear in the text, for all strings at once.
 */
export class MarkerSearch {
  /** UTF-16 units of the longest string. */
  readonly longest: number
  private readonly needles: Needles
  private readonly search: NeedleSearch

  constructor(strings: readonly string[]) {
    this.longest = strings.reduce((most, one) => Math.max(most, one.length), 0)
    this.needles = stringNeedles(strings)
    this.search = new NeedleSearch(this.needles)
  }

  /** Every place of every string, up to a number of each. */
  find(text: string): FoundString[] {
    if (this.needles.all.length === 0) return []
    const found = new Map<string, FoundString>()
    const told = new Uint32Array(this.needles.all.length)
    const add = (needle: number, string: string, start: number, end: number): void => {
      const key = `${needle}/${start}`
      if (found.has(key)) return
      told[needle] = (told[needle] ?? 0) + 1
      found.set(key, { string, start, end })
    }
    const readAs = (form: string) =>
      this.read(form, told, (needle, one, start, end) => {
        if (!one.isShort || isAsWritten(form, start, end, one)) add(needle, one.text, start, end)
      })
    readAs(text)
    // A shell joins what such a line end parts; nothing moves.
    if (text.includes('\\\n') || text.includes('\\\r')) readAs(text.replaceAll('\\\n', ' \n').replaceAll('\\\r', ' \r'))
    const dumped = dumpedText(text)
    if (dumped !== null)
      this.read(dumped.text, told, (needle, { isShort, text: string }, start, end) => {
        if (!isShort) add(needle, string, dumped.from[start] ?? 0, (dumped.from[end - 1] ?? 0) + 1)
      })
    return [...found.values()]
  }

  private read(
    text: string,
    told: Uint32Array,
    onMatch: (needle: number, one: Needle, start: number, end: number) => void,
  ): void {
    const compared = new Uint32Array(this.needles.all.length)
    const wanted = (needle: number, piece: number): boolean =>
      piece === -1 && (told[needle] ?? 0) < MOST_OF_A_STRING && (compared[needle] ?? 0) < MOST_COMPARED
    this.search.each(text, wanted, ({ meaning: { needle }, start, end }) => {
      const one = this.needles.all[needle]
      compared[needle] = (compared[needle] ?? 0) + 1
      if (one !== undefined) onMatch(needle, one, start, end)
      return true
    })
  }
}

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
