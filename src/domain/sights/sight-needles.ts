import type { Anchors } from '../anchors/anchors.ts'
import { isWord } from '../text/search.ts'
import { type Automaton, buildAutomaton } from './automaton.ts'
import { Skeleton } from './skeleton.ts'

/** A string that shows an instruction, and who said so. `whole`: the instruction's own text. */
export interface Needle {
  /** The name of the instruction. */
  readonly which: string
  readonly kind: 'whole' | 'given' | 'derived'
  readonly text: string
  /** Its skeleton, and its length in units; where that is short, only the string as it is written is sure. */
  readonly units: Uint16Array
  readonly isShort: boolean
  readonly endsWord: boolean
}

/** The `piece` of a pattern that is the needle in an encoding. */
export const ENCODED = -2
/** Needles that are looked for in an encoding, of one question. */
const MOST_ENCODED = 16

/** What one pattern of the automaton means. `piece`: where it stands in the units of the needle; -1: it is the whole needle. */
export interface Meaning {
  readonly needle: number
  readonly piece: number
  readonly length: number
  /** The units of an encoding. */
  readonly encoded?: Uint16Array
}

/** Everything that is searched for, in one automaton. */
export interface Needles {
  readonly all: readonly Needle[]
  readonly meanings: readonly (readonly Meaning[])[]
  readonly automaton: Automaton
}

/** Texts of fewer units are not looked for in pieces: a piece would be a common phrase. */
const SHORTEST_IN_PIECES = 24
/** No agent makes up texts of so many units by itself. */
const SHORTEST_READ = 40
export const PIECE = 16
/** A stretch that is shown in one piece holds a whole piece where it is at least this longer than one. */
const STRIDE = 8

/** Weakly: trajectories that are kept hold their ground truths, and an automaton takes a thousand times the space of its strings. */
const prepared = new WeakMap<Anchors, WeakRef<Needles>>()

/** Made once for the anchors of a question. */
export function prepareNeedles(anchors: Anchors): Needles {
  const known = prepared.get(anchors)?.deref()
  if (known !== undefined) return known
  const strings: Wanted[] = []
  for (const which in anchors) {
    const { seen_given = [], seen_derived = [] } = anchors[which] ?? {}
    for (const [index, text] of seen_given.entries()) strings.push([which, index === 0 ? 'whole' : 'given', text])
    for (const text of seen_derived) strings.push([which, 'derived', text])
  }
  const needles = needlesOf(strings)
  prepared.set(anchors, new WeakRef(needles))
  return needles
}

/** Strings that are looked for by themselves, whole. */
export const stringNeedles = (strings: readonly string[]): Needles =>
  needlesOf([...new Set(strings)].map((text) => ['', 'given', text]))

type Wanted = readonly [which: string, kind: Needle['kind'], text: string]

/** By what is looked for: the trials of a task ask for the same, and to build an automaton takes longer than to search a short run. */
const kept = new Map<string, Needles>()
let keptBytes = 0
const MOST_KEPT_BYTES = 32 * 1024 * 1024

function needlesOf(strings: readonly Wanted[]): Needles {
  const key = JSON.stringify(strings)
  const known = kept.get(key)
  if (known !== undefined) return known
  const all = strings.map(toNeedle).filter(({ units }) => units.length > 0)
  const needles = { all, ...patternsOf(all) }
  const bytes = 2 * key.length + needles.automaton.classes.byteLength + 2 * needles.automaton.next.byteLength
  if (keptBytes + bytes > MOST_KEPT_BYTES) {
    kept.clear()
    keptBytes = 0
  }
  // The last one in any case: the next trial may ask for the same.
  kept.set(key, needles)
  keptBytes += bytes
  return needles
}

function toNeedle([which, kind, text]: Wanted): Needle {
  const [units = new Uint16Array()] = needleForms(text)
  return { which, kind, text, units, isShort: units.length < SHORT_NEEDLE, endsWord: isWord(units.at(-1) ?? 0) }
}

function patternsOf(all: readonly Needle[]): Pick<Needles, 'meanings' | 'automaton'> {
  const patterns = new Map<string, { units: Uint16Array; meanings: Meaning[] }>()
  const add = (units: Uint16Array, meaning: Meaning): void => {
    const key = Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('latin1')
    const known = patterns.get(key)
    if (known === undefined) patterns.set(key, { units, meanings: [meaning] })
    else known.meanings.push(meaning)
  }
  for (const [needle, one] of all.entries()) {
    for (const units of needleForms(one.text)) add(units, { needle, piece: -1, length: units.length })
    for (const piece of piecesOf(one)) add(one.units.slice(piece, piece + PIECE), { needle, piece, length: PIECE })
  }
  for (const [needle, one] of all.entries()) {
    if (one.which === '' || one.kind === 'derived' || one.isShort || needle >= MOST_ENCODED) continue
    for (const [encoded = new Uint16Array()] of encodedForms(one.text).map(needleForms))
      add(encoded, { needle, piece: ENCODED, length: encoded.length, encoded })
  }
  const list = [...patterns.values()]
  return { meanings: list.map((one) => one.meanings), automaton: buildAutomaton(list.map((one) => one.units)) }
}

/** An instruction’s own text, of which pieces are looked for, too. */
export const isInPieces = ({ kind, units }: Needle): boolean => kind === 'whole' && units.length >= SHORTEST_IN_PIECES

/** An instruction’s own text that is too long to be written down by chance. */
export const isLongWhole = ({ kind, units }: Needle): boolean => kind === 'whole' && units.length >= SHORTEST_READ

/** Where the pieces of a long needle begin: each overlaps the next, the last one ends with it. Of equal ones only the first. */
function piecesOf(needle: Needle): number[] {
  if (!isInPieces(needle)) return []
  const { units } = needle
  const starts = new Map<string, number>()
  const add = (start: number): void => {
    const key = units.subarray(start, start + PIECE).join()
    if (!starts.has(key)) starts.set(key, start)
  }
  for (let start = 0; start + PIECE < units.length; start += STRIDE) add(start)
  add(units.length - PIECE)
  return [...starts.values()]
}

/** One for all needles: they are short, and made by the dozen. */
const SKELETON = new Skeleton()

/** The units of a needle, blocks as they stand; and without the marks of its lines, where it has more than that. */
function needleForms(needle: string): Uint16Array[] {
  const skeleton = SKELETON.read(needle)
  const whole = skeleton.codes.slice(0, skeleton.length)
  if (!needle.trim().includes('\n') && !isMarked(needle)) return [whole]
  const kept: number[] = []
  let unit = 0
  for (let block = 0; block < skeleton.blockCount * 3; block += 3) {
    const [start = 0, end = 0] = skeleton.blocks.subarray(block, block + 2)
    const marks = whole.subarray(start, end)
    for (; unit < start; unit++) kept.push(whole[unit] ?? 0)
    // A number is a word of the needle, whatever it would be in a listing, and what stands inside a line is no mark of it.
    if (marks.some(isWord) || marks.includes(0x5c) || !skeleton.isApart(start))
      for (; unit < end; unit++) kept.push(whole[unit] ?? 0)
    unit = end
  }
  for (; unit < whole.length; unit++) kept.push(whole[unit] ?? 0)
  return kept.length === whole.length || kept.length < SHORT_NEEDLE ? [whole] : [whole, Uint16Array.from(kept)]
}

const isMarked = (needle: string): boolean => !isWord(needle.trimStart().charCodeAt(0))

/** Units below which a needle is certain only where it stands as it is. */
const SHORT_NEEDLE = 12

/** Bytes of a text that are looked for in an encoding: no others begin like them. */
const MOST_BYTES = 48
const LEAST_BYTES = 12

/**
 * How the longest line of a text begins in base64, wherever its bytes fall among the others, and in hexadecimal digits. Case and line breaks are for the
 * search to leave out.
 */
function encodedForms(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  const longest = lines.reduce((most, line) => (line.length > most.length ? line : most), '')
  const bytes = Buffer.from(longest).subarray(0, MOST_BYTES)
  return bytes.length < LEAST_BYTES ? [] : [...[0, 1, 2].map((shift) => base64At(bytes, shift)), bytes.toString('hex')]
}

/** Only the digits that the bytes alone decide, behind `shift` others. */
function base64At(bytes: Buffer, shift: number): string {
  const digits = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  return digits.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
}
