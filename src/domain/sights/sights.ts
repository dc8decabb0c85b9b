import type { Anchors } from '../evidence/anchors.ts'
import type { Hit } from '../text/search.ts'
import type { Part, Position, Trajectory } from '../trajectory/trajectory.ts'
import { dumpedText } from './dumped-text.ts'
import { isAsWritten, type Match, NeedleSearch } from './needle-search.ts'
import { judgeEcho, MOST_OWN, type OwnText, ownTextAt } from './own-text.ts'
import { PieceCollector } from './partial-sight.ts'
import { type Needle, type Needles, prepareNeedles, SHORTEST_IN_PIECES } from './sight-needles.ts'

/**
 * Why a sight is doubtful: the agent's own text with more around it, only pieces, shown encoded, short and written otherwise, or a string that we took
 * from the instruction's text: a listing or a usage text can hold that by itself.
 */
const DOUBTS = ['echo', 'partial', 'encoded', 'short', 'derived'] as const
type Doubt = (typeof DOUBTS)[number]

/** Where a string of an instruction came to the agent. A doubtful sight dates nothing and caps the confidence at `low`. */
interface Sight {
  readonly hit: Hit
  readonly certain: boolean
  readonly doubt: Doubt | null
}

/** What is known of one needle: its first certain and its first doubtful sight in tool output, its first place in the prompt. */
export interface NeedleSights {
  readonly needle: Needle
  certain: Sight | null
  doubtful: Sight | null
  prompt: Hit | null
  readonly own: OwnText[]
  readonly pieces: PieceCollector | null
}

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
      own: [],
      pieces: needle.kind === 'whole' && needle.units.length >= SHORTEST_IN_PIECES ? new PieceCollector(needle) : null,
    }))
  }

  /** Nothing that comes later changes what is known of a given string: no sight of a derived one is certain, or dates anything. */
  get isOver(): boolean {
    return this.sights.every((one) => one.certain !== null || one.needle.kind === 'derived')
  }

  /** Whether another sight of it in tool output would tell more. */
  private isOpen(needle: number): boolean {
    const { certain, doubtful, needle: one } = this.sights[needle] as NeedleSights
    return certain === null && (one.kind !== 'derived' || doubtful === null)
  }

  read(part: Part, position: Position, step_id: number): void {
    if (part.media || this.isOver) return
    if (part.actor === 'tool_output') this.readOutput(part, position, step_id)
    else this.readOwn(part, position, step_id)
  }

  /** What agent, user and system write. */
  private readOwn(part: Part, position: Position, step_id: number): void {
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
      if (sights.own.length < MOST_OWN) sights.own.push(ownTextAt(position, part.text, start, end))
      if (sights.prompt !== null || !isPrompt(part)) return true
      if (sights.needle.isShort && !this.isAsWritten(meaning.needle, part.text, start, end)) return true
      sights.prompt = { needle: sights.needle.text, position, step_id, path: part.path, start, end }
      return true
    })
  }

  private readOutput(part: Part, position: Position, step_id: number): void {
    const touched = new Set<NeedleSights>()
    this.search.each(
      part.text,
      (needle) => this.isOpen(needle),
      (match) => {
        const { meaning, start, end } = match
        const sights = this.sights[meaning.needle] as NeedleSights
        if (meaning.piece !== -1) {
          if (this.ownPieces.has(`${meaning.needle}/${meaning.piece}`)) return true
          sights.pieces?.add(match, part.text, this.search.skeleton)
          touched.add(sights)
          return true
        }
        const doubt = this.doubtOf(sights, match, part.text, position)
        if (doubt === 'echo_only') return true
        const hit = { needle: sights.needle.text, position, step_id, path: part.path, start, end }
        this.note(sights, { hit, certain: doubt === null, doubt })
        return !this.isOver
      },
    )
    for (const sights of touched) this.finishPieces(sights, part, position, step_id)
    this.readDump(part, position, step_id)
  }

  private note(sights: NeedleSights, sight: Sight): void {
    if (sight.certain) sights.certain ??= sight
    else sights.doubtful ??= sight
  }

  private finishPieces(sights: NeedleSights, part: Part, position: Position, step_id: number): void {
    const seen = sights.pieces?.finish(part) ?? null
    if (seen === null) return
    const { start, end, isComplete } = seen
    const hit = { needle: sights.needle.text, position, step_id, path: part.path, start, end }
    this.note(sights, { hit, certain: isComplete, doubt: isComplete ? null : 'partial' })
  }

  /** What the part shows as a dump of its bytes. */
  private readDump(part: Part, position: Position, step_id: number): void {
    const dumped = dumpedText(part.text)
    if (dumped === null) return
    const { text, from } = dumped
    this.search.each(
      text,
      (needle) => this.isOpen(needle),
      ({ meaning, start, end }) => {
        const sights = this.sights[meaning.needle] as NeedleSights
        if (meaning.piece !== -1 || sights.own.length > 0) return true
        const place = { start: from[start] ?? 0, end: (from[end - 1] ?? 0) + 1 }
        const hit = { needle: sights.needle.text, position, step_id, path: part.path, ...place }
        const certain = !sights.needle.isShort && sights.needle.kind !== 'derived'
        this.note(sights, { hit, certain, doubt: certain ? null : 'encoded' })
        return true
      },
    )
  }

  private doubtOf(sights: NeedleSights, match: Match, text: string, position: Position): Doubt | 'echo_only' | null {
    const { needle, own } = sights
    const { start, end } = match
    if (own.length > 0) {
      if (this.isSpent(match.meaning.needle)) return sights.doubtful === null ? 'echo' : 'echo_only'
      const echo = judgeEcho(text, start, end, own, position)
      // No agent makes up a whole instruction: where it wrote one down first, it may have read it where no search can.
      if (echo === 'echo')
        return needle.kind === 'whole' && needle.units.length >= SHORTEST_IN_PIECES ? 'echo' : 'echo_only'
      if (echo === 'doubtful') return 'echo'
    }
    if (needle.kind === 'derived') return 'derived'
    return needle.isShort && !this.isAsWritten(match.meaning.needle, text, start, end) ? 'short' : null
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

/** All sights of a trajectory, by needle. */
export function readSights(trajectory: Trajectory, anchors: Anchors): readonly NeedleSights[] {
  const needles = prepareNeedles(anchors)
  if (needles.all.length === 0) return []
  const reader = new SightReader(needles)
  for (const [step, { id, parts }] of trajectory.steps.entries()) {
    if (reader.isOver) break
    for (const [part, one] of parts.entries()) reader.read(one, { step, part }, id)
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
