import type { ActRole } from '../../schemas/vocabulary.ts'
import { once } from '../memo.ts'
import { pushTo } from '../result.ts'
import { namesRelativePath } from '../shell/match-command.ts'
import { isScratch } from '../shell/programs.ts'
import { type Certainty, type Use, weakest } from '../shell/script.ts'
import { lettersOfPart, plainLetters } from '../text/letters.ts'
import type { Act, Call, Part, Step } from '../trajectory/trajectory.ts'
import { isAddress, wordSet } from '../words.ts'

/** Reads the parts of each call of a step. */
const callsOf = once(({ parts }: Step) => {
  const calls = new Map<Call, Part[]>()
  for (const part of parts) if (part.act !== null) pushTo(calls, part.act.call, part)
  return calls
}, new WeakMap())

/** Lists the arguments of a call. */
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

/** Bounds a script by the other arguments of its call: another folder; further words, and keys for a program that waits, may turn it. */
export function limitOfArguments(step: Step, part: Part, { call }: Act, string: string): Certainty {
  const limitOf = ({ act, name, text }: Part): Certainty => {
    if (INPUT_ARGUMENT.test(name) && text.toLowerCase() !== 'false') return 'maybe'
    if (BACKGROUND_ARGUMENT.test(name) && text.toLowerCase() !== 'false') return 'sure'
    // A folder of copies holds rules and settings of its own.
    if (FOLDER_ARGUMENT.test(name) && isScratch(text)) return 'maybe'
    if (FOLDER_ARGUMENT.test(name) && namesRelativePath(string)) return 'sure'
    return act !== null && PASSED.has(act.role) ? 'maybe' : 'whole'
  }
  const others = partsOfCall(step, call).filter((other) => other !== part)
  return others
    .slice(0, MOST_ARGUMENTS)
    .map(limitOf)
    .reduce(weakest, others.length > MOST_ARGUMENTS ? 'sure' : 'whole')
}

const MOST_ARGUMENTS = 50

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
