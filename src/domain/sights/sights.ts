import type { Anchors } from '../anchors/anchors.ts'
import { type Letters, lettersOfPart } from '../text/letters.ts'
import { foldForSearch, lineEnd, lineStart } from '../text/search.ts'
import { type Hit, isBefore, type Part, type Position, type Trajectory } from '../trajectory/trajectory.ts'
import data from '../words.json' with { type: 'json' }
import { baseName, wordSet } from '../words.ts'
import type { Entry, Match, Needle, Needles } from './needle-search.ts'
import { ENCODED, eachMatch, MOST_PIECES, PieceCollector, prepareNeedles, WHOLE } from './needle-search.ts'

/**
 * Text of the agent, the user or the system that can come back in tool output: a terminal echoes what is typed, `set -x` and make print
 * what they run, an editor shows the new content, a shell names the command that it did not find. None of it shows an instruction.
 */
interface OwnText {
  readonly position: Position
  readonly words: ReadonlySet<string>
}

/** Places kept of each needle, and how much around each of them. */
const MOST_OWN = 64
const LONGEST_LINE = 600
/** Words beside the needle, none of them the writer's own, that make a line a text of its own. */
const MANY_WORDS = 12

/** Judges a line that holds a string of the writer's own: an echo, more than that (null), or doubtful. */
function judgeEcho(text: string, start: number, end: number, own: readonly OwnText[], at: Position) {
  const earlier = own.filter((one) => isBefore(one.position, at))
  if (earlier.length === 0) return null
  const before = text.slice(Math.max(lineStart(text, start), start - LONGEST_LINE), start)
  const after = text.slice(end, Math.min(lineEnd(text, end), end + LONGEST_LINE))
  const rest = [...wordsOf(withoutPrompt(before)), ...wordsOf(after)]
  const further = rest.filter((word) => !earlier.some((one) => one.words.has(word)))
  if (further.length === 0) return 'echo'
  const isMessage = isComplaint(before, after)
  if (further.length < MANY_WORDS) return isMessage ? 'echo' : 'doubtful'
  return isMessage ? 'doubtful' : null
}

/** Drops a shell's prompt: `root@3f2a:/app# `, `(venv) $ `, `PS C:\> `, `+ ` of a trace. */
function withoutPrompt(before: string): string {
  const trimmed = before.trimEnd()
  for (let at = 0; at < Math.min(before.length, 120); at++) {
    if (!'$#%>❯+'.includes(before[at] ?? ' ')) continue
    if (at + 1 < before.length && before[at + 1] !== ' ' && at + 1 !== trimmed.length) continue
    const head = before.slice(0, at)
    if (head.trim() === '' || '@~/\\:)]'.split('').some((mark) => head.includes(mark))) return before.slice(at + 1)
  }
  return before
}

const COMPLAINERS = wordSet(data.complaining_programs)
const COMPLAINTS = (
  'command not found|not found|no such file|no rule to make target|permission denied|cannot access|' +
  'could not resolve|did not match any|not recognized|is a directory|unable to locate'
).split('|')

/** A program that says what it could not do with what it was given. */
function isComplaint(before: string, after: string): boolean {
  const line = `${before} ${after}`.toLowerCase()
  if (COMPLAINTS.some((one) => line.includes(one))) return true
  const name = line.trimStart().split(/[:[\s]/, 1)[0] ?? ''
  return COMPLAINERS.has(baseName(name)) && /^\s*\S{1,60}:\s/.test(before)
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]/u)
    .filter((word) => word.length > 1)

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
  /** Judgements of the needle that cost more than a look-up. */
  judged: number
}

/**
 * The certainty of a sight in tool output: nothing, where the agent’s own text comes back; doubtful, where more stands around that text, where
 * it is short and written otherwise, and where we took it from the instruction’s text: a listing or a usage text can hold that by itself.
 */
export type Shown = 'certain' | 'doubtful' | 'none'

/** The part that is read, as a hit in it names it. */
type Place = Pick<Hit, 'position' | 'step_id' | 'path'>

/** Places of a needle that are judged; those behind them stay doubtful. */
const MOST_JUDGED = 2000

/** The sights of a run up to the part that is read. */
interface Reading {
  readonly needles: Needles
  /** By the index of the needle. */
  readonly sights: readonly NeedleSights[]
  /** Pieces of needles that the agent, the user or the system wrote. */
  readonly ownPieces: Set<string>
}

const beginReading = (needles: Needles): Reading => ({
  needles,
  sights: needles.all.map((needle) => ({
    needle,
    certain: null,
    doubtful: null,
    prompt: null,
    written: null,
    own: [],
    judged: 0,
    pieces: needle.isInPieces ? new PieceCollector(needle) : null,
  })),
  ownPieces: new Set(),
})

/** Tells whether nothing that comes later changes what is known of a given string: no sight of a derived string is certain, or dates anything. */
const isOver = ({ sights }: Reading): boolean =>
  sights.every(({ certain, needle }) => certain !== null || needle.kind === 'derived')

/** Reads a part by the agent, the user or the system. */
function readOwn({ needles, sights, ownPieces }: Reading, part: Part, place: Place): void {
  const isPrompt = part.actor === 'user' || part.actor === 'system'
  const wanted = ({ needle }: Entry): boolean => {
    const known = sights[needle] as NeedleSights
    return known.certain === null && (known.own.length < MOST_OWN || (known.prompt === null && isPrompt))
  }
  eachMatch(needles, lettersOfPart(part), wanted, (match) => {
    const { entry, needle, start, end } = match
    const known = sights[entry.needle] as NeedleSights
    if (entry.piece !== WHOLE) {
      ownPieces.add(`${entry.needle}/${entry.piece}`)
      return true
    }
    const around = part.text.slice(Math.max(0, start - LONGEST_LINE), end + LONGEST_LINE)
    if (known.own.length < MOST_OWN) known.own.push({ position: place.position, words: new Set(wordsOf(around)) })
    // A summary of what came before repeats what the agent has read.
    const isRepeated = part.name === 'compact_summary' && needle.kind !== 'derived'
    if (!isPrompt && (isRepeated || isLongWhole(needle))) note(known, 'written', place, match)
    if (known.prompt === null && isPrompt && isSureSight(known, part.text, match)) note(known, 'prompt', place, match)
    return true
  })
}

/** Reads tool output. */
function readOutput(reading: Reading, part: Part, place: Place): void {
  const { needles, sights, ownPieces } = reading
  const pieces = new Map<NeedleSights, Match[]>()
  const forms = lettersOfPart(part)
  /** The form that pieces are read in: escapes read back, marks of lines dropped. */
  const pieced = forms.findLast(({ kind, isUnmarked }) => isUnmarked && kind !== 'dumped')
  const wanted = ({ needle }: Entry): boolean => {
    const known = sights[needle] as NeedleSights
    return known.certain === null && (known.needle.kind !== 'derived' || known.doubtful === null)
  }
  eachMatch(needles, forms, wanted, (match) => {
    const { entry } = match
    const known = sights[entry.needle] as NeedleSights
    if (entry.piece !== WHOLE && ownPieces.has(`${entry.needle}/${entry.piece}`)) return true
    if (entry.piece === ENCODED) note(known, 'doubtful', place, match)
    else if (entry.piece === WHOLE) note(known, shownBy(known, match, part.text, place.position), place, match)
    else if (match.letters === pieced) {
      const found = pieces.get(known) ?? []
      if (found.length < MOST_PIECES) found.push(match)
      pieces.set(known, found)
    }
    return !isOver(reading)
  })
  for (const [known, found] of pieces) {
    const seen = known.pieces?.read(part, found) ?? null
    if (seen !== null) note(known, seen.isComplete ? 'certain' : 'doubtful', place, seen)
  }
}

/** Judges a whole needle in tool output. */
function shownBy(sights: NeedleSights, match: Match, text: string, position: Position): Shown {
  const { needle, own } = sights
  const { start, end } = match
  if (own.length > 0) {
    // No echo of a terminal is a dump of bytes.
    if (match.letters.kind === 'dumped') return 'none'
    if (isSpent(sights)) return sights.doubtful === null ? 'doubtful' : 'none'
    const echo = judgeEcho(text, start, end, own, position)
    // No agent makes up a whole instruction: where it wrote one down first, it may have read it where no search can.
    if (echo === 'echo') return isLongWhole(needle) ? 'doubtful' : 'none'
    if (echo === 'doubtful') return 'doubtful'
  }
  return needle.kind !== 'derived' && isSureSight(sights, text, match) ? 'certain' : 'doubtful'
}

/** No agent makes up texts of so many letters by itself. */
const SHORTEST_READ = 40
/** An instruction’s own text that is too long to be written down by chance. */
const isLongWhole = ({ kind, exact }: Needle): boolean => kind === 'whole' && exact.length >= SHORTEST_READ

const isSureSight = (sights: NeedleSights, text: string, match: Match): boolean =>
  !(sights.needle.isShort && isSpent(sights)) && isSure(text, match)

const isSpent = (sights: NeedleSights): boolean => ++sights.judged > MOST_JUDGED

/** Notes the first place of a kind. */
function note(
  sights: NeedleSights,
  kind: Shown | 'prompt' | 'written',
  place: Place,
  { start, end }: Pick<Hit, 'start' | 'end'>,
): void {
  if (kind !== 'none') sights[kind] ??= { needle: sights.needle.text, ...place, start, end }
}

/** Reads all sights of a trajectory in the order of events, by needle; `isRead`: whether output, or words of others, at a place count. */
export function readSights(
  trajectory: Trajectory,
  anchors: Anchors,
  isRead: (at: Position) => boolean = () => true,
): readonly NeedleSights[] {
  const needles = prepareNeedles(anchors)
  if (needles.all.length === 0) return []
  const reading = beginReading(needles)
  const { sights, ownPieces } = reading
  let before = trajectory.steps[0]?.conversation
  for (const [step, { id: step_id, parts, conversation }] of trajectory.steps.entries()) {
    if (conversation !== before) {
      // Text of another conversation does not come back in this one.
      for (const { own } of sights) own.length = 0
      ownPieces.clear()
    }
    before = conversation
    for (const [index, part] of parts.entries()) {
      if (isOver(reading)) return sights
      const position = { step, part: index }
      if (part.media || !(part.actor.startsWith('agent_') || isRead(position))) continue
      const read = part.actor === 'tool_output' ? readOutput : readOwn
      read(reading, part, { position, step_id, path: part.path })
    }
  }
  return sights
}

/** Makes the test of single parts: how surely a part by itself shows an instruction, whoever wrote the text before. */
export function createShows(anchors: Anchors): (part: Part) => Shown {
  const needles = prepareNeedles(anchors)
  return (part) => {
    if (part.media || needles.all.length === 0) return 'none'
    const reading = beginReading(needles)
    readOutput(reading, part, { position: { step: 0, part: 0 }, step_id: 0, path: part.path })
    if (reading.sights.some(({ certain }) => certain !== null)) return 'certain'
    return reading.sights.some(({ doubtful }) => doubtful !== null) ? 'doubtful' : 'none'
  }
}

/** Tests whether a match of a whole needle is sure: a short needle as it is written, a long one by its letters alone. */
const isSure = (text: string, { needle, isSame, start, end }: Match): boolean =>
  isSame && (!needle.isShort || isAsWritten(text.slice(start, end), needle.text))

/** Tests whether a text is the needle as it is written, but for white space, quotation marks, control sequences and disguises. */
function isAsWritten(text: string, needle: string): boolean {
  const composed = (one: string): string => foldForSearch(one.normalize('NFC').replaceAll('\0', ' '))
  return text === needle || (text.length <= 40 * needle.length && composed(text) === composed(needle))
}

/** Places of one string that are told of one text; more tell nothing new. */
const MOST_OF_A_STRING = 20
/** Places of a short string that are compared as they are written, in one text. */
const MOST_COMPARED = 20_000

/** Lists the places where needles surely stand in a text, up to a number of each needle. Linear. */
export function surePlaces(needles: Needles, text: string, forms: readonly Letters[]) {
  const found = new Map<string, Pick<Hit, 'needle' | 'start' | 'end'>>()
  const told = new Uint32Array(needles.all.length)
  const compared = new Uint32Array(needles.all.length)
  const wanted = ({ needle, piece }: Entry): boolean =>
    piece === WHOLE && (told[needle] ?? 0) < MOST_OF_A_STRING && (compared[needle] ?? 0) < MOST_COMPARED
  eachMatch(needles, forms, wanted, (match) => {
    const { entry, needle, start, end } = match
    const key = `${entry.needle}/${start}`
    compared[entry.needle] = (compared[entry.needle] ?? 0) + 1
    if (found.has(key) || !isSure(text, match)) return true
    told[entry.needle] = (told[entry.needle] ?? 0) + 1
    found.set(key, { needle: needle.text, start, end })
    return true
  })
  return [...found.values()]
}

/** Finds the first needle that surely stands in a part; null: none does. */
export const findNeedle = (needles: Needles, part: { readonly text: string }) =>
  surePlaces(needles, part.text, lettersOfPart(part)).toSorted((a, b) => a.start - b.start)[0] ?? null
