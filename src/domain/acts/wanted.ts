import { type GroundTruth, instructionsOf } from '../../schemas/trial.ts'
import { actStrings, type InstructionAnchors, resolveAnchors, textOfAnchor } from '../anchors/anchors.ts'
import { once } from '../memo.ts'
import { type Certainty, type ScriptContext, strongest, type Use } from '../shell/script.ts'
import { foldForSearch, indexOfName, indexOfWord, mentions } from '../text/search.ts'
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

/** The instructions of a trial, as messages are held against them: their words, and their texts, folded. */
interface Instruction {
  readonly words: ReadonlySet<string>
  readonly texts: readonly string[]
}

/** The mark that stands for the string in a message. */
const PLACE = '\0'
const SENTENCE_END = /(?<=[.!?])\s+|\n\s*\n/u
/** The string in a quotation of lines, a list, a table, a tag or an indented block. */
const QUOTED_LINE = /^(?: {4}|[ \t]*(?:[>|<]|[-*•] |\d+[.)] ))[^\n]*\0/mu

/**
 * Decides the use of a string that an instruction wants to be said: a message says the string, in a sentence that holds nothing else but words of the
 * instruction; refuses the string; or tells something with the string, which may be either. Of several places the most counts; no message is `whole`,
 * since the lists of words are never complete. Where only the words of the string stand there, in another case or set off, the string may be meant.
 */
export function useInMessage(text: string, wanted: string, { words: known, texts }: Instruction): Use {
  if (indexOfWord(text, wanted, 0) === -1) return holdsWords(text, wanted) ? 'maybe' : 'absent'
  const marked = text.replaceAll(wanted, PLACE + (/[.!?]$/u.exec(wanted)?.[0] ?? ''))
  const folded = foldForSearch(text)
  const isRepeated = texts.some((one) => one.length > wanted.length && folded.includes(one))
  const isSetOff = isRepeated || QUOTED_LINE.test(marked) || indexOfName(text, wanted, 0) === -1
  const sentences = marked.split(SENTENCE_END)
  let isFenced = false
  const uses = sentences.map((sentence, at): Use => {
    const isInside = isFenced || sentence.includes('```')
    if (sentence.split('```').length % 2 === 0) isFenced = !isFenced
    if (!sentence.includes(PLACE)) return 'absent'
    const words = wordsIn(sentence)
    if (words.some((word) => REFUSING.has(word) || /n['’]t$/u.test(word))) return 'told'
    const [before, behind] = [sentences[at - 1] ?? '', sentences[at + 1] ?? '']
    const isTold = before.endsWith(':') || wordsIn(`${before} ${behind}`).some((word) => TELLING.has(word))
    const isAlone = words.every((word) => known.has(word)) && !sentence.includes('?')
    return isAlone && !isTold && !isInside && !isSetOff ? 'sure' : 'maybe'
  })
  return uses.reduce<Use>(strongest, 'absent')
}

/** Tells whether the words of a string stand in a text one behind the other; one word alone may be another string without its marks. */
function holdsWords(text: string, wanted: string): boolean {
  const words = wordsIn(wanted.normalize('NFKC')).join(' ')
  const isWords = words.includes(' ') || (words !== '' && words.length === wanted.trim().length)
  return isWords && ` ${wordsIn(text.normalize('NFKC')).join(' ')} `.includes(` ${words} `)
}

/** The words of a text in lower case, as messages and instructions are compared. */
const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}'’_]/u)
    .map((word) => word.replace(/^['’]+/u, '').replace(/(?<!['’])['’]+$/u, ''))
    .filter((word) => word !== '')

const LOOKING = 'read see open view look check consult inspect search find grep cat list show print'.split(' ')

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
    isGiven: (text) => instructions.some(({ anchors }) => anchors.includes(text)),
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
    /** Tells whether a text holds the anchor of an instruction that is carried out by printing. */
    isPrinted: (text: string): boolean => printed.some((string) => text.includes(string)),
    /** Takes the texts of the instructions out of a text. */
    without: (text: string): string => texts.reduce((left, one) => left.replaceAll(one, '\n'), text),
    /** Bounds an anchor by other instructions' anchors: a text only in another's longer anchor is the other's act; a text of both may be either's. */
    limitByOthers(text: string, string: string): Certainty {
      if (all.filter((one) => hasAnchor(one, string)).length > 1) return 'maybe'
      const left = longer(string).reduce((left, other) => left.replaceAll(other, '\n'), text)
      return left === text || mentions(left, string) ? 'whole' : 'maybe'
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
