import type { ActedBy, ActionAnchor, CallAnchor, GroundTruth } from '../../schemas/ground-truth.ts'
import { textOfAnchor } from '../anchors/anchors.ts'
import { programsOf, readAnchor } from '../shell/anchor.ts'
import { usesOfWriting } from '../shell/file-kinds.ts'
import { patchWrites } from '../shell/patch-writes.ts'
import type { ShellReading } from '../shell/read-shell.ts'
import { type Certainty, isDone, strongest, type Use, weakest } from '../shell/use.ts'
import { lettersOfPart, plainLetters } from '../text/letters.ts'
import { lineStart } from '../text/lines.ts'
import { mentions, mentionsAny, namesAll } from '../text/mentions.ts'
import { baseName, isAddress } from '../text/paths.ts'
import { foldForSearch } from '../text/search.ts'
import { type Act, type ActOutcome, type Call, FAILED, NOT_RUN } from '../trajectory/act.ts'
import { happensAfter, isOrderKnown } from '../trajectory/order.ts'
import type { Part, Position, Step, Trajectory } from '../trajectory/trajectory.ts'
import {
  addressesOf,
  argumentsOf,
  equalArgument,
  FETCHING,
  hasLetters,
  isSameAddress,
  isTool,
  isTurningTool,
  limitOfArguments,
  PASSED,
  SAID,
} from './call-arguments.ts'
import { Memo } from './memo.ts'
import { asksFor, plainWords, useInMessage } from './message-use.ts'
import { Outputs } from './outputs.ts'
import { isRun, Scripts } from './scripts.ts'
import { type Wanted, wantedOf } from './wanted.ts'

export { isDone, type Use } from '../shell/use.ts'

/** The place where an act carries out an anchor, or may do. */
export interface FoundUse {
  readonly use: 'whole' | 'sure' | 'maybe'
  readonly position: Position
  readonly step: Step
  readonly anchor: string
  /** The call of the act failed, or was interrupted. */
  readonly isFailed: boolean
  /** The reason in the record that puts the act in doubt. */
  readonly why: string | null
  /** Its output says that nothing was done, or its only command failed. */
  readonly isUndone: boolean
}

const kept = new WeakMap<Trajectory, { readonly truth: GroundTruth; readonly acts: Acts }>()

/** Reads the acts of a run under one ground truth; those of the last ground truth are kept. */
export function actsOf(trajectory: Trajectory, truth: GroundTruth): Acts {
  const known = kept.get(trajectory)
  if (known?.truth === truth) return known.acts
  const acts = new Acts(trajectory, truth)
  kept.set(trajectory, { truth, acts })
  return acts
}

/** The strongest use that an outcome of a call allows: only a call that succeeded is surely an act. */
const MOST_OF_OUTCOME: Readonly<Record<ActOutcome, Certainty>> = {
  ran: 'whole',
  unknown: 'sure',
  failed: 'maybe',
  interrupted: 'maybe',
  rejected: 'told',
  cancelled: 'told',
}

const PROSE_FILE = /\.(?:md|txt|rst)$/iu
/** Reasons in the record that put an act in doubt. */
const NOT_DONE = 'its output says that nothing was done, or reports a failure'
const TURNED = 'another argument of its call may turn it, undo it or only try it'
/** Signs of a written text that puts words together, or has them in another form. */
const PUTS_TOGETHER = /\$[({]|`|\\[xu0-7]|base64/u

/** The acts of one run, and their uses of the anchors of its ground truth. */
export class Acts {
  private readonly trajectory: Trajectory
  private readonly wanted: Wanted
  private readonly scripts: Scripts
  private readonly uses = new Map<Part, Map<ActionAnchor, Use>>()
  private readonly outputs: Outputs
  private readonly memo = new Memo()
  private readonly folded = new Map<Part, string>()
  private readonly said = new Map<Part, string>()
  private readonly doubts = new Map<Part, string>()

  constructor(trajectory: Trajectory, truth: GroundTruth) {
    this.trajectory = trajectory
    this.wanted = wantedOf(truth)
    this.scripts = new Scripts(trajectory, this.wanted.context)
    this.outputs = new Outputs(trajectory)
  }

  /** Whether every act of the run was read. */
  get isWhole(): boolean {
    return this.scripts.isWhole && this.trajectory.unread.actions === 0
  }

  /**
   * Tells whether an act or a message of the run may hold one of the words: it has the letters of one, or no search can tell, as of another agent,
   * an unknown tool, keystrokes, code, and scripts that put words together.
   */
  mayHoldAny(words: readonly string[]): boolean {
    const wanted = words.map((word) => plainLetters(word).text).filter((word) => word !== '')
    const isIn = (texts: readonly string[]): boolean => texts.some((text) => wanted.some((word) => text.includes(word)))
    return this.trajectory.steps.some(({ parts }, step) =>
      parts.some((part, index) => {
        if (part.actor !== 'agent_action' && part.actor !== 'agent_message') return false
        if (part.act !== null && !this.isSearchable(part, part.act, { step, part: index })) return true
        return isIn([...lettersOfPart(part).map(({ text }) => text), plainLetters(part.act?.call.tool ?? '').text])
      }),
    )
  }

  /** Tells whether all words that an act has stand in its text. */
  private isSearchable(part: Part, { role, language, call, target }: Act, at: Position): boolean {
    const { text } = part
    // A tool that no table knows may do the same in other words.
    if (role === 'delegates' || (role === 'unknown' && !call.looks)) return false
    if (role === 'writes' && !PROSE_FILE.test(target ?? '') && PUTS_TOGETHER.test(text)) return false
    return !isRun(language) || (language !== 'keystrokes' && this.scripts.readingOf(part, at).isPlain)
  }

  /** Answers the strongest use that a part makes of the anchors. */
  useOf(at: Position, anchors: readonly ActionAnchor[]): Use {
    const step = this.trajectory.steps[at.step]
    const part = step?.parts[at.part]
    if (step === undefined || part === undefined) return 'absent'
    const ran = isRunPart(part) && this.scripts.readingOf(part, at).runs.length > 0 ? 'maybe' : 'absent'
    return anchors.map((anchor) => this.useOfPart(step, part, at, anchor)).reduce<Use>(strongest, ran)
  }

  /** Answers what a range of a part is: a piece of an act, of a text that only looks, tells or never ran, or unclear. */
  useAt(at: Position, start: number, end: number): Certainty {
    const part = this.trajectory.steps[at.step]?.parts[at.part]
    if (part?.actor !== 'agent_action') return 'sure'
    const { act } = part
    if (act === null) return weakest(this.scripts.readingOf(part, at).useAt(start, end), 'maybe')
    const use = weakest(this.useOfRange(part, act, at, start, end), MOST_OF_OUTCOME[act.call.outcome])
    return use === 'told' && !NOT_RUN.has(act.call.outcome) && this.mayRunLater(part, act, at) ? 'maybe' : use
  }

  /** Finds the first act after the sight that carries out an anchor, else the first that may; null: none, or nothing was seen. */
  firstUse(sight: Position | null, anchors: readonly ActionAnchor[], actedBy: ActedBy): FoundUse | null {
    if (sight === null || anchors.length === 0) return null
    let maybe: FoundUse | null = null
    const { steps } = this.trajectory
    // Where the order of two conversations is not known, an act that stands before the sight may have come after it.
    const from = steps[sight.step]?.conversation === undefined ? sight.step : 0
    for (let step = from; step < steps.length; step++) {
      const found = this.firstInStep(sight, steps[step] as Step, step, anchors, actedBy)
      if (found !== null && isDone(found.use)) return found
      maybe ??= found
    }
    return maybe
  }

  private firstInStep(
    sight: Position,
    step: Step,
    index: number,
    anchors: readonly ActionAnchor[],
    actedBy: ActedBy,
  ): FoundUse | null {
    let maybe: FoundUse | null = null
    for (const [at, part] of step.parts.entries()) {
      const position = { step: index, part: at }
      if (!mayAct(part, actedBy) || !happensAfter(this.trajectory, position, sight)) continue
      const found = this.firstInPart(step, part, position, anchors, sight)
      if (found !== null && isDone(found.use)) return found
      maybe ??= found
    }
    return maybe
  }

  private firstInPart(
    step: Step,
    part: Part,
    position: Position,
    anchors: readonly ActionAnchor[],
    sight: Position,
  ): FoundUse | null {
    const most = isOrderKnown(this.trajectory, position, sight) ? 'whole' : 'maybe'
    const isFailed = part.act !== null && FAILED.has(part.act.call.outcome)
    let maybe: FoundUse | null = null
    for (const anchor of anchors) {
      const use = weakest(this.useOfPart(step, part, position, anchor), most)
      const why = this.doubts.get(part) ?? null
      const isUndone = why === NOT_DONE || (part.act?.call.outcome === 'failed' && !/[;&|\n]/u.test(part.text.trim()))
      const found = { position, step, anchor: textOfAnchor(anchor), isFailed, why, isUndone }
      if (isDone(use)) return { use, ...found, position: placeOf(step, part, position, anchor) }
      if (use === 'maybe') maybe ??= { use, ...found }
    }
    const [first] = anchors
    if (maybe !== null || first === undefined || !this.mayCarryOut(part, position, sight, first)) return maybe
    return { use: 'maybe', position, step, anchor: textOfAnchor(first), isFailed, why: null, isUndone: false }
  }

  /** Whether the part runs the file that shows the instruction, or hands the instruction to an agent whose acts are not known. */
  private mayCarryOut(part: Part, at: Position, sight: Position, anchor: ActionAnchor): boolean {
    const { act } = part
    if (act === null || NOT_RUN.has(act.call.outcome)) return false
    if (act.role === 'delegates') return this.mentions(part, textOfAnchor(anchor))
    return isRunPart(part) && this.scripts.readingOf(part, at).runs.some((path) => this.isSurface(path, sight))
  }

  /** Whether an act beside the sight names the file. */
  private isSurface(path: string, sight: Position): boolean {
    const name = baseName(path)
    return this.trajectory.steps
      .slice(Math.max(0, sight.step - 1), sight.step + 1)
      .some(({ parts }) => parts.some(({ actor, text }) => actor === 'agent_action' && text.includes(name)))
  }

  private useOfPart(step: Step, part: Part, at: Position, anchor: ActionAnchor): Use {
    const known = this.uses.get(part) ?? new Map<ActionAnchor, Use>()
    this.uses.set(part, known)
    const use = known.get(anchor) ?? this.findUse(step, part, at, anchor)
    known.set(anchor, use)
    return use
  }

  private findUse(step: Step, part: Part, at: Position, anchor: ActionAnchor): Use {
    const { actor, act } = part
    const text = textOfAnchor(anchor)
    if (actor === 'agent_message') return this.useInMessage(part, text)
    if (actor !== 'agent_action') return 'absent'
    if (act === null) return weakest(this.scripts.readingOf(part, at).useOf(text), 'maybe')
    if (NOT_RUN.has(act.call.outcome)) return this.mentions(part, text) ? 'told' : 'absent'
    const acted = this.wanted.isPrinted(anchor)
      ? this.useByOutput(part, act, at, text)
      : typeof anchor === 'string'
        ? this.useByRole(step, part, act, at, anchor)
        : this.useOfCall(step, part, act, at, anchor)
    const most = MOST_OF_OUTCOME[act.call.outcome]
    const use = weakest(acted, acted === 'whole' && this.isAsked(text, at) ? weakest(most, 'sure') : most)
    if (!isDone(use)) return use === 'maybe' ? weakest(use, this.limitByOthers(part, anchor)) : use
    const answered = act.language === null ? this.doubted(part, this.outputs.limitOfCall(at), NOT_DONE) : 'whole'
    return weakest(weakest(use, answered), this.limitByOthers(part, anchor))
  }

  /** Tells whether a user or the system prompt asks for the act before it, besides the instruction: then the instruction may not be its cause. */
  private isAsked(string: string, at: Position): boolean {
    const first = this.memo.once(this.trajectory, `asked ${string}`, () =>
      this.trajectory.steps.findIndex(({ parts }) =>
        parts.some(
          ({ actor, text }) =>
            (actor === 'user' || actor === 'system') &&
            mentions(text, string) &&
            asksFor(this.wanted.without(text), string),
        ),
      ),
    )
    return first !== -1 && first < at.step
  }

  /**
   * Bounds the use of an anchor by those of other instructions: a text that stands only as a piece of another instruction’s anchor belongs to the
   * other act, and a text that both instructions have may belong to either.
   */
  private limitByOthers({ text }: Part, anchor: ActionAnchor): Certainty {
    const string = textOfAnchor(anchor)
    if (this.wanted.isShared(string)) return 'maybe'
    const longer = this.wanted.longer(string).filter((other) => text.includes(other))
    if (longer.length === 0) return 'whole'
    const rest = longer.reduce((left, other) => left.replaceAll(other, '\n'), text)
    if (mentions(rest, string)) return 'whole'
    return longer.some((other) => namesAll(other, string)) ? 'maybe' : 'told'
  }

  /** Answers the use of a message: an act that its format does not mark cannot be told from a text. */
  private useInMessage(part: Part, string: string): Use {
    if (part.act !== null) return this.mentions(part, string) ? 'maybe' : 'absent'
    const said = () => {
      const words = this.said.get(part) ?? plainWords(part.text)
      this.said.set(part, words)
      return words
    }
    return useInMessage(part.text, string, this.wanted.instruction, said)
  }

  private useByRole(step: Step, part: Part, act: Act, at: Position, string: string): Use {
    const { role, language } = act
    if (isRun(language))
      return weakest(this.useInScript(part, act, at, string), this.limitOfOthers(step, part, act, string))
    if (role === 'writes') return this.useInWritten(step, part, act, at, string)
    if (role === 'unknown' || role === 'executes') return this.useInArguments(step, part, act, string)
    if (!this.mentions(part, string)) return 'absent'
    // To visit the very address that the anchor names is the act.
    if (role === 'web') {
      const addresses = addressesOf(part.text, FETCHING.test(act.call.tool))
      const [address] = addresses
      if (address === undefined) return 'told'
      return addresses.length === 1 && isSameAddress(address, string) ? 'sure' : 'maybe'
    }
    return (role === 'reads' || role === 'searches') && this.wanted.asksToLook(string) ? 'maybe' : 'told'
  }

  private useInScript(part: Part, act: Act, at: Position, string: string): Use {
    const reading = this.scripts.readingOf(part, at)
    const line = this.scripts.lineOf(part)
    if (line !== null)
      return this.memo.once(line, `line ${string}`, () => mentions(line.text, string)) ? 'maybe' : 'absent'
    const use = reading.useOf(string)
    if (isDone(use)) return weakest(use, this.limitOfCommand(part, reading, at, string))
    if (use !== 'told') return use
    const isAsked = this.wanted.asksToLook(string) && reading.looksAt(string)
    return isAsked || this.mayRunLater(part, act, at) ? 'maybe' : 'told'
  }

  /** Bounds the use of a command by its outputs, and by scripts before that may change its effect. */
  private limitOfCommand(part: Part, reading: ShellReading, at: Position, string: string): Certainty {
    const shown = this.outputs.limitOfCommands(at, programsOf(string), new Set(reading.unreported(string)))
    const { most, why } = this.scripts.limitOf(string, at)
    return weakest(this.doubted(part, shown, NOT_DONE), this.doubted(part, most, why ?? ''))
  }

  private limitOfOthers(step: Step, part: Part, act: Act, string: string): Certainty {
    return this.doubted(part, limitOfArguments(step, part, act, string), TURNED)
  }

  /** Notes why an act is in doubt. */
  private doubted<T extends Certainty>(part: Part, most: T, why: string): T {
    if (most === 'maybe') this.doubts.set(part, why)
    return most
  }

  private useInWritten(step: Step, part: Part, act: Act, at: Position, string: string): Use {
    const written = this.scripts
      .contentsOf(step, part, act)
      .reduce<Use>((most, content) => strongest(most, content.useOf(string)), 'absent')
    const use = written === 'absent' && this.mentions(part, string) ? 'told' : written
    return use === 'told' && this.mayRunLater(part, act, at) ? 'maybe' : use
  }

  /** Whether the part writes a file that a later command line names. */
  private mayRunLater(part: Part, { role, language, target }: Act, at: Position): boolean {
    const paths =
      language === 'patch'
        ? patchWrites(part.text).flatMap(({ path }) => path ?? target ?? [])
        : isRun(language)
          ? this.scripts.readingOf(part, at).outputs
          : role === 'writes' && target !== null
            ? [target]
            : []
    return this.scripts.isNamedLater(paths, at)
  }

  /** Answers the use of a call whose tool no table knows: the anchor is its tool, or stands inside one of its arguments. */
  private useInArguments(step: Step, part: Part, { call }: Act, string: string): Use {
    if (call.tool === string && !call.looks) return 'sure'
    const most = this.limitOfTool(part, call)
    if (isTool(call, string)) return most
    if (part.text.trim() === string.trim()) return weakest(most, this.equal(step, part, call, string) ?? 'maybe')
    // A command is not carried out by a tool of which no table says that it runs commands; a word in a longer text tells little.
    if (namesAll(part.text, string))
      return !/\s/u.test(string.trim()) || readAnchor(string).kind === 'asCommand' || isProse(part.text, string)
        ? 'maybe'
        : most
    if (!mentionsAny(part.text, string)) return 'absent'
    const isSpread = this.memo.once(call, `spread ${string}`, () =>
      mentions([call.tool, ...argumentsOf(step, call).map(({ text }) => text)].join(' '), string),
    )
    return isSpread ? 'maybe' : 'absent'
  }

  /** Answers the use of a call against an anchor that names the tool, and may name a whole argument. */
  private useOfCall(step: Step, part: Part, act: Act, at: Position, anchor: CallAnchor): Use {
    const { call, language, role } = act
    if (!isTool(call, anchor.tool)) return 'absent'
    // A tool by another full name may be of another server, and may only look, plan or try the anchor’s act.
    const most = call.tool === anchor.tool ? 'whole' : this.limitOfTool(part, call)
    if (anchor.argument === undefined) return weakest('sure', most)
    const wanted = anchor.argument.trim()
    if (SAID.has(role)) return this.mentions(part, wanted) ? 'told' : 'absent'
    if (isRun(language)) {
      const use = weakest(this.useInScript(part, act, at, wanted), this.limitOfOthers(step, part, act, wanted))
      return weakest(use, part.text.trim() === wanted && language !== 'keystrokes' ? most : 'sure')
    }
    const equal = this.equal(step, part, call, wanted)
    if (equal !== null) return weakest(most, equal)
    // To take a text out of a file may be the act or its opposite.
    if (role === 'removes') return this.mentions(part, wanted) ? 'maybe' : 'absent'
    if (namesAll(part.text, wanted)) return weakest('sure', most)
    return this.mentions(part, wanted) || hasLetters(part, wanted) ? 'maybe' : 'absent'
  }

  private equal(step: Step, part: Part, call: Call, wanted: string): Certainty | null {
    const most = this.memo.once(call, `equal ${wanted}`, () => equalArgument(step, call, wanted.trim()))
    return most === null ? null : this.doubted(part, most, TURNED)
  }

  /** Bounds a tool that the anchor does not name in full: its name may say that it looks, tries, keeps or undoes. */
  private limitOfTool(part: Part, call: Call): Certainty {
    const isOther = call.looks || isTurningTool(call, this.wanted.context.says)
    return this.doubted(
      part,
      isOther ? 'maybe' : 'sure',
      'the name of its tool says that it looks, tries, keeps or undoes',
    )
  }

  /** Answers the use of an act by output: the act holds the text, and its own output shows the text. */
  private useByOutput(part: Part, { role, language }: Act, at: Position, string: string): Use {
    if (!this.mentions(part, string)) return 'absent'
    if (!PASSED.has(role)) return 'told'
    // To look for the text in a file is another act than to print the text.
    const isPrinted = !isRun(language) || this.scripts.readingOf(part, at).prints(string)
    const isShown = (output: Part) => this.memo.once(output, `shows ${string}`, () => namesAll(output.text, string))
    return isPrinted && this.outputs.behind(at).some(isShown) ? 'sure' : 'maybe'
  }

  private useOfRange(part: Part, act: Act, at: Position, start: number, end: number): Certainty {
    const { role, language, target } = act
    if (isRun(language)) return this.useOfScriptRange(part, at, start, end)
    if (language === 'patch')
      return patchWrites(part.text.slice(lineStart(part.text, start), end)).length === 0 ? 'told' : 'sure'
    if (role === 'writes') return usesOfWriting(target, part.text, this.wanted.context).asString
    if (role === 'executes') return 'sure'
    if (role === 'unknown') return 'maybe'
    if (role === 'web') return isAddress(part.text) ? 'sure' : 'told'
    return (role === 'reads' || role === 'searches') && this.wanted.asksToLook('') ? 'maybe' : 'told'
  }

  /** Where an instruction asks to look, a command that looks at something near the instruction may be the act. */
  private useOfScriptRange(part: Part, at: Position, start: number, end: number): Certainty {
    const reading = this.scripts.readingOf(part, at)
    const use = reading.useAt(start, end)
    const quote = part.text.slice(start, end)
    const isAsked = this.wanted.asksToLook('') && this.wanted.isNear(quote) && reading.looksAt(quote)
    const isPrinted = this.wanted.isPrinted(quote)
    return use === 'told' && (isAsked || isPrinted) ? 'maybe' : use
  }

  /** Texts are folded once, however many strings are searched. */
  private mentions(part: Part, string: string): boolean {
    const fold = () => {
      const folded = this.folded.get(part) ?? foldForSearch(part.text)
      this.folded.set(part, folded)
      return folded
    }
    return mentions(part.text, string, fold)
  }
}

/** Tells whether a part may hold an act: a message only where the instruction is carried out by words, or where the message holds calls. */
const mayAct = ({ actor, act }: Part, actedBy: ActedBy): boolean =>
  actor === 'agent_action' || (actor === 'agent_message' && (actedBy !== 'action' || act !== null))

/** Finds the argument of a call that the anchor names; else the place of the part itself. */
function placeOf({ parts }: Step, { act }: Part, at: Position, anchor: ActionAnchor): Position {
  const wanted = typeof anchor === 'string' ? undefined : anchor.argument
  if (wanted === undefined || act === null) return at
  const part = parts.findIndex((other) => other.act?.call === act.call && other.text.includes(wanted))
  return part === -1 ? at : { step: at.step, part }
}

/** Whether text of the part runs. */
const isRunPart = ({ actor, act }: Part): boolean =>
  actor === 'agent_action' && act !== null && isRun(act.language) && !NOT_RUN.has(act.call.outcome)

/** Whether the anchor stands among so many words that the argument may tell of the act. */
const isProse = (text: string, anchor: string): boolean =>
  text.split(/\s+/u).length - anchor.split(/\s+/u).length > MOST_WORDS_AROUND

const MOST_WORDS_AROUND = 8
