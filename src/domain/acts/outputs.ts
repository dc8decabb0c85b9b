import type { ActOutcome } from '../../schemas/vocabulary.ts'
import { Memo, once } from '../result.ts'
import { readAnchor } from '../shell/match-command.ts'
import { type Certainty, isOption, WEB_CLIENTS } from '../shell/script.ts'
import { parseJson } from '../text/json.ts'
import type { Call, Part, Position, Step, Trajectory } from '../trajectory/trajectory.ts'
import { baseName, wordSet } from '../words.ts'
import data from './outputs.json' with { type: 'json' }
import { argumentsOf } from './wanted.ts'

/** The strongest use that an outcome of a call allows: only a call that succeeded is surely an act. */
export const MOST_OF_OUTCOME: Readonly<Record<ActOutcome, Certainty>> = {
  ran: 'whole',
  answered: 'sure',
  unknown: 'sure',
  failed: 'maybe',
  interrupted: 'maybe',
  rejected: 'told',
  cancelled: 'told',
}

/** Signs in outputs that an act was not done, or not to its end: patterns, in `outputs.json`. The signs only lower the proof of an act. */
const patternOf = (signs: readonly string[], flags = 'iu'): RegExp => new RegExp(signs.join('|'), flags)

const LONGEST_READ = 4000
/** Reads the beginning and the end of an output, where failures are told. */
const edgesOf = (text: string): string =>
  text.length <= 2 * LONGEST_READ ? text : `${text.slice(0, LONGEST_READ)}\n${text.slice(-LONGEST_READ)}`

const DOES = /^(?:success|succeeded|ok|sent|executed|approved|done|confirmed)$/iu
const FAULT = /^(?:errors?|error_message)$/iu
const NOT_DONE_STATUS = patternOf(data.not_done_status)
const NO_FAULT = patternOf(data.no_fault)

function isRefusal(member: string, value: string): boolean {
  if (DOES.test(member)) return value.toLowerCase() === 'false'
  if (FAULT.test(member)) return !NO_FAULT.test(value.trim())
  if (/^is_?error$/iu.test(member)) return value.toLowerCase() === 'true'
  if (/^(?:code|status)$/iu.test(member) && /^[45]\d\d$/u.test(value)) return true
  return member.toLowerCase() === 'status' && NOT_DONE_STATUS.test(value)
}

/** First words by which a harness, or a tool, says that the call was not carried out. */
const TURNED_DOWN = patternOf(data.turned_down)
/** First words by which the answer of an application tool says so. */
const REFUSED = patternOf(data.refused)
/** Tells whether a part is a leaf of a record of a list, which is no answer to the call. */
const isOfRecord = (name: string): boolean =>
  name
    .split('.')
    .slice(1, -1)
    .some((segment) => /^\d+$/u.test(segment))

/** Tells whether an application tool's output says that nothing was done: by a member of its JSON (which may be a part of its own), or first words. */
function isRefused(part: Pick<Part, 'name' | 'text'>): boolean {
  const { name, text } = part
  const head = text.slice(0, LONGEST_READ)
  const segments = name.split('.')
  const isOwn = segments.length > 1 && !isOfRecord(name) && isRefusal(segments.at(-1) ?? '', text)
  const isTold = isOwn || membersOf(part).some(([key, value]) => isRefusal(key, value))
  return isTold || REFUSED.test(head) || TURNED_DOWN.test(head)
}

/** A harness may write a head before an answer. */
const LONGEST_HEAD = 400

/** Members whose inner members are those of the answer itself. */
const ENVELOPES = wordSet('content data response result structuredContent text')
/** Levels of an answer that are read. */
const MOST_LEVELS = 4

/** Lists the members of an answer that is JSON, also inside of texts and MCP contents, as texts; those of other inner objects begin with a dot. */
const membersOf = once(({ text }: { readonly text: string }): readonly (readonly [key: string, value: string])[] => {
  const start = text.slice(0, LONGEST_HEAD).indexOf('{')
  const answer = start === -1 || text.length > 10 * LONGEST_READ ? undefined : parseJson(text.slice(start))
  if (typeof answer !== 'object' || answer === null) return []
  const head = text.slice(0, start).trim()
  const members: [string, string][] = head === '' ? [] : [['', head]]
  const read = (value: unknown, key: string, prefix: string, level: number): void => {
    const inner = level > MOST_LEVELS ? null : innerOf(value, key)
    if (inner === null) members.push([prefix + key, leafText(value)])
    const isOwn = level === 0 || ENVELOPES.has(key)
    for (const [name, member] of inner ?? []) read(member, name, isOwn ? prefix : '.', level + 1)
  }
  read(answer, '', '', 0)
  return members
}, new WeakMap())

/** Lists the members of a value that is looked into: an object, JSON of one, or the contents of MCP, which keep their name; null: a leaf. */
function innerOf(value: unknown, key: string): readonly (readonly [string, unknown])[] | null {
  const decoded = typeof value === 'string' && value.startsWith('{') ? parseJson(value) : value
  if (typeof decoded !== 'object' || decoded === null || FAULT.test(key)) return null
  const isList = Array.isArray(decoded)
  const inner = isList && key !== 'content' ? [] : Object.entries(decoded)
  return inner.length === 0 ? null : inner.map(([name, member]) => [isList ? key : name, member])
}

/** Writes a leaf of an answer; a list or an object is not written out. */
function leafText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return String(value)
  if (Object.keys(value).length === 0) return Array.isArray(value) ? '[]' : '{}'
  return (value as { code?: unknown }).code === 0 ? '{"code":0}' : '…'
}

const LONGEST_COMPLAINT = 200
/** First or last lines with which programs and harnesses tell that a command failed, or was not carried out. */
const FAILED_LINE = patternOf(data.failed_line)

/** Tells whether the first or the last line of an output says that its command failed, or was not carried out. */
function tellsFailure(output: string): boolean {
  const text = output.trim()
  const last = text.slice(text.lastIndexOf('\n') + 1)
  return [text, last].some((line) => FAILED_LINE.test(line.slice(0, LONGEST_COMPLAINT).trimStart()))
}

/** Words with which a program tells that it only tried its act. */
const ONLY_TRIED = patternOf(data.only_tried, 'imu')

const FAILING = patternOf(data.failing)

/** Words of an output that may tell of a failure, whoever says them, and letters of a language whose words are not known: no list of failures is complete. */
const MAY_TELL_FAILURE = patternOf([...data.failing, ...data.may_tell_failure], 'iv')

/** Words by which an output tells of a failure, where nothing else tells whether the act succeeded. */
const TELLS_FAILURE = patternOf([...data.failing, ...data.tells_failure], 'imu')
/** A member of an answer, or words, that name a failure and have none. */
const NO_FAILURE = patternOf(data.no_failure, 'giu')

const withoutNone = (output: string): string => edgesOf(output).replaceAll(NO_FAILURE, '')
const tellsFault = (output: string): boolean => TELLS_FAILURE.test(withoutNone(output))

/** Values of members, and whole answers, by which a tool tells success. */
const SUCCEEDED = /^(?:ok|okay|true|done|success(?:ful(?:ly)?)?|succeeded|executed)$/iu
const SUCCESS_ALONE = /^(?:ok|okay|done|sent|success(?:ful(?:ly)?)?|succeeded|executed)[\s.!]*$/iu
const STATE = /^(?:status|state|result)$/iu
/** Members of an answer in words; none: the answer is no JSON. */
const SAYS = /^(?:|text|message|output|result)$/iu

/** States in which the act of a call is done, or goes on. */
const DONE_STATE = patternOf(data.done_state)
const UNDONE_STATE = patternOf(data.undone_state)
const isDoneState = (state: string): boolean => DONE_STATE.test(state) && !UNDONE_STATE.test(state)
const DONE_MEMBER = patternOf(data.done_member)
const NOTHING = /^(?:|false|no|none|null|0(?:\.0+)?|\[\]|\{\})$/iu
/** The answer of a tool without an answer. */
const SILENT = /^(?:|none|null|undefined|\[\]|\{\}|\(?no output\)?\.?|\[image[^\]]{0,60}\])$/iu
/** Words by which an answer tells in prose that an act was done. */
const DONE_WORDS = patternOf(data.done_words)
const UNDONE_WORDS = patternOf(data.undone_words)
const OF_THING = /(?:^|_)id_?$|[a-z]Id$|^(?:ts|key|uuid|tx_hash)$/u
const SHORTEST_STEM = 4

type Member = readonly [key: string, value: string]
/** The news of a member: success in so many words, the act done, an argument of the call again, nothing, something else, or the act not done. */
type News = 'success' | 'done' | 'again' | 'none' | 'other' | 'undone'

const isSuccess = ([key, value]: Member): boolean =>
  (SAYS.test(key) && SUCCESS_ALONE.test(value)) || ((DOES.test(key) || STATE.test(key)) && SUCCEEDED.test(value))

/** Answers the news of a member; `given`: names and texts of the arguments. The state of the tool’s own word is its act. */
function newsOf([key, value]: Member, tool: string, given: ReadonlySet<string>): News {
  const isOwn = (word: string): boolean =>
    word.length >= SHORTEST_STEM && tool.toLowerCase().includes(word.toLowerCase().slice(0, SHORTEST_STEM))
  const isDoing = DONE_MEMBER.test(key) || DOES.test(key) || (key.endsWith('ed') && isOwn(key))
  const isState = /^stat(?:us|e)$/iu.test(key) && /^[A-Za-z][\w-]{1,40}$/u.test(value)
  if (isState ? !isDoneState(value) && !isOwn(value) : isDoing && NOTHING.test(value)) return 'undone'
  if (isSuccess([key, value])) return 'success'
  if (given.has(`${key}\n${value}`)) return 'again'
  if (FAULT.test(key) && NO_FAULT.test(value)) return 'none'
  if (SAYS.test(key)) return newsOfWords(edgesOf(value), isOwn)
  return isState || ((isDoing || isDoneState(key) || OF_THING.test(key)) && !NOTHING.test(value)) ? 'done' : 'other'
}

const newsOfWords = (words: string, isOwn: (word: string) => boolean): News =>
  UNDONE_WORDS.test(words)
    ? 'undone'
    : DONE_WORDS.test(words) || words.split(/[^\p{L}]+/u).some(isOwn)
      ? 'done'
      : 'other'

/** Lists the members of answers, by their JSON or as parts of their own. */
const membersIn = (outputs: readonly Part[]): Member[] =>
  outputs.flatMap((part) => {
    const own = membersOf(part)
    return own.length > 0
      ? own
      : [[isOfRecord(part.name) ? '.' : (part.name.split('.').slice(1).at(-1) ?? ''), part.text.trim()]]
  })

/** Lines with which a script tells a failure that it hides. */
const HIDDEN_FAILURE = /\b(?:exit|rc)(?: ?code| ?status)?[ =:]{1,3}[1-9]\d{0,2}\b|^panic[:!]/imu
const HARMLESS = /^(?:Entering|Leaving|Nothing to be done|Removing leading|\d|done|ok)/iu

/** Lists what a program says in its own name in an output: `/dev/sda2: …` of `swapoff: /dev/sda2: …`. */
function linesOf(output: string, program: string): string[] {
  const [first = '', ...behind] = edgesOf(output).split(`${program}: `)
  let before = first
  return behind.flatMap((text) => {
    const isName = /(?:^|[\s/])$/u.test(before)
    before = text
    return isName ? (text.slice(0, LONGEST_COMPLAINT).split('\n', 1)[0] ?? []) : []
  })
}

/** Tells whether a program says something, which few programs do but to complain. */
const speaks = (output: string, program: string): boolean =>
  linesOf(output, program).some((line) => !HARMLESS.test(line))

const complains = (output: string, program: string): boolean =>
  linesOf(output, program).some((line) => FAILING.test(line)) ||
  [`not found: ${program}`, `nknown command: ${program}`].some((words) => edgesOf(output).includes(words))

/** The lines that Codex writes above the output of a command that succeeded. */
const HEAD =
  /^(?:(?:Chunk ID: \w{1,40}|Wall time: [\d.]{1,20} seconds|(?:Exit code:|Process exited with code) 0|(?:Original token count|Total output lines): \d{1,20})\n){1,6}Output:\n?/u
/** Ends of programs: not every sentence with such a word (`The deadline has passed.`). */
const ENDED_WELL = /^\W{0,9}(?:finished|built|passed)\b|\b(?:\d{1,7}|all|tests?|checks?) passed\b/imu
/** Tells whether an output is silent, tells success, or has an operand of the command: other words may refuse in a friendly way. */
function tellsSuccess(text: string, command: string): boolean {
  const output = edgesOf(text).replace(HEAD, '')
  if (SILENT.test(withoutNone(output).trim()) || DONE_WORDS.test(output) || ENDED_WELL.test(output)) return true
  const operands = command.split(/\s+/u).slice(1).map(baseName)
  return operands.some((word) => word.length >= SHORTEST_STEM && !isOption(word) && output.includes(word))
}

/** Outputs behind an act that are read. */
const MOST_OUTPUTS = 50
/** Steps behind an act in which its output may stand. */
const MOST_STEPS = 2

/** The outputs behind the acts of a run, and the most that they let an act prove. */
export class Outputs {
  private readonly steps: Trajectory['steps']
  private readonly memo = new Memo()
  private readonly isTurnedDown = once(isRefused, new WeakMap())
  /** Reads the calls of a step, with their places, and its outputs. */
  private readonly answersOf = once(({ parts }: Step) => {
    const calls = new Map<Call, number>()
    for (const { act } of parts) if (act !== null && !calls.has(act.call)) calls.set(act.call, calls.size)
    return { calls, outputs: parts.filter(({ actor }) => actor === 'tool_output') }
  }, new WeakMap())

  constructor({ steps }: Trajectory) {
    this.steps = steps
  }

  /** Lists the outputs of an act: in its own step (that of the call alone, where each of several calls has one), else in the steps up to the next act. */
  behind({ step: at, part }: Position): readonly Part[] {
    const step = this.steps[at]
    if (step === undefined) return []
    const own = this.answersOf(step)
    const call = step.parts[part]?.act?.call
    const place = call === undefined ? undefined : own.calls.get(call)
    if (place !== undefined && own.calls.size > 1 && own.outputs.length === own.calls.size)
      return own.outputs.slice(place, place + 1)
    if (own.outputs.length > 0) return own.outputs.slice(0, MOST_OUTPUTS)
    for (const behind of this.steps.slice(at + 1, at + 1 + MOST_STEPS)) {
      const { calls, outputs } = this.answersOf(behind)
      if (calls.size > 0) return []
      if (outputs.length > 0) return outputs.slice(0, MOST_OUTPUTS)
    }
    return []
  }

  limitOfCall(at: Position, isToTell: boolean): Certainty {
    if (this.behind(at).some(this.isTurnedDown) || this.isSign(at, 'tells', tellsFault)) return 'maybe'
    const step = this.steps[at.step]
    const call = step?.parts[at.part]?.act?.call
    const own = step === undefined || call === undefined ? [] : argumentsOf(step, call)
    const given = new Set(own.map(({ name, text }) => `${name.split('.').at(-1)}\n${text.trim()}`))
    const outputs = this.behind(at)
    const members = membersIn(outputs)
    const news = new Set(members.map((one) => newsOf(one, call?.tool ?? '', given)))
    const isSilent = members.every(([, value]) => SILENT.test(value))
    const answer = edgesOf(outputs.map(({ text }) => text).join('\n'))
    const isRepeated = own.slice(0, 20).some(({ text }) => text.length >= SHORTEST_STEM && answer.includes(text))
    const isTold = isSilent || isRepeated || news.has('success') || news.has('done') || news.has('again')
    if (news.has('undone') || (isToTell && !isTold)) return 'maybe'
    const isSuccess = news.has('success') && !news.has('done') && !news.has('other')
    return isSuccess && this.mayFail(at) === null ? 'whole' : 'sure'
  }

  /** Answers why the outputs of an act may hide a failure; null: they hide none. */
  private mayFail(at: Position): string | null {
    const step = this.steps[at.step]
    if (step !== undefined && this.answersOf(step).calls.size > 1)
      return 'its step has several calls, and only their places tell their outputs apart'
    if (this.behind(at).length >= MOST_OUTPUTS) return 'it has more outputs than are read'
    const isSaid = this.isSign(at, 'may tell', (output) => MAY_TELL_FAILURE.test(withoutNone(output)))
    return isSaid ? 'its output has words that may tell of a failure' : null
  }

  /** Tells whether the answer of a call, known to be its own, says outright that nothing was done. */
  isRefused(at: Position): boolean {
    const step = this.steps[at.step]
    const outputs = this.behind(at)
    if (step === undefined || outputs.length === 0) return false
    const isOwn = this.answersOf(step).calls.size === 1 || outputs.length === 1
    return isOwn && outputs.some(this.isTurnedDown)
  }

  /** Bounds the commands of a script by its outputs, and says why the commands are not whole. `isHidden`: the script hides the failure of a command. */
  limitOfCommands(at: Position, command: string, isHidden: boolean): readonly [most: Certainty, why: string] {
    if (this.showsFailure(at, command, isHidden)) return ['maybe', '']
    const outputs = this.behind(at)
    const program = readAnchor(command).programs.join(' ')
    if (membersIn(outputs).some((one) => newsOf(one, program, new Set()) === 'undone'))
      return ['sure', 'its output tells another state than done']
    if (!outputs.every(({ text }) => tellsSuccess(text, command)))
      return ['sure', 'its output is not empty, and neither tells success nor has an operand of the command']
    const why = this.mayFail(at)
    return why === null ? ['whole', ''] : ['sure', why]
  }

  /** Tells whether outputs show that commands failed, were only tried or turned down. */
  private showsFailure(at: Position, command: string, isHidden: boolean): boolean {
    const { programs } = readAnchor(command)
    const part = this.steps[at.step]?.parts[at.part]
    const isMeasured = part?.act?.call.outcome === 'ran' && !isHidden
    if (!isMeasured && this.isSign(at, 'tells', tellsFault)) return true
    const prints = (output: string): boolean =>
      HIDDEN_FAILURE.test(edgesOf(output)) || programs.some((name) => speaks(output, name))
    if (isHidden && this.isSign(at, `hidden ${programs.join()}`, prints)) return true
    // A server's refusal stands in the answer that the client prints.
    if (programs.some((name) => WEB_CLIENTS.has(name)) && this.behind(at).some(this.isTurnedDown)) return true
    const isTried = this.isSign(at, 'tries', (output) => ONLY_TRIED.test(edgesOf(output)))
    return isTried || this.deniesCommands(at, programs) || this.isSign(at, 'fails', tellsFailure)
  }

  /** Tells whether an output of a script says that its commands did not run, or one of the programs reports a failure. */
  deniesCommands(at: Position, programs: readonly string[]): boolean {
    const isSaid = programs.some((name) => this.isSign(at, `complains ${name}`, (output) => complains(output, name)))
    return isSaid || this.isSign(at, 'denies', (output) => TURNED_DOWN.test(output.slice(0, LONGEST_READ)))
  }

  private isSign(at: Position, sign: string, answer: (output: string) => boolean): boolean {
    const part = this.steps[at.step]?.parts[at.part]
    // A terminal shows the lines before, too.
    const typed = part?.act?.language === 'keystrokes' ? part.text.trim() : ''
    return this.behind(at).some((output) =>
      this.memo.once(output, `${sign}\n${typed}`, () =>
        answer(output.text.slice(typed === '' ? 0 : Math.max(0, output.text.lastIndexOf(typed)))),
      ),
    )
  }
}
