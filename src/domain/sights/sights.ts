import type { Anchors } from '../anchors/anchors.ts'
import { lettersOfPart } from '../text/letters.ts'
import type { Hit, Part, Position, Trajectory } from '../trajectory/trajectory.ts'
import { isSure, type Match, NeedleSearch } from './needle-search.ts'
import { ENCODED, type Entry, isInPieces, isLongWhole, type Needle, prepareNeedles, WHOLE } from './needles.ts'
import { judgeEcho, MOST_OWN, type OwnText, ownTextAt } from './own-text.ts'
import { MOST_PIECES, PieceCollector } from './partial-sight.ts'

/** The sights of one needle: the first certain and the first doubtful in tool output, the first place in the prompt. */
export interface NeedleSights {
  readonly needle: Needle
  certain: Hit | null
  /** A doubtful sight dates nothing and caps the confidence at `low`. */
  doubtful: Hit | null
  prompt: Hit | null
  /** The first place where the agent writes the text down, for a text that nobody makes up. */
  written: Hit | null
  readonly own: OwnText[]
  readonly pieces: PieceCollector | null
}

/**
 * The certainty of a sight in tool output: nothing, where the agent’s own text comes back; doubtful, where more stands around that text, where
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

  constructor(search: NeedleSearch) {
    const { all } = search.needles
    this.search = search
    this.judged = new Uint32Array(all.length)
    this.sights = all.map((needle) => ({
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

  /** Tests whether another sight of the needle in tool output would tell more. */
  private readonly isOpen = ({ needle }: Entry): boolean => {
    const { certain, doubtful, needle: one } = this.sights[needle] as NeedleSights
    return certain === null && (one.kind !== 'derived' || doubtful === null)
  }

  /** Forgets the own texts: text of another conversation does not come back in this one. */
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

  /** Reads what agent, user and system write. */
  private readOwn(part: Part, place: Place): void {
    const wanted = ({ needle }: Entry): boolean => {
      const known = this.sights[needle] as NeedleSights
      return known.certain === null && (known.own.length < MOST_OWN || (known.prompt === null && isPrompt(part)))
    }
    this.search.each(lettersOfPart(part), wanted, (match) => {
      const { entry, start, end } = match
      const sights = this.sights[entry.needle] as NeedleSights
      if (entry.piece !== WHOLE) {
        this.ownPieces.add(`${entry.needle}/${entry.piece}`)
        return true
      }
      if (sights.own.length < MOST_OWN) sights.own.push(ownTextAt(place.position, part.text, start, end))
      if (!isPrompt(part) && isLongWhole(sights.needle)) note(sights, 'written', place, match)
      if (sights.prompt === null && isPrompt(part) && this.isSure(part.text, match, sights.needle))
        note(sights, 'prompt', place, match)
      return true
    })
  }

  /** Reads the answer of a tool. */
  readOutput(part: Part, place: Place): void {
    const pieces = new Map<NeedleSights, Match[]>()
    const forms = lettersOfPart(part)
    /** The form that pieces are read in: escapes read back, marks of lines dropped. */
    const pieced = forms.findLast(({ kind, isUnmarked }) => isUnmarked && kind !== 'dumped')
    this.search.each(forms, this.isOpen, (match) => {
      const { entry } = match
      const sights = this.sights[entry.needle] as NeedleSights
      if (entry.piece !== WHOLE && this.ownPieces.has(`${entry.needle}/${entry.piece}`)) return true
      if (entry.piece === ENCODED) note(sights, 'doubtful', place, match)
      else if (entry.piece === WHOLE) note(sights, this.shownBy(sights, match, part.text, place.position), place, match)
      else if (match.letters === pieced) {
        const found = pieces.get(sights) ?? []
        if (found.length < MOST_PIECES) found.push(match)
        pieces.set(sights, found)
      }
      return !this.isOver
    })
    for (const [sights, found] of pieces) {
      const seen = sights.pieces?.read(part, found) ?? null
      if (seen !== null) note(sights, seen.isComplete ? 'certain' : 'doubtful', place, seen)
    }
  }

  private shownBy(sights: NeedleSights, match: Match, text: string, position: Position): Shows {
    const { needle, own } = sights
    const { start, end } = match
    if (own.length > 0) {
      // No echo of a terminal is a dump of bytes.
      if (match.letters.kind === 'dumped') return 'nothing'
      if (this.isSpent(match.entry.needle)) return sights.doubtful === null ? 'doubtful' : 'nothing'
      const echo = judgeEcho(text, start, end, own, position)
      // No agent makes up a whole instruction: where it wrote one down first, it may have read it where no search can.
      if (echo === 'echo') return isLongWhole(needle) ? 'doubtful' : 'nothing'
      if (echo === 'doubtful') return 'doubtful'
    }
    return needle.kind !== 'derived' && this.isSure(text, match, needle) ? 'certain' : 'doubtful'
  }

  private isSure(text: string, match: Match, needle: Needle): boolean {
    return !(needle.isShort && this.isSpent(match.entry.needle)) && isSure(text, match, needle)
  }

  private isSpent(needle: number): boolean {
    this.judged[needle] = (this.judged[needle] ?? 0) + 1
    return (this.judged[needle] ?? 0) > MOST_JUDGED
  }
}

/** Notes the first place of a kind. */
function note(sights: NeedleSights, kind: Noted, place: Place, { start, end }: Pick<Hit, 'start' | 'end'>): void {
  if (kind !== 'nothing') sights[kind] ??= { needle: sights.needle.text, ...place, start, end }
}

type Noted = Shows | 'prompt' | 'written'

/** All sights of a trajectory, by needle; `isRead`: whether output, or words of others, at a place count. */
export function readSights(
  trajectory: Trajectory,
  anchors: Anchors,
  isRead: (at: Position) => boolean = () => true,
): readonly NeedleSights[] {
  const needles = prepareNeedles(anchors)
  if (needles.all.length === 0) return []
  const reader = new SightReader(new NeedleSearch(needles))
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

/** Makes the test of single parts: how surely a part by itself shows an instruction, whoever wrote the text before. */
export function createShows(anchors: Anchors): (part: Part) => Shown {
  const needles = prepareNeedles(anchors)
  const search = new NeedleSearch(needles)
  return (part) => {
    if (part.media || needles.all.length === 0) return 'none'
    const reader = new SightReader(search)
    reader.readOutput(part, { position: { step: 0, part: 0 }, step_id: 0, path: part.path })
    if (reader.sights.some((one) => one.certain !== null)) return 'certain'
    return reader.sights.some((one) => one.doubtful !== null) ? 'doubtful' : 'none'
  }
}
