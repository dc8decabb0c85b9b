import type { Anchors } from '../anchors/anchors.ts'
import { dumpedText } from '../text/dump.ts'
import type { Hit } from '../text/search.ts'
import type { Part, Position, Trajectory } from '../trajectory/trajectory.ts'
import { isAsWritten, type Match, NeedleSearch } from './needle-search.ts'
import { judgeEcho, MOST_OWN, type OwnText, ownTextAt } from './own-text.ts'
import { PieceCollector } from './partial-sight.ts'
import { ENCODED, isInPieces, isLongWhole, type Needle, type Needles, prepareNeedles } from './sight-needles.ts'

/** What is known of one needle: its first certain and its first doubtful sight in tool output, its first place in the prompt. */
export interface NeedleSights {
  readonly needle: Needle
  certain: Hit | null
  /** It dates nothing and caps the confidence at `low`. */
  doubtful: Hit | null
  prompt: Hit | null
  /** Where the agent first writes it down, for a text that nobody makes up. */
  written: Hit | null
  readonly own: OwnText[]
  readonly pieces: PieceCollector | null
}

/**
 * What a string in tool output shows: nothing, where the agent’s own text comes back; something doubtful, where more stands around that text, where
 * it is short and written otherwise, and where we took it from the instruction’s text: a listing or a usage text can hold that by itself.
 */
type Shows = 'certain' | 'doubtful' | 'nothing'

/** The part that is read, as a hit in it names it. */
type Place = Pick<Hit, 'position' | 'step_id' | 'path'>

/** Judgements of a needle that costs more than a look-up; what comes after them stays doubtful. */
const MOST_JUDGED = 2000

const isPrompt = (part: Part): boolean => part.actor === 'user' || part.actor === 'system'

/** Reads the parts in the order of events, so that what was written before something came back is known when it does. */
class SightReader {
  readonly sights: readonly NeedleSights[]
  private readonly search: NeedleSearch
  private readonly judged: Uint32Array
  private readonly ownPieces = new Set<string>()

  constructor(needles: Needles, search: NeedleSearch = new NeedleSearch(needles)) {
    this.search = search
    this.judged = new Uint32Array(needles.all.length)
    this.sights = needles.all.map((needle) => ({
      needle,
      certain: null,
      doubtful: null,
      prompt: null,
      written: null,
      own: [],
      pieces: isInPieces(needle) ? new PieceCollector(needle) : null,
    }))
  }

  /** Nothing that comes later changes what is known of a given string: no sight of a derived one is certain, or dates anything. */
  get isOver(): boolean {
    return this.sights.every((one) => one.certain !== null || one.needle.kind === 'derived')
  }

  /** Whether another sight of it in tool output would tell more. */
  private readonly isOpen = (needle: number): boolean => {
    const { certain, doubtful, needle: one } = this.sights[needle] as NeedleSights
    return certain === null && (one.kind !== 'derived' || doubtful === null)
  }

  /** What was written in another conversation does not come back in this one. */
  forgetOwn(): void {
    for (const { own } of this.sights) own.length = 0
    this.ownPieces.clear()
  }

  read(part: Part, position: Position, step_id: number): void {
    if (part.media || this.isOver) return
    const place = { position, step_id, path: part.path }
    if (part.actor === 'tool_output') this.readOutput(part, place)
    else this.readOwn(part, place)
  }

  /** What agent, user and system write. */
  private readOwn(part: Part, place: Place): void {
    const wanted = (needle: number): boolean => {
      const known = this.sights[needle] as NeedleSights
      return known.certain === null && (known.own.length < MOST_OWN || (known.prompt === null && isPrompt(part)))
    }
    this.search.each(part.text, wanted, ({ meaning, start, end }) => {
      const sights = this.sights[meaning.needle] as NeedleSights
      if (meaning.piece !== -1) {
        this.ownPieces.add(`${meaning.needle}/${meaning.piece}`)
        return true
      }
      if (sights.own.length < MOST_OWN) sights.own.push(ownTextAt(place.position, part.text, start, end))
      if (!isPrompt(part) && isLongWhole(sights.needle))
        sights.written ??= { needle: sights.needle.text, ...place, start, end }
      if (sights.prompt !== null || !isPrompt(part)) return true
      if (sights.needle.isShort && !this.isAsWritten(meaning.needle, part.text, start, end)) return true
      sights.prompt = { needle: sights.needle.text, ...place, start, end }
      return true
    })
  }

  private readOutput(part: Part, place: Place): void {
    const touched = new Set<NeedleSights>()
    this.search.each(part.text, this.isOpen, (match) => {
      const { meaning } = match
      const sights = this.sights[meaning.needle] as NeedleSights
      if (meaning.piece !== -1) {
        if (this.ownPieces.has(`${meaning.needle}/${meaning.piece}`)) return true
        if (meaning.piece === ENCODED) {
          note(sights, 'doubtful', place, match)
          return true
        }
        sights.pieces?.add(match, part.text, this.search.skeleton)
        touched.add(sights)
        return true
      }
      note(sights, this.shownBy(sights, match, part.text, place.position), place, match)
      return !this.isOver
    })
    for (const sights of touched) {
      const seen = sights.pieces?.finish(part) ?? null
      if (seen !== null) note(sights, seen.isComplete ? 'certain' : 'doubtful', place, seen)
    }
    this.readDump(part, place)
  }

  /** What the part shows as a dump of its bytes. */
  private readDump(part: Part, place: Place): void {
    const dumped = dumpedText(part.text)
    if (dumped === null) return
    this.search.each(dumped.text, this.isOpen, ({ meaning, start, end }) => {
      const sights = this.sights[meaning.needle] as NeedleSights
      if (meaning.piece !== -1 || sights.own.length > 0) return true
      const isCertain = !sights.needle.isShort && sights.needle.kind !== 'derived'
      note(sights, isCertain ? 'certain' : 'doubtful', place, dumped.range(start, end))
      return true
    })
  }

  private shownBy(sights: NeedleSights, match: Match, text: string, position: Position): Shows {
    const { needle, own } = sights
    const { start, end } = match
    if (own.length > 0) {
      if (this.isSpent(match.meaning.needle)) return sights.doubtful === null ? 'doubtful' : 'nothing'
      const echo = judgeEcho(text, start, end, own, position)
      // No agent makes up a whole instruction: where it wrote one down first, it may have read it where no search can.
      if (echo === 'echo') return isLongWhole(needle) ? 'doubtful' : 'nothing'
      if (echo === 'doubtful') return 'doubtful'
    }
    if (needle.kind === 'derived') return 'doubtful'
    return needle.isShort && !this.isAsWritten(match.meaning.needle, text, start, end) ? 'doubtful' : 'certain'
  }

  private isAsWritten(needle: number, text: string, start: number, end: number): boolean {
    const one = this.sights[needle]?.needle as Needle
    if (text.startsWith(one.text, start) && end - start === one.text.length) return true
    return !this.isSpent(needle) && isAsWritten(text, start, end, one)
  }

  private isSpent(needle: number): boolean {
    const judged = (this.judged[needle] ?? 0) + 1
    this.judged[needle] = judged
    return judged > MOST_JUDGED
  }
}

function note(sights: NeedleSights, shows: Shows, place: Place, { start, end }: Pick<Hit, 'start' | 'end'>): void {
  if (shows === 'nothing') return
  sights[shows] ??= { needle: sights.needle.text, ...place, start, end }
}

/** All sights of a trajectory, by needle; `isRead`: whether output, or words of others, at a place count. */
export function readSights(
  trajectory: Trajectory,
  anchors: Anchors,
  isRead: (at: Position) => boolean = () => true,
): readonly NeedleSights[] {
  const needles = prepareNeedles(anchors)
  if (needles.all.length === 0) return []
  const reader = new SightReader(needles)
  for (const [step, { id, parts, conversation }] of trajectory.steps.entries()) {
    if (reader.isOver) break
    if (step > 0 && conversation !== trajectory.steps[step - 1]?.conversation) reader.forgetOwn()
    for (const [part, one] of parts.entries()) {
      const position = { step, part }
      if (one.actor.startsWith('agent_') || isRead(position)) reader.read(one, position, id)
    }
  }
  return reader.sights
}

export type Shown = 'certain' | 'doubtful' | 'none'

/** What one part shows of the instructions by itself, regardless of who wrote it before; for one part after the other. */
export function createShows(anchors: Anchors): (part: Part) => Shown {
  const needles = prepareNeedles(anchors)
  const search = new NeedleSearch(needles)
  return (part) => {
    if (part.media || needles.all.length === 0) return 'none'
    const reader = new SightReader(needles, search)
    reader.read({ ...part, actor: 'tool_output' }, { step: 0, part: 0 }, 0)
    if (reader.sights.some((one) => one.certain !== null)) return 'certain'
    return reader.sights.some((one) => one.doubtful !== null) ? 'doubtful' : 'none'
  }
}
