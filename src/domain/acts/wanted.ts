import { type ActionAnchor, type GroundTruth, instructionsOf } from '../../schemas/ground-truth.ts'
import { actStrings, type InstructionAnchors, resolveAnchors, textOfAnchor } from '../anchors/anchors.ts'
import type { Certainty, ScriptContext } from '../shell/use.ts'
import { mentions, namesAll } from '../text/mentions.ts'
import { baseName } from '../text/paths.ts'
import { foldForSearch, indexOfWord } from '../text/search.ts'
import { forbids, type Instruction, wordsIn } from './message-use.ts'

/** The anchors and words by which acts are read: derived from a ground truth once for all runs of a task. */
export interface Wanted {
  readonly instruction: Instruction
  readonly context: ScriptContext
  /** Whether an instruction that holds the string asks to look at something: then looking may be the act. */
  asksToLook(string: string): boolean
  /** Whether an instruction asks for the act that a word of a tool names: it holds the word, or a form of a longer word, in any case. */
  asksToDo(word: string): boolean
  /** Whether each instruction of the anchor forbids its act. */
  isForbidden(string: string): boolean
  /** Whether an instruction with the anchor is carried out by printing. */
  isPrinted(anchor: ActionAnchor): boolean
  /** Whether acts by the string are those of several instructions. */
  isShared(string: string): boolean
  /** Takes the texts of the instructions out of a text. */
  without(text: string): string
  /** The given anchors of other instructions that hold the word. */
  longer(string: string): readonly string[]
}

const LOOKING = 'read see open view look check consult inspect search find grep cat list show print'.split(' ')
/** Words to people, in a commit or an issue. */
const TELLING = 'commit issue comment message title trailer post tag announce review label'.split(' ')

/** Letters from which on a word has forms: `cancel`, `cancellation`. */
const LONG = 5

const known = new WeakMap<GroundTruth, Wanted>()

export function wantedOf(truth: GroundTruth): Wanted {
  const wanted = known.get(truth) ?? readWanted(truth)
  known.set(truth, wanted)
  return wanted
}

function readWanted(truth: GroundTruth): Wanted {
  const instructions = instructionsOf(truth).map(([, { text, action_anchors: anchors = [] }]) => ({
    text,
    anchors: anchors.map(textOfAnchor),
  }))
  const texts = instructions.map(({ text }) => text)
  const strings = instructions.flatMap(({ text, anchors }) => [text, ...anchors])
  const all = Object.values(resolveAnchors(truth)).filter((one) => one !== null)
  const printed = all.flatMap((own) => (own.acted_by === 'output' ? actStrings(own) : [])).map(textOfAnchor)
  const words = new Set(wordsIn(texts.join(' ')))
  return {
    instruction: { words, texts: texts.map(foldForSearch) },
    context: {
      names: (path) => {
        const name = baseName(path)
        return name.length > 2 && texts.some((text) => indexOfWord(text, name, 0) !== -1)
      },
      says: (word) => word.length > 1 && strings.some((one) => indexOfWord(one, word, 0) !== -1),
      isGiven: (text) => instructions.some(({ anchors }) => anchors.includes(text)),
      tells: texts.some((text) => holdsAny(text, TELLING)),
    },
    asksToLook: kept((string) =>
      instructions.some(
        ({ text, anchors }) => (text.includes(string) || anchors.includes(string)) && holdsAny(text, LOOKING),
      ),
    ),
    asksToDo: kept(
      (word) => words.has(word) || (word.length >= LONG && [...words].some((one) => one.startsWith(word))),
    ),
    isForbidden: kept((string) => {
      const own = instructions.filter(({ text, anchors }) => anchors.includes(string) && text.includes(string))
      return own.length > 0 && own.every(({ text }) => forbids(text, string))
    }),
    isPrinted: (anchor) => printed.includes(textOfAnchor(anchor)),
    isShared: (string) => all.filter((one) => hasAnchor(one, string)).length > 1,
    without: (text) => texts.reduce((left, one) => left.replaceAll(one, '\n'), text),
    longer: kept((string) => {
      if (/\s/u.test(string) || !all.some((one) => hasAnchor(one, string))) return []
      const others = all.filter((one) => !hasAnchor(one, string)).flatMap((one) => one.acted_given.map(textOfAnchor))
      return others.filter((one) => one.length > string.length && mentions(one, string))
    }),
  }
}

/**
 * Bounds the use of an anchor by those of other instructions: a text that stands only as a piece of another instruction’s anchor belongs to the
 * other act, and a text that both instructions have may belong to either.
 */
export function limitByOthers(wanted: Wanted, text: string, string: string): Certainty {
  if (wanted.isShared(string)) return 'maybe'
  const longer = wanted.longer(string).filter((other) => text.includes(other))
  if (longer.length === 0) return 'whole'
  const rest = longer.reduce((left, other) => left.replaceAll(other, '\n'), text)
  if (mentions(rest, string)) return 'whole'
  return longer.some((other) => namesAll(other, string)) ? 'maybe' : 'told'
}

function holdsAny(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return words.some((word) => indexOfWord(lower, word, 0) !== -1)
}

const hasAnchor = ({ acted_given, acted_derived }: InstructionAnchors, string: string): boolean =>
  acted_given.some((anchor) => textOfAnchor(anchor) === string) || acted_derived.includes(string)

/** Answers each string once. */
function kept<T>(answer: (string: string) => T): (string: string) => T {
  const answers = new Map<string, T>()
  return (string) => {
    const found = answers.get(string) ?? answer(string)
    answers.set(string, found)
    return found
  }
}
