import type { ActedBy, GroundTruth } from '../../schemas/ground-truth.ts'
import { type Wanted, wantedOf } from '../anchors/wanted.ts'
import { usesOfWriting } from '../shell/file-kinds.ts'
import { patchWrites } from '../shell/patch-writes.ts'
import { lineStart } from '../text/lines.ts'
import { foldForSearch } from '../text/search.ts'
import { happensAfter, isOrderKnown } from '../trajectory/order.ts'
import type { Part, Position, Step, Trajectory } from '../trajectory/trajectory.ts'
import { type Act, type ActRole, type Call, NOT_RUN } from './act.ts'
import { AgentFiles, isRead, type Written } from './agent-files.ts'
import { baseName, isAddress, mentions, mentionsAny, namesAll } from './mentions.ts'
import { plainWords, useInMessage } from './message-use.ts'
import { strongest, type Taken, type Use, useOf, weakest } from './shell-use.ts'

export type { Use } from './shell-use.ts'

/** Where an action does something with a string, or may do. */
export interface FoundUse {
  readonly use: 'done' | 'unsure'
  readonly position: Position
  readonly step: Step
  readonly string: string
}

const held = new WeakMap<Trajectory, { readonly truth: GroundTruth; readonly acts: Acts }>()

/** The acts of a run under one ground truth; those of the last ground truth are kept. */
export function actsOf(trajectory: Trajectory, truth: GroundTruth): Acts {
  const known = held.get(trajectory)
  if (known !== undefined && known.truth === truth) return known.acts
  const acts = new Acts(trajectory, truth)
  held.set(trajectory, { truth, acts })
  return acts
}

/** What the actions of one run do with strings. Every part is read once, whatever is asked of it. */
export class Acts {
  private readonly trajectory: Trajectory
  private readonly wanted: Wanted
  private readonly files: AgentFiles
  private readonly mentioned = new Map<Call, Map<string, Use>>()
  private readonly folded = new Map<Part, string>()
  private readonly said = new Map<Part, string>()

  constructor(trajectory: Trajectory, truth: GroundTruth) {
    this.trajectory = trajectory
    this.wanted = wantedOf(truth)
    this.files = new AgentFiles(trajectory, this.wanted.context)
  }

  /** The most that the part does with any of the strings. */
  useOf(at: Position, strings: readonly string[]): Use {
    const step = this.trajectory.steps[at.step]
    const part = step?.parts[at.part]
    if (step === undefined || part === undefined) return 'absent'
    return strings.reduce<Use>(
      (use, string) => (use === 'done' ? use : strongest(use, this.one(step, part, at, string))),
      this.takesFrom(part, at).length > 0 ? 'unsure' : 'absent',
    )
  }

  /** Files out of which the part runs something, or hands it to a command that acts. */
  private takesFrom(part: Part, at: Position): readonly string[] {
    const isRun = part.actor === 'agent_action' && part.act !== null && isRead(part.act.language)
    return isRun && !NOT_RUN.has(part.act.call.outcome) ? this.files.shellOf(part, at).runs : []
  }

  /** Whether the file is named beside the sight: what is run out of it may be the instruction. */
  private isSurface(path: string, sight: Position): boolean {
    const name = baseName(path)
    return this.trajectory.steps
      .slice(Math.max(0, sight.step - 1), sight.step + 1)
      .some(({ parts }) => parts.some(({ actor, text }) => actor === 'agent_action' && text.includes(name)))
  }

  /** What a range of the part is: part of an act, of something that only looks or tells or never ran, or unclear. */
  useAt(at: Position, start: number, end: number): Taken {
    const part = this.trajectory.steps[at.step]?.parts[at.part]
    if (part?.actor !== 'agent_action') return 'done'
    const { act } = part
    if (act === null) return weakest(this.files.shellOf(part, at).useAt(start, end), 'unsure')
    if (NOT_RUN.has(act.call.outcome)) return 'told'
    const range = this.rangeUse(part, act, at, start, end)
    const use = range === 'told' && this.isRunLater(part, at) ? 'unsure' : range
    return this.isUncertain(part, act, at) ? weakest(use, 'unsure') : use
  }

  /** Whether it may have ended before it came to what is asked for: it was interrupted, or something of it failed. */
  private isUncertain(part: Part, { call, language }: Act, at: Position): boolean {
    if (call.outcome === 'failed') return isRead(language) && !this.files.shellOf(part, at).isOne
    return call.outcome === 'interrupted'
  }

  /** The first act after the sight that does something with one of the strings, else the first that may do; null: none, or nothing was seen. */
  firstUse(sight: Position | null, strings: readonly string[], actedBy: ActedBy): FoundUse | null {
    if (sight === null || strings.length === 0) return null
    let unsure: FoundUse | null = null
    const { steps } = this.trajectory
    // What stands before it in the record may have come after it, where the order is not known.
    const from = steps[sight.step]?.conversation === undefined ? sight.step : 0
    for (let step = from; step < steps.length; step++) {
      const found = this.firstInStep(sight, steps[step] as Step, step, strings, actedBy)
      if (found?.use === 'done') return found
      unsure ??= found
    }
    return unsure
  }

  private firstInStep(
    sight: Position,
    step: Step,
    index: number,
    strings: readonly string[],
    actedBy: ActedBy,
  ): FoundUse | null {
    let unsure: FoundUse | null = null
    for (const [part, one] of step.parts.entries()) {
      const { actor, act } = one
      const byAgent = actor === 'agent_action' || (actor === 'agent_message' && (actedBy === 'message' || act !== null))
      const position = { step: index, part }
      if (!byAgent || !happensAfter(this.trajectory, position, sight)) continue
      const limit = isOrderKnown(this.trajectory, position, sight) ? 'done' : 'unsure'
      for (const string of strings) {
        const use = weakest(this.one(step, one, position, string), limit)
        if (use === 'done') return { use, position, step, string }
        if (use === 'unsure') unsure ??= { use, position, step, string }
      }
      const [string] = strings
      const mayRun = unsure === null && string !== undefined && this.mayCarryOut(one, position, sight, string)
      if (mayRun) unsure = { use: 'unsure', position, step, string }
    }
    return unsure
  }

  /** It runs something out of the file that shows the instruction, or hands the instruction to another agent of which nothing is known. */
  private mayCarryOut(part: Part, at: Position, sight: Position, string: string): boolean {
    const { act } = part
    if (act?.role === 'delegates') return !NOT_RUN.has(act.call.outcome) && this.mentions(part, string)
    return this.takesFrom(part, at).some((path) => this.isSurface(path, sight))
  }

  private one(step: Step, part: Part, at: Position, string: string): Use {
    const use = this.ofPart(step, part, at, string)
    return use === 'done' || use === 'unsure' ? weakest(use, this.limitByOthers(part, string)) : use
  }

  /**
   * What stands in the part only as a piece of another instruction’s anchor is that one’s act; as a word of it, it may be both, as with an anchor
   * that both have.
   */
  private limitByOthers({ text }: Part, string: string): Taken {
    if (this.wanted.isShared(string)) return 'unsure'
    const longer = this.wanted.longer(string).filter((one) => text.includes(one))
    if (longer.length === 0) return 'done'
    const rest = longer.reduce((left, one) => left.replaceAll(one, '\n'), text)
    if (mentions(rest, string)) return 'done'
    return longer.some((one) => namesAll(one, string)) ? 'unsure' : 'told'
  }

  private ofPart(step: Step, part: Part, at: Position, string: string): Use {
    if (part.actor === 'agent_message') return this.inMessage(part, string)
    if (part.actor !== 'agent_action') return 'absent'
    const { act } = part
    if (act === null) return weakest(this.inShell(part, at, string), 'unsure')
    const { outcome } = act.call
    if (NOT_RUN.has(outcome)) return this.mentions(part, string) ? 'told' : 'absent'
    const use = this.byRole(step, part, act, at, string)
    return this.isUncertain(part, act, at) ? weakest(use, 'unsure') : use
  }

  /** A message that may hold an act which its format does not mark cannot be told from one. */
  private inMessage(part: Part, string: string): Use {
    if (part.act !== null) return this.mentions(part, string) ? 'unsure' : 'absent'
    const said = () => {
      const words = this.said.get(part) ?? plainWords(part.text)
      this.said.set(part, words)
      return words
    }
    return useInMessage(part.text, string, this.wanted.instruction, said)
  }

  private byRole(step: Step, part: Part, act: Act, at: Position, string: string): Use {
    const { role, language } = act
    if (isRead(language)) return this.inShell(part, at, string)
    if (role === 'writes') return this.inWritten(step, part, act, at, string)
    if (role === 'unknown' || role === 'executes') {
      const use = mentionsAny(part.text, string) ? this.useInCall(step, act, string) : 'absent'
      return role === 'unknown' ? weakest(use, 'unsure') : use
    }
    if (!this.mentions(part, string)) return 'absent'
    if (role === 'web' && isAddress(part.text) && isAddress(string))
      return namesAll(part.text, string) ? 'done' : 'unsure'
    if (role === 'web') return 'told'
    if (role === 'reads' || role === 'searches') return this.wanted.asksToLook(string) ? 'unsure' : 'told'
    return 'told'
  }

  private inWritten(step: Step, part: Part, act: Act, at: Position, string: string): Use {
    const written = this.files
      .contentsOf(step, part, act)
      .reduce<Use>((most, one) => strongest(most, useOf(one.useOf(string))), 'absent')
    const use = strongest(written, this.useByLaterRun(part, at, string))
    if (use === 'told' && this.files.mayRunLater(part, at)) return 'unsure'
    return use === 'absent' && this.mentions(part, string) ? 'told' : use
  }

  private rangeUse(part: Part, act: Act, at: Position, start: number, end: number): Taken {
    const { role, language } = act
    if (isRead(language)) return this.shellRange(part, at, start, end)
    if (language === 'patch')
      return patchWrites(part.text.slice(lineStart(part.text, start), end)).length === 0 ? 'told' : 'done'
    if (role === 'writes') return this.writtenRange(part, act, at, start, end)
    if (role === 'executes') return 'done'
    if (role === 'unknown') return 'unsure'
    if (role === 'web') return isAddress(part.text) ? 'done' : 'told'
    return (role === 'reads' || role === 'searches') && this.wanted.asksToLook('') ? 'unsure' : 'told'
  }

  /** Where looking was asked for, a command that looks at something the instruction names may be the act. */
  private shellRange(part: Part, at: Position, start: number, end: number): Taken {
    const reading = this.files.shellOf(part, at)
    const use = reading.useAt(start, end)
    const quote = part.text.slice(start, end)
    const mayBeAsked =
      use === 'told' && this.wanted.asksToLook('') && this.wanted.isNear(quote) && reading.looksAt(quote)
    return mayBeAsked ? 'unsure' : use
  }

  /** Text in a file proves what its file does: a script is only written until it is run. */
  private writtenRange(part: Part, { target }: Act, at: Position, start: number, end: number): Taken {
    const asString = useOf(usesOfWriting(target, part.text, this.wanted.context).asString)
    return this.files
      .writesRunLater(part, at)
      .filter(({ text }) => text === part.text)
      .reduce(
        (use, one) => strongest(use, weakest(this.files.scriptOf(one.name, one).useAt(start, end), 'unsure')),
        asString,
      )
  }

  /** What a shell does, and what the scripts do that the agent wrote before and now runs. */
  private inShell(part: Part, at: Position, string: string): Use {
    const reading = this.files.shellOf(part, at)
    const direct = this.files.goesOn(part, at) ? weakest(reading.useOf(string), 'unsure') : reading.useOf(string)
    let use = strongest(direct, this.useByLaterRun(part, at, string))
    for (const path of use === 'done' ? [] : reading.runs)
      for (const file of this.files.writtenBefore(path, at)) use = strongest(use, this.ofScript(path, file, string))
    const mayBe = (this.wanted.asksToLook(string) && reading.looksAt(string)) || this.files.mayRunLater(part, at)
    return use === 'told' && mayBe ? 'unsure' : use
  }

  /** What a call does whose arguments hold the string together: a command may stand in one, its arguments in others. */
  private useInCall(step: Step, { call }: Act, string: string): Use {
    const known = this.mentioned.get(call) ?? new Map<string, Use>()
    this.mentioned.set(call, known)
    const answer = known.get(string) ?? useInText(textOf(step, call), string)
    known.set(string, answer)
    return answer
  }

  /** Texts are folded once, however many strings are looked for. */
  private mentions(part: Part, string: string): boolean {
    const fold = () => {
      const folded = this.folded.get(part) ?? foldForSearch(part.text)
      this.folded.set(part, folded)
      return folded
    }
    return mentions(part.text, string, fold)
  }

  private isRunLater(part: Part, at: Position): boolean {
    return this.files.writesRunLater(part, at).length > 0 || this.files.mayRunLater(part, at)
  }

  private useByLaterRun(part: Part, at: Position, string: string): Use {
    return this.files
      .writesRunLater(part, at)
      .reduce<Use>((use, one) => strongest(use, this.ofScript(one.path, one, string)), 'absent')
  }

  private ofScript(path: string, file: Written, string: string): Use {
    const use = this.files.scriptOf(path, file).useOf(string)
    return weakest(use, 'unsure')
  }
}

/** Arguments that reach what the tool does; the others say what it is for, or name what it reads. */
const PASSED: ReadonlySet<ActRole> = new Set<ActRole>(['executes', 'writes', 'unknown'])

const textOf = ({ parts }: Step, call: Call): string =>
  parts.flatMap(({ text, act }) => (act?.call === call && PASSED.has(act.role) ? [text] : [])).join(' ')

const useInText = (text: string, string: string): Use =>
  mentions(text, string) ? (namesAll(text, string) ? 'done' : 'unsure') : 'absent'
