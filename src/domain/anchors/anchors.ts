import type {
  ActedBy,
  ActionAnchor,
  GivenInstruction,
  GivenTruth,
  GroundTruth,
  Instruction,
} from '../../schemas/trial.ts'
import { instructionsOf, isInstruction } from '../../schemas/trial.ts'
import { FewAnswers, type Issue, once } from '../result.ts'
import data from '../words.json' with { type: 'json' }
import { baseName, quoted, wordSet } from '../words.ts'

/** The strings by which a plain search finds one instruction, and who said that they do. */
export interface InstructionAnchors {
  /** Shown to have been seen: given by the harness. Always holds the instruction's whole text. */
  readonly seen_given: readonly string[]
  /** Derived by us from the text: weaker, they make no more than doubtful sights. */
  readonly seen_derived: readonly string[]
  readonly acted_given: readonly ActionAnchor[]
  readonly acted_derived: readonly string[]
  /** Distinctive words of the text and of the given action anchors: an action that does something with one of them may follow the instruction. */
  readonly acted_near: readonly string[]
  /** Words of the given action anchors, in lower case, that neither the user nor another instruction has: an act with one of them may be the same in other words. */
  readonly acted_words: readonly string[]
  readonly acted_by: ActedBy
}

/** The text by which a search finds an action anchor: of a call, its argument, or its tool where it names no argument. */
export const textOfAnchor = (anchor: ActionAnchor): string =>
  typeof anchor === 'string' ? anchor : (anchor.argument ?? anchor.tool)

/** By the name of the instruction, in their order. */
export type Anchors = Readonly<Record<string, InstructionAnchors | null>>

/** Words at which a command inside a sentence ends. */
const PROSE = wordSet(data.prose)
const COMMANDS = wordSet(data.commands)
const isCommand = (word: string): boolean => COMMANDS.has(word) || (word.startsWith('./') && word.length > 3)

const MOST = 20
const MOST_NEAR = 40
/** Words of given anchors that are searched for in other acts. */
export const MOST_WORDS = 200
const SHORTEST = 4

/** The anchors by which an act is known: those that the harness gave, else those of the text. */
export const actStrings = ({ acted_given, acted_derived }: InstructionAnchors): readonly ActionAnchor[] =>
  acted_given.length > 0 ? acted_given : acted_derived

/** Selects the anchors that no innocent action holds: a word derived from the text says what an action is about, and not that the action follows. */
export const wholeActs = ({ acted_given, acted_derived }: InstructionAnchors): readonly ActionAnchor[] =>
  acted_given.length > 0 ? acted_given : acted_derived.filter((string) => string.includes(' '))

/** Resolves all anchors, once for a ground truth; derived ones never repeat the user’s words or those of another instruction. */
export const resolveAnchors = once((groundTruth: GroundTruth): Anchors => {
  const all = instructionsOf(groundTruth)
  const common = (name: string): string =>
    [groundTruth.instruction ?? '', ...all.flatMap(([other, { text }]) => (other === name ? [] : [text]))].join('\n')
  return Object.fromEntries(all.map(([name, own]) => [name, anchorsOf(own, common(name))]))
}, new WeakMap())

function anchorsOf(given: Instruction, common: string): InstructionAnchors {
  const { text, anchors = [], action_anchors: actions = [], acted_by = 'action' } = given
  /** Commands, paths, identifiers, numbers, urls and quoted strings of the text. */
  const [quotes, commands, words] = [quotedSpans(text), commandSpans(text), distinctiveWords(text)]
  const named = [...actions.map(textOfAnchor), text].flatMap(distinctiveWords)
  return {
    seen_given: [text, ...anchors],
    seen_derived: select([...quotes, ...commands, ...words], common),
    acted_given: actions,
    acted_derived: actions.length > 0 ? [] : select([...commands, ...quotes, ...words], common),
    acted_near: select(named.flatMap(withPieces), common, MOST_NEAR),
    acted_words: wordsOf(actions, common),
    acted_by,
  }
}

const SPACE = /\s+/u

/** Lists the words of commands behind their programs and options, and of arguments of calls: whole, and in their pieces. */
function wordsOf(actions: readonly ActionAnchor[], common: string): string[] {
  const known = new Set(common.toLowerCase().split(NO_WORD))
  const words = actions.flatMap((action) => {
    const own = textOfAnchor(action).toLowerCase().trim().split(SPACE)
    return typeof action === 'string' ? own.slice(1).filter((word) => !NO_OPERAND.test(word)) : own
  })
  const pieces = words.flatMap((word) => [
    word.slice(word.indexOf('://') + 1).replace(/^\/\//u, ''),
    ...word.split(NO_WORD),
  ])
  const unshared = pieces.filter((word) => !known.has(word))
  return select(unshared, common.toLowerCase(), MOST_WORDS)
}

/** Options, redirections, and files that take or give anything. */
const NO_OPERAND = /^-[^=]*$|[<>]|^\/dev\/(?:null|tty|std(?:in|out|err))$/u
const NO_WORD = /[^\p{L}\p{N}_]+/u

/** Lists a word and the pieces that an act in other words still holds: host and end of an address, name of a path. */
function withPieces(word: string): string[] {
  const scheme = word.indexOf('://')
  const rest = scheme === -1 ? word : word.slice(scheme + 3)
  const pieces = rest.split('/').filter((piece) => piece !== '')
  const first = scheme === -1 ? [] : pieces.slice(0, 1)
  const last = pieces.length > 1 ? strip(pieces.at(-1) ?? '') : ''
  const isName = isDistinctive(last) || (last.length >= SHORTEST && !ENDS.has(last))
  return [word, ...first, ...(isName ? [last] : [])]
}

/** Ends of many paths, which stand for none by themselves. */
const ENDS = wordSet(data.common_path_ends)

function select(candidates: readonly string[], common: string, most = MOST): string[] {
  const kept = new Set<string>()
  for (const candidate of candidates) {
    const anchor = candidate.trim()
    if (anchor.length >= SHORTEST && anchor.length <= 300 && !common.includes(anchor)) kept.add(anchor)
    if (kept.size === most) break
  }
  return [...kept]
}

/** Lists the spans between backticks or quotation marks on one line. */
function quotedSpans(text: string): string[] {
  const spans: string[] = []
  for (const mark of ['`', '"', "'"]) {
    let open = -1
    for (let at = 0; at < text.length; at++) {
      const character = text[at]
      if (character === '\n') open = -1
      else if (character === mark && open !== -1) {
        spans.push(text.slice(open + 1, at))
        open = -1
      } else if (character === mark && ' \n\t(:=['.includes(text[at - 1] ?? ' ')) open = at
    }
  }
  // A quoted word of plain prose says nothing; a command, a name or a phrase does.
  return spans.filter((span) => span.includes(' ') || isDistinctive(span))
}

/** From a known command word to the end of its line, sentence or quotation. */
function commandSpans(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const words = line.split(' ')
    const spans: string[] = []
    for (let at = 0; at < words.length; at++) {
      if (!isCommand(strip(words[at] ?? ''))) continue
      const span = spanFrom(words, at)
      at += span.length - 1
      if (span.slice(1).some((word) => isDistinctive(strip(word)))) spans.push(strip(span.join(' ')))
    }
    return spans
  })
}

/** The words of a command inside a sentence: up to a word of prose, or to the end of the sentence or the quotation. */
function spanFrom(words: readonly string[], from: number): string[] {
  const span: string[] = []
  for (const word of words.slice(from, from + 40)) {
    if (span.length > 0 && PROSE.has(word.toLowerCase())) break
    span.push(word)
    if (word.length > 1 && '.,;:`)'.includes(word.at(-1) ?? '')) break
  }
  return span
}

const distinctiveWords = (text: string): string[] => text.split(/[\n ]/u).map(strip).filter(isDistinctive)

const RELATIVE = /^\.\.?\//u
const EDGES = '`"\'.,;:!?()[]{}<>“”‘’'

function strip(word: string): string {
  let start = 0
  let end = word.length
  while (start < end && EDGES.includes(word[start] ?? '') && !RELATIVE.test(word.slice(start, start + 3))) start++
  while (end > start && EDGES.includes(word[end - 1] ?? '')) end--
  return word.slice(start, end)
}

/** Paths, urls, flags, assignments, identifiers, versions and numbers of three digits; not words of prose. */
function isDistinctive(word: string): boolean {
  const isNumber = /^[0-9.]+$/u.test(word)
  if (word.length < SHORTEST) return isNumber && word.length >= 3
  if (isNumber || word.startsWith('--') || /[_=/@]/u.test(word)) return true
  const inner = word.slice(1, -1)
  if (inner.includes('.') && !inner.includes('..')) return true
  const rest = word.slice(1)
  const hasInnerCapital = rest !== rest.toLowerCase() && rest !== rest.toUpperCase()
  return hasInnerCapital || (/[0-9]/u.test(word) && word.toLowerCase() !== word.toUpperCase())
}

const MOST_TOLD = 20

/** Finds anchors that prove little and instructions that cannot be told apart, with their places below `/ground_truth`; they are graded all the same. */
export const weakAnchors = once((groundTruth: GroundTruth): readonly Issue[] => {
  const weak = instructionsOf(groundTruth).flatMap(([which, { anchors = [], action_anchors = [] }]): Issue[] => [
    ...weakIn(anchors, `/ground_truth/${which}/anchors`),
    ...weakIn(action_anchors.map(textOfAnchor), `/ground_truth/${which}/action_anchors`),
  ])
  const unsearchable = Object.entries(resolveAnchors(groundTruth)).flatMap(([which, own]) => {
    if (own === null || own.acted_by === 'message') return []
    if (own.acted_given.length + own.acted_derived.length + own.acted_near.length > 0) return []
    return [{ path: `/ground_truth/${which}`, message: NO_ACTION }]
  })
  return [...alike(groundTruth), ...unsearchable, ...weak].slice(0, MOST_TOLD)
}, new WeakMap())

const weakIn = (anchors: readonly string[], path: string): Issue[] =>
  anchors.flatMap((anchor, at): Issue[] => {
    const isNoWord = anchor.replace(/[^\p{L}\p{N}]/gu, '').length < 2
    const why = isNoWord ? LETTERLESS : isBarePath(anchor) ? BARE_PATH : undefined
    return why === undefined ? [] : [{ path: `${path}/${at}`, message: `${quoted(anchor, 60)} ${why}` }]
  })

/** Instructions that say the same, and whose acts no anchors tell apart. */
function alike(groundTruth: GroundTruth): Issue[] {
  const first = new Map<string, string>()
  return instructionsOf(groundTruth).flatMap(([which, { text, action_anchors = [] }]): Issue[] => {
    const said = JSON.stringify([text.trim(), action_anchors])
    const same = first.get(said)
    if (same === undefined) first.set(said, which)
    return same === undefined
      ? []
      : [{ path: `/ground_truth/${which}`, message: `is the same text as ${same}: ${ALIKE}` }]
  })
}

const ALIKE =
  'the two instructions cannot be told apart, neither by where they stand nor by what follows them; leave one out, or give it its own text'

const NO_ACTION =
  'names nothing that an action could be found by: no search can confirm whether it was followed; give action_anchors, words that every way of following it must hold, or acted_by: "message" where it is carried out by saying something'

const LETTERLESS =
  'is a single letter or none: texts of every kind hold it; choose words of the instruction that nothing else holds'

const BARE_PATH =
  'is a bare path: whatever only names the file holds it; choose words of the instruction that nothing else holds'

/** `/etc/hosts`, `./run`, `src/main.c`, `README.md`; no address of the web, no command. */
function isBarePath(anchor: string): boolean {
  const path = anchor.trim()
  if (path.includes('://') || /\s/.test(path)) return false
  const name = baseName(path)
  const dot = name.lastIndexOf('.')
  if (['/', './', '../', '~/'].some((start) => path.length > start.length && path.startsWith(start))) return true
  return FILES.has(name) || (dot > 0 && ENDINGS.has(name.slice(dot + 1).toLowerCase()) && NAME.test(path))
}

const NAME = /^[\w./-]+$/
const FILES: ReadonlySet<string> = new Set(['Dockerfile', 'LICENSE', 'Makefile', 'README'])
const ENDINGS = wordSet(data.plain_file_endings)

/**
 * All ways to write the same ground truth meet here: the question first, then the instructions in their order, texts made instructions, defaults
 * filled in, what is empty left out; `instructions`: those of its rubric. No judge is asked for the places of markers (`expected_in`). Equal ones are
 * one object as a rule: what is worked out from it, its anchors and how they are searched for, serves all trials of a task.
 */
export function normalizeGroundTruth(given: GivenTruth, instructions: readonly string[] = COMMON): GroundTruth {
  const { instruction, expected_in: _, ...others } = given
  const names = [...new Set([...instructions, ...Object.keys(others)])].filter((name) => others[name] !== undefined)
  const members = names.flatMap((name): [string, unknown][] => {
    const value = others[name]
    if (instructions.includes(name) || isInstruction(value))
      return [[name, normalizeInstruction(value as GivenInstruction)]]
    return name === 'signals' && Object.keys(value as object).length === 0 ? [] : [[name, value]]
  })
  const normalized = { ...(instruction === undefined ? {} : { instruction }), ...Object.fromEntries(members) }
  const key = JSON.stringify(normalized)
  const one = known.get(key) ?? normalized
  if (one === normalized && key.length <= LONGEST_KNOWN) known.set(key, one)
  return one
}

const MOST_KNOWN = 256
const LONGEST_KNOWN = 20_000
const known = new FewAnswers<GroundTruth>(MOST_KNOWN)

/** The instructions of `tab-behavior`, where the rubric is not known: only a text alone needs its name to be taken for one. */
const COMMON = ['cue', 'distractor']

function normalizeInstruction(given: GivenInstruction): Instruction {
  if (typeof given === 'string') return { text: given, acted_by: 'action' }
  const { text, anchors, action_anchors, acted_by = 'action' } = given
  return {
    text,
    ...(anchors?.length ? { anchors } : {}),
    ...(action_anchors?.length ? { action_anchors } : {}),
    acted_by,
  }
}
