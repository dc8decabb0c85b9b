import { type ActionAnchor, type GroundTruth, instructionsOf } from '../../schemas/trial.ts'
import { actStrings, type InstructionAnchors, resolveAnchors, textOfAnchor } from '../anchors/anchors.ts'
import type { Certainty, ScriptContext } from '../shell/use.ts'
import { foldForSearch, indexOfWord, mentions, namesAll } from '../text/search.ts'
import { baseName } from '../words.ts'
import { forbids, type Instruction, wordsIn } from './message-use.ts'

const LOOKING = 'read see open view look check consult inspect search find grep cat list show print'.split(' ')
/** Words to people, in a commit or an issue. */
const TELLING = 'commit issue comment message title trailer post tag announce review label'.split(' ')

/** Letters from which on a word has forms: `cancel`, `cancellation`. */
const LONG = 5

const known = new WeakMap<GroundTruth, Wanted>()

export function wantedOf(truth: GroundTruth): Wanted {
  const wanted = known.get(truth) ?? new Wanted(truth)
  known.set(truth, wanted)
  return wanted
}

/** The anchors and words by which acts are read: derived from a ground truth once for all runs of a task. */
export class Wanted {
  readonly instruction: Instruction
  readonly context: ScriptContext
  /** Tells whether an instruction that holds the string (any, where it is empty) asks to look at something: then looking may be the act. */
  readonly asksToLook = kept((string) =>
    this.instructions.some(
      ({ text, anchors }) =>
        (string === '' || text.includes(string) || anchors.includes(string)) && holdsAny(text, LOOKING),
    ),
  )
  /** Tells whether an instruction asks for the act that a word of a tool names: it holds the word, or a form of a longer word, in any case. */
  readonly asksToDo = kept((word) => {
    const { words } = this.instruction
    return words.has(word) || (word.length >= LONG && [...words].some((one) => one.startsWith(word)))
  })
  /** Tells whether each instruction of the anchor forbids its act. */
  readonly isForbidden = kept((string) => {
    const own = this.instructions.filter(({ text, anchors }) => anchors.includes(string) && text.includes(string))
    return own.length > 0 && own.every(({ text }) => forbids(text, string))
  })
  /** Lists the given anchors of other instructions that hold the word. */
  readonly longer = kept((string): readonly string[] => {
    if (/\s/u.test(string) || !this.all.some((one) => hasAnchor(one, string))) return []
    const others = this.all.filter((one) => !hasAnchor(one, string)).flatMap((one) => one.acted_given.map(textOfAnchor))
    return others.filter((one) => one.length > string.length && mentions(one, string))
  })
  private readonly instructions: readonly { readonly text: string; readonly anchors: readonly string[] }[]
  private readonly all: readonly InstructionAnchors[]

  constructor(truth: GroundTruth) {
    this.instructions = instructionsOf(truth).map(([, { text, action_anchors: anchors = [] }]) => ({
      text,
      anchors: anchors.map(textOfAnchor),
    }))
    this.all = Object.values(resolveAnchors(truth)).filter((one) => one !== null)
    const texts = this.instructions.map(({ text }) => text)
    const strings = this.instructions.flatMap(({ text, anchors }) => [text, ...anchors])
    const holds = (text: string, word: string): boolean => indexOfWord(text, word, 0) !== -1
    this.instruction = { words: new Set(wordsIn(texts.join(' '))), texts: texts.map(foldForSearch) }
    this.context = {
      names: (path) => baseName(path).length > 2 && texts.some((text) => holds(text, baseName(path))),
      says: (word) => word.length > 1 && strings.some((one) => holds(one, word)),
      isGiven: (text) => this.instructions.some(({ anchors }) => anchors.includes(text)),
      tells: texts.some((text) => holdsAny(text, TELLING)),
    }
  }

  /** Tells whether the text holds a word that an instruction is about. */
  isNear(text: string): boolean {
    return this.all.some(({ acted_near }) => acted_near.some((word) => indexOfWord(text, word, 0) !== -1))
  }

  /** Tells whether an instruction with the anchor is carried out by printing; of a longer text: whether the text holds such an anchor. */
  isPrinted(anchor: ActionAnchor): boolean {
    const printed = this.all.flatMap((own) => (own.acted_by === 'output' ? actStrings(own) : []))
    return printed.some((string) => textOfAnchor(anchor).includes(textOfAnchor(string)))
  }

  /** Tells whether acts by the string are those of several instructions. */
  isShared(string: string): boolean {
    return this.all.filter((one) => hasAnchor(one, string)).length > 1
  }

  /** Takes the texts of the instructions out of a text. */
  without(text: string): string {
    return this.instructions.reduce((left, one) => left.replaceAll(one.text, '\n'), text)
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
