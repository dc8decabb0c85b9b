import type { Actor, QuoteNormalization } from '../../schemas/vocabulary.ts'
import { type Folded, fold, foldText } from '../text/fold.ts'
import { lineStart } from '../text/lines.ts'
import type { Part } from '../trajectory/trajectory.ts'
import type { Range } from '../trajectory/view.ts'
import { type BareText, dropEmphasis, hasEmphasis, type MappedText, mapWhole, readEscapes } from './mapped-text.ts'
import { isWholeLine, MOST_OCCURRENCES } from './quote-exact.ts'
import { dropPrefixes, hasPrefix, holdsPrefixes, PREFIX_KINDS, type PrefixKind } from './quote-prefixes.ts'
import { canStandAt, holdsChain, type Landmark } from './quote-probe.ts'
import type { Quote, Reading } from './quote-readings.ts'
import { allowsEdge, namesOfPart } from './quote-wrapping.ts'

/** Where a part holds a quote after normalization. */
export interface Match extends Range {
  readonly normalization: readonly QuoteNormalization[]
  /** How plainly: by the reading of the quote, then by the form of the text. The lowest is the best. */
  readonly rank: number
  readonly occurrences: number
}

const LONGEST_LINE = 10_000

/** The best match of a quote in one part, and how often it stands there in that way. */
export function matchNormalized(
  part: Part,
  bare: BareText,
  quote: Quote,
  isShown: (range: Range) => boolean,
  budget: Budget,
): Match | null {
  const { readings, landmarks, chain } = quote.ways()
  const length = Math.max(0, ...readings.map((reading) => reading.text.length))
  if (!holdsLandmarks(bare.text, quote, budget)) return null
  const best = new BestFound()
  for (const window of length === 0 ? [] : windowsAround(bare.text, landmarks[0], length, budget)) {
    const size = window.end - window.start
    if (budget.left < size) return null
    const piece = bare.text.slice(window.start, window.end)
    if (!landmarks.every(({ run }) => piece.includes(run))) continue
    // It is charged for its forms all the same: what one answer may have searched does not depend on what was left out.
    if (!holdsChain(piece, chain)) {
      budget.left -= size * countForms(piece, part.actor)
      continue
    }
    for (const formed of formsOf(bare.text, window, part.actor)) {
      budget.left -= size
      if (budget.left < 0) return null
      if (formed.form.rank <= best.rank) searchForm(part, bare, quote, formed, isShown, best)
    }
  }
  const first = best.places.values().next().value
  if (first === undefined || budget.left < 0) return null
  const normalization = namesOf(part, quote, bare, first)
  return { ...first.range, rank: best.rank, normalization, occurrences: best.places.size }
}

/** How many units of text are searched for a string at the cost of one that is folded. */
const SEARCHED = 32

/** Whether a text has every run that it needs to hold the quote; false where the budget is spent. */
function holdsLandmarks(text: string, quote: Quote, budget: Budget): boolean {
  return quote.ways().landmarks.every(({ run }) => {
    budget.left -= text.length / SEARCHED
    return budget.left >= 0 && text.includes(run)
  })
}

function searchForm(
  part: Part,
  bare: BareText,
  quote: Quote,
  formed: FormedText,
  isShown: (range: Range) => boolean,
  best: BestFound,
): void {
  let folded: Folded | null = null
  for (const [index, reading] of quote.ways().readings.entries()) {
    const rank = index * FORM_COUNT + formed.form.rank
    if (rank > best.rank || !fits(reading, formed.form, part)) continue
    folded ??= foldForm(formed)
    for (const one of findIn(bare, formed, folded, reading)) if (isShown(one.range)) best.add(rank, one)
  }
}

/** Escapes are read back by one level, on one side; what names a part stands in that part. */
const fits = (reading: Reading, form: Form, part: Part): boolean =>
  !(form.escapes && reading.used.includes('escapes')) &&
  (reading.names.length === 0 || reading.names.every((name) => namesOfPart(part).includes(name)))

/** The places of the lowest rank, by where they begin: windows overlap. */
class BestFound {
  rank = Number.POSITIVE_INFINITY
  places = new Map<number, Found>()

  add(rank: number, found: Found): void {
    if (rank < this.rank) this.places = new Map()
    this.rank = rank
    const { start } = found.range
    if (!this.places.has(start) && this.places.size < MOST_OCCURRENCES) this.places.set(start, found)
  }
}

interface Found {
  readonly range: Range
  readonly form: Form
  readonly reading: Reading
  /** What of the text stands there, before it was folded. */
  readonly there: string
}

function* findIn(bare: BareText, formed: FormedText, folded: Folded, reading: Reading): Generator<Found> {
  const needle = needleOf(reading, formed.form)
  if (needle === '') return
  for (let at = folded.text.indexOf(needle); at !== -1; at = folded.text.indexOf(needle, at + needle.length)) {
    const start = formed.plain.from[folded.from[at] ?? 0] ?? 0
    const end = formed.plain.to[folded.from[at + needle.length - 1] ?? 0] ?? 0
    if ((formed.form.emphasis ? reading.shortPlain : reading.short) && !isWholeLine(bare.text, { start, end })) continue
    if (!reading.edges.every((edge) => allowsEdge(bare.text, start, end, edge))) continue
    if (hasOwnName(bare.text, start, reading)) continue
    const listed = inListed(formed.listed, start, end)
    if (formed.form.prefix !== null && !holdsPrefixes(formed.listed.text, listed.start, listed.end, formed.form.prefix))
      continue
    const range = { start: bare.toSource(start), end: bare.toSource(end - 1) + 1 }
    yield { range, form: formed.form, reading, there: formed.listed.text.slice(listed.start, listed.end) }
  }
}

/** Whether the line has a name of its own for which the quote's would stand: what lies between would be left out. */
function hasOwnName(text: string, start: number, { names }: Reading): boolean {
  if (names.length === 0) return false
  const before = text.slice(Math.max(lineStart(text, start), start - LONGEST_LINE), start).toLowerCase()
  return names.some((name) => before.includes(name))
}

function inListed(listed: MappedText, start: number, end: number): Range {
  return { start: firstAtLeast(listed.from, start), end: firstAtLeast(listed.from, end) }
}

function firstAtLeast(offsets: Uint32Array, offset: number): number {
  let low = 0
  let high = offsets.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((offsets[middle] ?? 0) < offset) low = middle + 1
    else high = middle
  }
  return low
}

/** What was needed for the quote to be what stands there. */
function namesOf(
  part: Part,
  quote: Quote,
  bare: BareText,
  { range, form, reading, there }: Found,
): QuoteNormalization[] {
  const names = new Set<QuoteNormalization>([...reading.used, ...namesOfForm(form)])
  const source = part.text.slice(range.start, range.end)
  if (quote.ansi && bare.text !== part.text && source.includes('\u001b')) names.add('ansi')
  if (form.prefix === null && !form.emphasis) {
    const differs = (keep: 'white_space' | 'typographic_quotes') =>
      foldText(there, { ansi: false, keep }).trim() !== foldText(reading.text, { ansi: false, keep }).trim()
    if (differs('white_space')) names.add('white_space')
    if (differs('typographic_quotes')) names.add('typographic_quotes')
  }
  if (names.size === 0) names.add(quote.text.includes('⟨U+') ? 'escapes' : 'white_space')
  return [...names]
}

/** What searching may still cost, in units of text that are folded: an answer’s whole search stops where it is spent. */
export interface Budget {
  left: number
}

/** Texts up to this length are one window. */
const SMALL = 16_384
const LARGEST = 1_000_000
/** White space is not counted, up to here: terminals pad with it. */
const LONGEST_GAP = 20_000
const FARTHEST_LINE = 2000

/**
 * The pieces of a text around each place of a landmark in which a quote of `length` units may stand, joined where they overlap: all of them
 * together are not much longer than the text, however often the landmark stands in it. They end where the budget is spent.
 */
function* windowsAround(
  text: string,
  landmark: Landmark | undefined,
  length: number,
  budget: Budget,
): Generator<Range> {
  if (landmark === undefined) {
    yield* pieces(text, length)
    return
  }
  for (let place = nextPlace(text, landmark, 0, budget); place !== -1; ) {
    const start = reachBack(text, place, length)
    let end = reachForward(text, place, length)
    place = nextPlace(text, landmark, place + 1, budget)
    while (place !== -1 && place < end && end - start < LARGEST) {
      let last = place
      for (; place !== -1 && place < end; place = nextPlace(text, landmark, place + 1, budget)) last = place
      end = Math.max(end, reachForward(text, last, length))
    }
    yield { start, end }
  }
}

/** Each place that is looked at costs a unit: a text can be full of a landmark. */
function nextPlace(text: string, landmark: Landmark, from: number, budget: Budget): number {
  for (let at = text.indexOf(landmark.run, from); at !== -1; at = text.indexOf(landmark.run, at + 1)) {
    if (--budget.left < 0) return -1
    if (canStandAt(text, at, landmark)) return at
  }
  return -1
}

/** A text without a landmark, in pieces that overlap by more than the quote. */
function* pieces(text: string, length: number): Generator<Range> {
  for (let start = 0; start < text.length; start += LARGEST) {
    const end = Math.min(text.length, start + LARGEST + margin(length))
    yield { start, end }
  }
}

/** A quote’s escapes can double it, and what stands around it may be needed to read it. */
const margin = (length: number): number => 6 * length + 256

function reachForward(text: string, from: number, length: number): number {
  if (text.length <= SMALL) return text.length
  let left = margin(length)
  const most = Math.min(text.length, from + left + LONGEST_GAP)
  let at = from
  for (; at < most && left > 0; at++) if (text.charCodeAt(at) > 0x20) left--
  const line = text.slice(at, at + FARTHEST_LINE).indexOf('\n')
  return line === -1 ? at : at + line
}

function reachBack(text: string, from: number, length: number): number {
  if (text.length <= SMALL) return 0
  let left = margin(length)
  const least = Math.max(0, from - left - LONGEST_GAP)
  let at = from
  for (; at > least && left > 0; at--) if (text.charCodeAt(at - 1) > 0x20) left--
  const line = text.slice(Math.max(0, at - FARTHEST_LINE), at).lastIndexOf('\n')
  return line === -1 ? at : Math.max(0, at - FARTHEST_LINE) + line + 1
}

/** How a text is read to be compared with a quote. */
interface Form {
  /** Its place among the forms, the plainest first. */
  readonly rank: number
  readonly escapes: boolean
  readonly prefix: PrefixKind | null
  readonly emphasis: boolean
}

/** A window of a text in one form, each unit with its range of the text. */
interface FormedText {
  readonly form: Form
  readonly plain: MappedText
  /** The window before its line prefixes were dropped. */
  readonly listed: MappedText
}

const FORMS: readonly Form[] = [false, true]
  .flatMap((escapes) =>
    [null, ...PREFIX_KINDS].flatMap((prefix) => [false, true].map((emphasis) => ({ escapes, prefix, emphasis }))),
  )
  .map((form, rank) => ({ ...form, rank }))
const FORM_COUNT = FORMS.length

/** The forms of a window that differ from the plainer ones. An action has no emphasis: there a star is a glob and `_x_` a name. */
function* formsOf(text: string, window: Range, actor: Actor): Generator<FormedText> {
  const whole = mapWhole(text, window.start, window.end)
  const decoded = whole.text.includes('\\') ? readEscapes(whole) : whole
  for (const form of FORMS) {
    const base = form.escapes ? decoded : whole
    if (form.escapes && decoded === whole) continue
    if (form.emphasis && actor === 'agent_action') continue
    const listed = form.prefix === null ? base : dropPrefixes(base, form.prefix)
    if (form.prefix !== null && listed === base) continue
    const plain = form.emphasis ? dropEmphasis(listed) : listed
    if (form.emphasis && plain === listed) continue
    yield { form, plain, listed: base }
  }
}

/** How many forms a text has: what stands before a line makes no difference to the emphasis in it. */
function countForms(text: string, actor: Actor): number {
  const bases = text.includes('\\') ? [text, readEscapes(mapWhole(text, 0, text.length)).text] : [text]
  return bases.reduce((sum, base) => {
    const listed = 1 + PREFIX_KINDS.filter((kind) => hasPrefix(base, kind)).length
    return sum + (actor !== 'agent_action' && hasEmphasis(base) ? 2 * listed : listed)
  }, 0)
}

/** What a reading looks like in a form. */
function needleOf(reading: Reading, form: Form): string {
  if (form.escapes) return form.emphasis ? reading.plainBroken : reading.broken
  return form.emphasis ? reading.plain : reading.folded
}

/** As needles are compared with it. */
const foldForm = ({ form, plain }: FormedText): Folded => fold(plain.text, { ansi: false, breaks: form.escapes })

/** The normalizations of a form, by their names. */
const namesOfForm = (form: Form): QuoteNormalization[] => [
  ...(form.escapes ? (['escapes'] as const) : []),
  ...(form.prefix === null ? [] : (['line_prefixes'] as const)),
  ...(form.emphasis ? (['emphasis'] as const) : []),
]
