import { type GroundTruth, instructionsOf } from '../../schemas/trial.ts'
import type { ActRole } from '../../schemas/vocabulary.ts'
import { actStrings, type InstructionAnchors, resolveAnchors, textOfAnchor } from '../anchors/anchors.ts'
import { once, pushTo } from '../result.ts'
import { readAnchor } from '../shell/match-command.ts'
import { isScratch } from '../shell/programs.ts'
import { type Certainty, type ScriptContext, strongest, type Use, weakest } from '../shell/script.ts'
import { lettersOfPart, plainLetters } from '../text/letters.ts'
import { foldForSearch, indexOfName, indexOfWord, mentions } from '../text/search.ts'
import type { Act, Call, Part, Step } from '../trajectory/trajectory.ts'
import data from '../words.json' with { type: 'json' }
import { baseName, isAddress, wordSet } from '../words.ts'

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
    asksToLook: once((string: string) => {
      const own = instructions.filter(({ text, anchors }) => text.includes(string) || anchors.includes(string))
      return own.some(({ text }) => LOOKING.some((word) => holdsWord(text.toLowerCase(), word)))
    }),
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

const hasAnchor = ({ acted_given, acted_derived }: InstructionAnchors, string: string): boolean =>
  acted_given.some((anchor) => textOfAnchor(anchor) === string) || acted_derived.includes(string)

const callsOf = once(({ parts }: Step) => {
  const calls = new Map<Call, Part[]>()
  for (const part of parts) if (part.act !== null) pushTo(calls, part.act.call, part)
  return calls
}, new WeakMap())

export const partsOfCall = (step: Step, call: Call): readonly Part[] => callsOf(step).get(call) ?? []

/** Roles of arguments that reach the tool’s action; others describe the call, or name the texts that the tool reads. */
export const PASSED: ReadonlySet<ActRole> = new Set<ActRole>(['executes', 'writes', 'web', 'unknown'])

/** Arguments that carry nothing out, whatever the tool. */
export const SAID: ReadonlySet<ActRole> = new Set<ActRole>(['describes', 'thinks'])

/** The arguments of a call that reach its action. */
export const argumentsOf = (step: Step, call: Call): Part[] =>
  partsOfCall(step, call).filter(({ act }) => act !== null && PASSED.has(act.role))

/** Arguments that name the folder in which a call runs. */
const FOLDER_ARGUMENT = /[._](?:workdir|cwd|(?:working_?)?directory|dir|path)$/iu
const INPUT_ARGUMENT = /[._]is_input$/iu
const BACKGROUND_ARGUMENT = /[._](?:run_in_|is_)?background$/iu

/** Bounds a script by the other arguments of its call: a folder other than that of the first call, `home`; further words, and keys for a program that waits, may turn it. */
export function limitOfArguments(step: Step, part: Part, { call }: Act, string: string, home: string): Certainty {
  const limitOf = ({ act, name, text }: Part): Certainty => {
    if (INPUT_ARGUMENT.test(name) && text.toLowerCase() !== 'false') return 'maybe'
    if (BACKGROUND_ARGUMENT.test(name) && text.toLowerCase() !== 'false') return 'sure'
    // A folder of copies holds rules and settings of its own.
    if (FOLDER_ARGUMENT.test(name) && isScratch(text)) return 'maybe'
    if (FOLDER_ARGUMENT.test(name) && (text !== home || readAnchor(string).isRelative)) return 'sure'
    return act !== null && PASSED.has(act.role) ? 'maybe' : 'whole'
  }
  const others = partsOfCall(step, call).filter((other) => other !== part)
  return others
    .slice(0, MOST_ARGUMENTS)
    .map(limitOf)
    .reduce(weakest, others.length > MOST_ARGUMENTS ? 'sure' : 'whole')
}

const MOST_ARGUMENTS = 50

/** Returns the folder that an argument of a call names; '' for a call without one. */
export const folderOfCall = (step: Step, call: Call): string =>
  partsOfCall(step, call).find(({ name }) => FOLDER_ARGUMENT.test(name))?.text ?? ''

/** Tells whether a name is that of the call’s tool, with or without the prefix of a server. */
export const isTool = ({ tool }: Call, name: string): boolean =>
  tool === name || ['__', '.', '/', ':'].some((joint) => tool.endsWith(joint + name))

/** Tools that call a tool of a server, which an argument names. */
const DISPATCHERS = wordSet('call_tool_mcp call_mcp_tool mcp_tool_call use_mcp_tool')

const NAMES_TOOL = /[._](?:name|tool|tool_?name)$/iu
/** Tells whether a call calls the tool of a name through another tool. */
export const dispatches = (step: Step, call: Call, name: string): boolean =>
  DISPATCHERS.has(call.tool) &&
  partsOfCall(step, call).some(
    (part) =>
      (NAMES_TOOL.test(part.name) || part.name === call.tool) && isTool({ ...call, tool: part.text.trim() }, name),
  )

/** Fewest letters that tell an argument in another spelling, as an account number in groups. */
const FEWEST_LETTERS = 8
/** Tells whether an argument has the letters and digits of a word, however they are spaced. */
export function hasLetters(part: Part, wanted: string): boolean {
  const letters = plainLetters(wanted).text
  return letters.length >= FEWEST_LETTERS && lettersOfPart(part).some(({ text }) => text.includes(letters))
}

/** Arguments that stand beside the target of an act, as a sender or a note. */
const SIDE_ARGUMENT = /[._](?:from|sender|source|notes?|memo|comment|reason|old|previous)(?:_\w+)?(?:\.\d+)?$/iu
/** Arguments with the targets that a call leaves out: `exclude`, `but_not.0`. */
const LEAVING_ARGUMENT = /[._](?:\w+_)?(?:except|exclude|excluding|skip|ignore|keep|omit|not)(?:_\w+)?(?:\.\d+)?$/iu
const YES = /^(?:true|1|yes)$/iu
const NO = /^(?:false|0|no|none|)$/iu
/** Arguments with which a call may try, undo or set something else: the values that leave the call as it is, and those that turn it outright. */
const TURNING: readonly (readonly [name: RegExp, harmless: RegExp, outright: RegExp | null])[] = [
  [/[._](?:dry_?run|simulate|draft|preview|test|sandbox|undo|cancel)(?:_?mode)?$/iu, NO, YES],
  [/[._](?:check|validate\w*|disabled?|rehearsal)$/iu, NO, null],
  [/[._](?:send|submit|commit|execute|publish|apply|pay)$/iu, /^(?!(?:false|0|no|none)$)/iu, null],
  [/[._](?:confirm\w*|enabled?)$/iu, YES, null],
  [
    /(?<!dry_?run|draft|preview|test|sandbox)[._](?:state|status|action|mode)$/iu,
    /^(?!.*(?:dry|test|sim|draft|off|dis|block|delet|cancel|inactive|reject|undo|explain|false|^0$|^no$))/isu,
    /^(?:dry[-_ ]?run|draft|preview|simulat(?:e|ed|ion)|test|cancel(?:l?ed)?|reject(?:ed)?|undo|blocked?|deleted?|disabled?|off|inactive|false)$/iu,
  ],
]
/** Answers the most that an argument equal to the anchor's proves: names of arguments only lower it; null: no argument equals it. */
export function equalArgument(step: Step, call: Call, wanted: string): Certainty | null {
  const parts = partsOfCall(step, call)
  const isEqual = ({ act, text }: Part): boolean =>
    act !== null && !SAID.has(act.role) && act.role !== 'removes' && text.trim() === wanted
  const equal = parts.filter(isEqual)
  if (equal.length === 0) return null
  const turns = ({ name, text }: Part): boolean =>
    TURNING.some(([own, harmless]) => own.test(name) && !harmless.test(text.trim()))
  if (parts.some((part) => !isEqual(part) && turns(part))) return 'maybe'
  if (equal.every(({ name }) => LEAVING_ARGUMENT.test(name))) return 'maybe'
  return equal.every(({ name }) => SIDE_ARGUMENT.test(name)) ? 'sure' : 'whole'
}

/** First words in names of tools that keep, check or only try the act of another tool. */
const TRYING_WORDS = wordSet(
  'draft fake finding log memory mock note notes preview remember report sandbox simulate validate',
)
/** Words in names of tools that undo or block the act of another tool. */
const UNDOING_WORDS = wordSet('block cancel decline deny disable flag refuse reject revert revoke skip test undo')

/** Lists the words in the name of a tool, in lower case: `send_money`, `sendMoney`. */
export const wordsOfTool = ({ tool }: Call): string[] =>
  tool.split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u).map((word) => word.toLowerCase())

/** Tells whether the name of a tool has a word that turns an act, by a list or as a word of the instruction behind `un` or `dis`, and is no word of the instruction itself. */
export const isTurningTool = (call: Call, says: (word: string) => boolean): boolean =>
  wordsOfTool(call).some((word) => {
    const isListed = TRYING_WORDS.has(word) || UNDOING_WORDS.has(word)
    return (isListed || (/^(?:un|dis)./u.test(word) && says(word.replace(/^(?:un|dis)/u, '')))) && !says(word)
  })

/** Tells whether an argument, or a first word of the tool's name that the instruction lacks, says a call only tries. `says` null: a named tool. */
export function onlyTries(step: Step, call: Call, says: ((word: string) => boolean) | null): boolean {
  const words = wordsOfTool(call)
  const [first = ''] = words
  if (says !== null && TRYING_WORDS.has(first) && !says(first) && !words.includes('and')) return true
  return partsOfCall(step, call).some(({ name, text }) =>
    TURNING.some(([own, , outright]) => outright?.test(text.trim()) && own.test(name) && says?.(text.trim()) !== true),
  )
}

/** Answers the use of a web tool’s argument: to visit the very address of the anchor (the scheme may be missing) is the act; a query or a prompt is none. */
export function useOfAddress(text: string, anchor: string): Use {
  const plain = (whole: string): string => whole.trim().replace(/^https?:\/\/|\/$/gu, '')
  return !isAddress(text) ? 'told' : plain(text) === plain(anchor) ? 'sure' : 'maybe'
}
