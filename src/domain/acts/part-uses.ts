import type { ActionAnchor, CallAnchor } from '../../schemas/trial.ts'
import { textOfAnchor } from '../anchors/anchors.ts'
import { lazy, Memo, once } from '../result.ts'
import { readAnchor } from '../shell/match-command.ts'
import type { ShellReading } from '../shell/read-shell.ts'
import { type Certainty, isDone, strongest, type Use, weakest } from '../shell/script.ts'
import { deletesFile, usesOfWriting } from '../shell/written-text.ts'
import { foldForSearch, isLine, mentions, mentionsAny, namesAll } from '../text/search.ts'
import type { Act, Call, Part, Position, Step, Trajectory } from '../trajectory/trajectory.ts'
import { NOT_RUN } from '../trajectory/trajectory.ts'
import { isAddress, wordSet } from '../words.ts'
import { MOST_OF_OUTCOME, Outputs } from './outputs.ts'
import { isRun, isRunScript, Scripts } from './scripts.ts'
import {
  argumentsOf,
  dispatches,
  equalArgument,
  folderOfCall,
  forbids,
  hasLetters,
  isTool,
  isTurningTool,
  limitOfArguments,
  onlyTries,
  PASSED,
  SAID,
  useInMessage,
  useOfAddress,
  type Wanted,
  wordsOfTool,
} from './wanted.ts'

/** Reasons in the record by which an act is in doubt, or not whole. */
const NOT_DONE = 'its output says that nothing was done, reports a failure, or does not tell that the act was done'
const TURNED = 'another argument of its call may turn it, undo it or only try it'
const FORBIDDEN = 'its instruction forbids the words of the action anchor'
const OTHER_TOOL = 'the name of its tool says that it looks, tries, keeps or undoes'
const NOT_TOLD = 'its answer does not tell success in so many words'
const HIDDEN = 'its script hides whether the command succeeded (a pipe, `;`, `||`, `&` or a later line)'
const FURTHER = 'its call has further arguments, which may turn it'
const AGAIN = 'another tool has the same argument behind it, and may take the act back'
const ASKED = 'a user or the system prompt asks for the same besides the instruction'

/** Words in the names of tools that run commands. */
const RUNNING_WORDS =
  wordSet(`run runner exec execute execution shell bash zsh sh powershell term terminal command commands cmd script
  process console ssh cli sandbox invoke spawn system`)
const runsCommands = (call: Call): boolean => wordsOfTool(call).some((word) => RUNNING_WORDS.has(word))
/** Tells whether the answer of a call must say that the act was done: its tool does not look, run commands or fetch the anchor. */
const mustTell = ({ call, role }: Act, text: string): boolean =>
  role === 'unknown' && !call.looks && !isAddress(text) && !runsCommands(call)

/** The uses that the parts of one run make of the anchors of its ground truth. */
export class PartUses {
  readonly scripts: Scripts
  private readonly trajectory: Trajectory
  readonly wanted: Wanted
  private readonly usesOf = once((_: Part) => new Map<ActionAnchor, { use: Use; why: string | null }>())
  private readonly outputs: Outputs
  private readonly memo = new Memo()
  /** The reasons that bound the use that is being found, with the certainty that each leaves. */
  private readonly reasons = new Map<string, Certainty>()

  /** The folder in which the first script of the run runs. */
  private readonly home = lazy(() => {
    const first = this.trajectory.steps.find(({ parts }) => parts.some(isRunScript))
    const act = first?.parts.find(isRunScript)?.act
    return first === undefined || act == null ? '' : folderOfCall(first, act.call)
  })

  /** Finds the last call with an argument, and the last such call of another tool, of those that ran and whose tools do not look. */
  private readonly lastCallsWith = once((wanted: string) => {
    const found: { tool: string; step: number }[] = []
    for (let step = this.trajectory.steps.length - 1; step >= 0 && found.length < 2; step--)
      for (const { act, text } of this.trajectory.steps[step]?.parts ?? []) {
        if (act?.role !== 'unknown' || act.call.looks || NOT_RUN.has(act.call.outcome)) continue
        const isNew = text.trim() === wanted && !found.some(({ tool }) => tool === act.call.tool)
        if (isNew) found.push({ tool: act.call.tool, step })
      }
    return found
  })

  constructor(trajectory: Trajectory, wanted: Wanted) {
    this.trajectory = trajectory
    this.wanted = wanted
    this.scripts = new Scripts(trajectory, wanted.context)
    this.outputs = new Outputs(trajectory)
  }

  /** Tells whether a part that may be an act did nothing: its call was refused or only tried, or its only command complains. */
  isUndone(step: Step, part: Part, at: Position, anchor: ActionAnchor): boolean {
    const { act } = part
    if (act === null) return false
    if (isRun(act.language)) {
      const programs = readAnchor(textOfAnchor(anchor)).programs
      return !/[;&|\n]/u.test(part.text.trim()) && this.outputs.deniesCommands(at, programs)
    }
    if (this.outputs.isRefused(at)) return true
    const says = typeof anchor !== 'string' && anchor.tool === act.call.tool ? null : this.wanted.asksToDo
    return this.memo.once(act.call, `tries ${says === null}`, () => onlyTries(step, act.call, says))
  }

  /** Tells whether an output of a script that acts shows the whole anchor as a line of its own, as `make` and `set -x` do. */
  showsRun(part: Part, at: Position, anchor: ActionAnchor): boolean {
    if (typeof anchor !== 'string' || this.scripts.readingOf(part, at).isPlain()) return false
    return this.outputs.behind(at).some(({ text }) => isLine(text, anchor.trim()))
  }

  /** Answers the use that a part makes of an anchor, with the reason in the record that puts it in doubt. */
  useOf(step: Step, part: Part, at: Position, anchor: ActionAnchor) {
    const uses = this.usesOf(part)
    const known = uses.get(anchor)
    if (known !== undefined) return known
    this.reasons.clear()
    const use = this.findUse(step, part, at, anchor)
    const reasons = this.reasons.size === 0 ? [] : [...this.reasons].flatMap(([why, most]) => (most === use ? why : []))
    const found = { use, why: reasons.length === 0 ? null : reasons.join('; ') }
    uses.set(anchor, found)
    return found
  }

  private findUse(step: Step, part: Part, at: Position, anchor: ActionAnchor): Use {
    const { actor, act } = part
    const text = textOfAnchor(anchor)
    if (actor === 'agent_message') return this.useInMessage(part, text)
    if (actor !== 'agent_action') return 'absent'
    if (act === null) return weakest(this.scripts.readingOf(part, at).useOf(text), 'maybe')
    if (NOT_RUN.has(act.call.outcome)) return this.mentions(part, text) ? 'told' : 'absent'
    const acted = this.wanted.isPrinted(text)
      ? this.useByOutput(part, act, at, text)
      : typeof anchor === 'string'
        ? this.useByRole(step, part, act, at, anchor)
        : this.useOfCall(step, part, act, at, anchor)
    const { outcome } = act.call
    // The answer of an application tool tells by itself whether the call succeeded.
    const most = outcome === 'answered' && !isRun(act.language) ? 'whole' : MOST_OF_OUTCOME[outcome]
    const isAsked = acted === 'whole' && this.isAsked(text, at)
    const use = weakest(acted, isAsked ? this.doubted(weakest(most, 'sure'), '', ASKED) : most)
    if (use === 'told' || use === 'absent') return use
    const isCall = isDone(use) && act.language === null
    const answered = isCall ? this.doubted(this.outputs.limitOfCall(at, mustTell(act, text)), NOT_DONE, NOT_TOLD) : use
    const asked = isDone(use) && this.wanted.isForbidden(text) ? this.doubted('maybe', FORBIDDEN) : use
    const others = this.wanted.limitByOthers(part.text, text)
    return [answered, asked, others].reduce<Use>(weakest, use)
  }

  /** Answers the use of a message: an act that its format does not mark cannot be told from a text. */
  private useInMessage(part: Part, string: string): Use {
    if (part.act !== null) return this.mentions(part, string) ? 'maybe' : 'absent'
    return useInMessage(part.text, string, this.wanted.instruction)
  }

  /** Tells whether a user or the system prompt asks for the act before it, besides the instruction: then the instruction may not be its cause. */
  private isAsked(string: string, at: Position): boolean {
    const asks = ({ actor, text }: Part): boolean => {
      if ((actor !== 'user' && actor !== 'system') || !mentions(text, string)) return false
      const own = this.wanted.without(text)
      return !forbids(own, string) && mentions(own, string)
    }
    const { steps } = this.trajectory
    const first = this.memo.once(this.trajectory, `asked ${string}`, () =>
      steps.findIndex(({ parts }) => parts.some(asks)),
    )
    return first !== -1 && first < at.step
  }

  private useByRole(step: Step, part: Part, act: Act, at: Position, string: string): Use {
    const { role, language } = act
    if (isRun(language)) return this.useInScript(step, part, act, at, string)
    if (role === 'writes') return this.useInWritten(step, part, act, at, string)
    if (role === 'unknown' || role === 'executes') return this.useInArguments(step, part, act, string)
    if (!this.mentions(part, string)) return 'absent'
    if (role === 'web') return useOfAddress(part.text, string)
    return (role === 'reads' || role === 'searches') && this.wanted.asksToLook(string) ? 'maybe' : 'told'
  }

  private useInScript(step: Step, part: Part, act: Act, at: Position, string: string): Use {
    const use = this.useOfScript(part, act, at, string)
    if (use === 'absent' || use === 'told') return use
    return weakest(use, this.doubted(limitOfArguments(step, part, act, string, this.home()), TURNED))
  }

  private useOfScript(part: Part, act: Act, at: Position, string: string): Use {
    const reading = this.scripts.readingOf(part, at)
    const line = this.scripts.openLines.get(part)
    if (line !== undefined)
      return this.memo.once(line, `line ${string}`, () => mentions(line.text, string)) ? 'maybe' : 'absent'
    const use = reading.useOf(string)
    if (use === 'sure' && reading.isHidden(string)) this.doubted(use, '', HIDDEN)
    if (isDone(use)) return weakest(use, this.limitOfCommand(reading, at, string))
    if (use !== 'told') return use
    const isAsked = this.wanted.asksToLook(string) && reading.looksAt(string)
    return isAsked || this.mayRunLater(part, act, at) ? 'maybe' : 'told'
  }

  /** Bounds the use of a command by its outputs, and by scripts before that may change its effect. */
  private limitOfCommand(reading: ShellReading, at: Position, string: string): Certainty {
    const [shown, told] = this.outputs.limitOfCommands(at, string, reading.isHidden(string))
    const [most, why] = this.scripts.limitOf(string, at)
    return weakest(this.doubted(shown, NOT_DONE, told), this.doubted(most, why, why))
  }

  /** Notes the reason by which an act is in doubt, or is not whole. */
  private doubted<T extends Certainty>(most: T, inDoubt: string, inPart = ''): T {
    const why = most === 'maybe' ? inDoubt : most === 'sure' ? inPart : ''
    if (why !== '') this.reasons.set(why, most)
    return most
  }

  private useInWritten(step: Step, part: Part, act: Act, at: Position, string: string): Use {
    if (act.language === 'patch' && deletesFile(part.text, string)) return 'maybe'
    const contents = this.scripts.contentsOf(step, part, act)
    const use = contents.reduce<Use>((most, content) => strongest(most, content.useOf(string)), 'absent')
    if (isDone(use) || use === 'maybe' || (use === 'absent' && !this.mentions(part, string))) return use
    return this.mayRunLater(part, act, at) ? 'maybe' : 'told'
  }

  /** Tells whether the part writes a file that a later command line names. */
  mayRunLater(part: Part, act: Act, at: Position): boolean {
    return this.scripts.isNamedLater(this.scripts.writesOf(part, act, at), at)
  }

  /** Answers the use of a call whose tool no table knows: the anchor is its tool, or stands inside one of its arguments. */
  private useInArguments(step: Step, part: Part, { call }: Act, string: string): Use {
    const most = this.limitOfTool(call)
    if (isTool(call, string)) return most
    // A command is not carried out by a tool of which neither a table nor its name says that it runs commands; a word in a longer text tells little.
    const isCommand = readAnchor(string).kind === 'asCommand'
    const isForeign = isCommand && !runsCommands(call)
    if (part.text.trim() === string.trim())
      return weakest(isForeign ? 'maybe' : most, this.equal(step, call, string) ?? 'maybe')
    if (namesAll(part.text, string))
      return !/\s/u.test(string.trim()) || isCommand || forbids(part.text, string) ? 'maybe' : most
    if (!mentionsAny(part.text, string)) return 'absent'
    const isSpread = this.memo.once(call, `spread ${string}`, () =>
      mentions([call.tool, ...argumentsOf(step, call).map(({ text }) => text)].join(' '), string),
    )
    return isSpread ? 'maybe' : 'absent'
  }

  /** Answers the use of a call against an anchor that names the tool, and may name a whole argument. */
  private useOfCall(step: Step, part: Part, act: Act, at: Position, anchor: CallAnchor): Use {
    const { call, language, role } = act
    if (!isTool(call, anchor.tool) && !dispatches(step, call, anchor.tool)) return 'absent'
    // A tool by another full name may be of another server, and may only look, plan or try the anchor’s act.
    const most = call.tool === anchor.tool ? 'whole' : this.limitOfTool(call)
    if (anchor.argument === undefined) return weakest('sure', most)
    const wanted = anchor.argument.trim()
    if (SAID.has(role)) return this.mentions(part, wanted) ? 'told' : 'absent'
    if (isRun(language)) {
      const use = this.useInScript(step, part, act, at, wanted)
      return weakest(use, part.text.trim() === wanted && language !== 'keystrokes' ? most : 'sure')
    }
    const equal = this.equal(step, call, wanted)
    if (equal !== null)
      return weakest(most, weakest(equal, this.doubted(this.limitOfLater(call, wanted, at), '', AGAIN)))
    // A word in a longer text tells little, but where it is written; to take a text out of a file may be the act or its opposite.
    const isTarget = role === 'writes' || (role !== 'removes' && /\s/u.test(wanted))
    if (isTarget && namesAll(part.text, wanted) && !forbids(part.text, wanted)) return weakest('sure', most)
    return this.mentions(part, wanted) || hasLetters(part, wanted) ? 'maybe' : 'absent'
  }

  private equal(step: Step, call: Call, wanted: string): Certainty | null {
    const most = this.memo.once(call, `equal ${wanted}`, () => equalArgument(step, call, wanted.trim()))
    if (most === null) return null
    // No list of the arguments that turn a call is complete.
    const isAlone = argumentsOf(step, call).every(({ text }) => text.trim() === wanted.trim())
    return this.doubted(isAlone ? most : weakest(most, 'sure'), TURNED, FURTHER)
  }

  /** Bounds an act of a tool by later calls of other tools with the same argument, which may take the act back. */
  private limitOfLater({ tool }: Call, wanted: string, at: Position): Certainty {
    const last = this.lastCallsWith(wanted)
    return (last.find((call) => call.tool !== tool)?.step ?? -1) < at.step ? 'whole' : 'sure'
  }

  /** Bounds a tool that the anchor does not name in full: its name may say that it looks, tries, keeps or undoes. */
  private limitOfTool(call: Call): Certainty {
    const isOther = call.looks || isTurningTool(call, this.wanted.asksToDo)
    return this.doubted(isOther ? 'maybe' : 'sure', OTHER_TOOL)
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

  useOfRange(part: Part, { role, language, target }: Act, at: Position, start: number, end: number): Certainty {
    const { wanted } = this
    if (isRun(language)) return this.scripts.readingOf(part, at).useAt(start, end)
    if (role === 'writes') return usesOfWriting(target, part.text, (path) => wanted.context.names(path, '')).asString
    if (role === 'executes') return 'sure'
    if (role === 'unknown') return 'maybe'
    if (role === 'web') return isAddress(part.text) ? 'sure' : 'told'
    return (role === 'reads' || role === 'searches') && wanted.asksToLook('') ? 'maybe' : 'told'
  }

  /** Texts are folded once, however many strings are searched. */
  mentions(part: Part, string: string): boolean {
    return mentions(part.text, string, () => this.memo.once(part, 'folded', () => foldForSearch(part.text)))
  }
}
