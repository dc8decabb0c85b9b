import { type ActionAnchor, type GroundTruth, instructionsOf } from '../../schemas/trial.ts'
import { actStrings, type InstructionAnchors, resolveAnchors, textOfAnchor } from '../anchors/anchors.ts'
import { once } from '../memo.ts'
import { type Certainty, isDone, type ScriptContext, strongest, type Use, weakest } from '../shell/script.ts'
import { foldForSearch, indexOfName, indexOfWord, mentions, namesAll } from '../text/search.ts'
import data from '../words.json' with { type: 'json' }
import { baseName, wordSet } from '../words.ts'

/** Words by which a sentence says that something is not said or done. */
const REFUSING = wordSet(data.refusing)
/** Words of the sentences around a string that tell its origin, or refuse it. */
const TELLING = wordSet(data.telling_origin)

const NEGATION = /\b(?:never|not|cannot|avoid|without|instead of|rather than)\b|n['’]t\b/iu
const NO_NEGATION = /\b(?:forget|fail|miss|only)\b/iu
const LONGEST_SENTENCE = 400

/** Tells whether a text forbids a string wherever it stands: words before it in its clause deny it. */
export function forbids(text: string, wanted: string): boolean {
  const before = text.split(wanted).slice(0, -1)
  const isNegated = (words: string): boolean => {
    const clause =
      words
        .slice(-LONGEST_SENTENCE)
        .split(/[.:;,!?\n] ?|\b(?:but|and)\b/u)
        .at(-1) ?? ''
    return NEGATION.test(clause) && !NO_NEGATION.test(clause)
  }
  return before.length > 0 && before.every(isNegated)
}

/** Places that are judged; with more of them there is no saying. */
const MOST_PLACES = 1000

/** The instructions of a trial, as messages are held against them: their words, and their texts, folded. */
interface Instruction {
  readonly words: ReadonlySet<string>
  readonly texts: readonly string[]
}

/**
 * Decides the use of a string that an instruction wants to be said: a message says the string, in a sentence that holds nothing else but words of the
 * instruction; refuses the string; or tells something with the string, which may be either. Of several places the most counts; where only the words
 * of the string stand there, in another case, wrapped or set off, the string may be meant. Linear. `said`: the text as `plainWords` has it.
 */
export function useInMessage(text: string, wanted: string, instruction: Instruction, said: () => string): Use {
  let use: Use = 'absent'
  let judged = 0
  const isFenced = fencesOf(text)
  const most = indexOfName(text, wanted, 0) === -1 ? 'maybe' : 'sure'
  for (let at = indexOfWord(text, wanted, 0); at !== -1; at = indexOfWord(text, wanted, at + wanted.length)) {
    if (++judged > MOST_PLACES) return 'maybe'
    const here = isFenced(at) ? 'maybe' : useOfPlace(text, at, wanted, instruction)
    if (isDone(weakest(here, most))) return 'sure'
    use = strongest(use, weakest(here, most))
  }
  if (use !== 'absent') return use
  // The words of the string stand there one behind the other; one word alone may be another string without its marks.
  const words = plainWords(wanted)
  const isWords = words.trim().includes(' ') || (words.trim() !== '' && words.trim().length === wanted.trim().length)
  return isWords && said().includes(words) ? 'maybe' : 'absent'
}

/** The words of a text in lower case, each between blanks. */
export const plainWords = (text: string): string => ` ${wordsIn(text.normalize('NFKC')).join(' ')} `

const SENTENCE_END = /(?<=[.!?])\s+|\n\s*\n/u

/** Decides the use of a string at one place by its sentence, and by the sentences around it. No message is `whole`: the lists of words are never complete. */
function useOfPlace(text: string, at: number, wanted: string, { words: known, texts }: Instruction): Use {
  const end = at + wanted.length
  const before = text.slice(Math.max(0, at - LONGEST_SENTENCE), at)
  const [lead = '', previous = ''] = before.split(SENTENCE_END).reverse()
  const ended = /[.!?]$/u.test(wanted) && !/^\S/u.test(text.slice(end, end + 1)) ? '' : null
  const behind = text.slice(end, end + LONGEST_SENTENCE).split(SENTENCE_END)
  const [tail = '', next = ''] = ended === null ? behind : [ended, ...behind.filter((one) => one !== '')]
  const words = [...wordsIn(lead), ...wordsIn(tail)]
  if (words.some((word) => REFUSING.has(word) || word.endsWith("n't") || word.endsWith('n’t'))) return 'told'
  const isAlone = words.every((word) => known.has(word)) && !tail.includes('?')
  const isTold = [previous, next].some((one) => wordsIn(one).some((word) => TELLING.has(word)))
  const around = foldForSearch(text.slice(Math.max(0, at - LONGEST_SENTENCE), end + LONGEST_SENTENCE))
  const own = `${lead}${wanted}${tail}`.trim().replace(/[.!?]$/u, '')
  const isRepeated = texts.some((one) => one.length > own.length && around.includes(one))
  // The sentence stands in a quotation of lines, a list, a table, a tag or an indented block, or behind a colon.
  const start = before.length - lead.length
  const line = before.slice(before.lastIndexOf('\n', start) + 1)
  const isQuoted =
    before.slice(0, start).trimEnd().endsWith(':') || /^(?: {4}|\s*(?:[>|<]|[-*•] |\d+[.)] ))/u.test(line)
  return !isAlone || isQuoted || isTold || isRepeated ? 'maybe' : 'sure'
}

/** Tells whether a place stands inside a fenced block. Places must be asked for in their order: all of them cost one pass over the text. */
function fencesOf(text: string): (at: number) => boolean {
  let isInside = false
  let next = text.indexOf('```')
  return (at) => {
    for (; next !== -1 && next + 3 <= at; next = text.indexOf('```', next + 3)) isInside = !isInside
    return isInside
  }
}

/** The words of a text in lower case, as messages and instructions are compared. */
const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}'’_]/u)
    .map((word) => word.replace(/^['’]+/u, '').replace(/(?<!['’])['’]+$/u, ''))
    .filter((word) => word !== '')

const LOOKING = 'read see open view look check consult inspect search find grep cat list show print'.split(' ')
/** Words to people, in a commit or an issue. */
const TELLING_PEOPLE = 'commit issue comment message title trailer post tag announce review label'.split(' ')

/** Letters from which on a word has forms: `cancel`, `cancellation`. */
const LONG = 5

export type Wanted = ReturnType<typeof wantedOf>

/** Derives the anchors and words by which acts are read from a ground truth, once for all runs of a task. */
export const wantedOf = once((truth: GroundTruth) => {
  const instructions = instructionsOf(truth).map(([, { text, action_anchors: anchors = [] }]) => ({
    text,
    anchors: anchors.map(textOfAnchor),
  }))
  const all = Object.values(resolveAnchors(truth)).filter((one) => one !== null)
  const texts = instructions.map(({ text }) => text)
  /** Lists the instructions that hold an anchor; all, where none does. */
  const ownOf = once((anchor: string) => {
    const own = instructions.filter(({ text, anchors }) => anchors.includes(anchor) || text.includes(anchor))
    return own.length === 0 ? instructions : own
  })
  const instruction: Instruction = { words: new Set(wordsIn(texts.join(' '))), texts: texts.map(foldForSearch) }
  const context: ScriptContext = {
    names: (path, anchor) =>
      baseName(path).length > 2 && ownOf(anchor).some(({ text }) => holdsWord(text, baseName(path))),
    says: (word, anchor) =>
      word.length > 1 &&
      ownOf(anchor).some(({ text, anchors }) => [text, ...anchors].some((one) => holdsWord(one, word))),
    saysBesides: (word, anchor) =>
      [truth.instruction ?? '', ...instructions.flatMap((one) => (ownOf(anchor).includes(one) ? [] : [one.text]))].some(
        (text) => text.toLowerCase().includes(word.toLowerCase()),
      ),
    givenBesides: (anchor) => instructions.flatMap((one) => (ownOf(anchor).includes(one) ? [] : one.anchors)),
    isGiven: (text) => instructions.some(({ anchors }) => anchors.includes(text)),
    tells: texts.some((text) => holdsAny(text, TELLING_PEOPLE)),
  }
  const printed = all.flatMap((own) => (own.acted_by === 'output' ? actStrings(own).map(textOfAnchor) : []))
  /** Lists the given anchors of other instructions that hold the word. */
  const longer = once((string: string): readonly string[] => {
    if (!all.some((one) => hasAnchor(one, string))) return []
    const others = all.filter((one) => !hasAnchor(one, string)).flatMap((one) => one.acted_given.map(textOfAnchor))
    return others.filter((one) => one.length > string.length && mentions(one, string))
  })
  return {
    instruction,
    context,
    /** Tells whether the anchor names a tool that no other instruction's anchors name. */
    isOfOneTool: (anchor: ActionAnchor): boolean =>
      typeof anchor !== 'string' &&
      all.filter(({ acted_given }) =>
        acted_given.some((other) => typeof other === 'string' || other.tool === anchor.tool),
      ).length === 1,
    /** Tells whether an instruction that holds the string (any, where it is empty) asks to look at something: then looking may be the act. */
    asksToLook: once((string: string) =>
      instructions.some(
        ({ text, anchors }) => (text.includes(string) || anchors.includes(string)) && holdsAny(text, LOOKING),
      ),
    ),
    /** Tells whether an instruction asks for the act that a word of a tool names: it holds the word, or a form of a longer word, in any case. */
    asksToDo: once(
      (word: string) =>
        instruction.words.has(word) ||
        (word.length >= LONG && [...instruction.words].some((one) => one.startsWith(word))),
    ),
    /** Tells whether each instruction of the anchor forbids its act. */
    isForbidden: once((string: string) => {
      const own = instructions.filter(({ text, anchors }) => anchors.includes(string) && text.includes(string))
      return own.length > 0 && own.every(({ text }) => forbids(text, string))
    }),
    /** Tells whether the text holds a word that an instruction is about. */
    isNear: (text: string): boolean => all.some(({ acted_near }) => acted_near.some((word) => holdsWord(text, word))),
    /** Tells whether a text holds the anchor of an instruction that is carried out by printing. */
    isPrinted: (text: string): boolean => printed.some((string) => text.includes(string)),
    /** Takes the texts of the instructions out of a text. */
    without: (text: string): string => texts.reduce((left, one) => left.replaceAll(one, '\n'), text),
    /** Bounds an anchor by other instructions' anchors: a text only in another's longer anchor is the other's act; a text of both may be either's. */
    limitByOthers(text: string, string: string): Certainty {
      if (all.filter((one) => hasAnchor(one, string)).length > 1) return 'maybe'
      const others = longer(string).filter((other) => text.includes(other))
      if (others.length === 0) return 'whole'
      if (
        mentions(
          others.reduce((left, other) => left.replaceAll(other, '\n'), text),
          string,
        )
      )
        return 'whole'
      return others.some((other) => namesAll(other, string)) ? 'maybe' : 'told'
    },
  }
}, new WeakMap())

const holdsWord = (text: string, word: string): boolean => indexOfWord(text, word, 0) !== -1

function holdsAny(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return words.some((word) => holdsWord(lower, word))
}

const hasAnchor = ({ acted_given, acted_derived }: InstructionAnchors, string: string): boolean =>
  acted_given.some((anchor) => textOfAnchor(anchor) === string) || acted_derived.includes(string)
