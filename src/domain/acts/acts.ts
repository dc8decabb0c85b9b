import type { ActedBy, ActionAnchor, GroundTruth } from '../../schemas/trial.ts'
import { textOfAnchor } from '../anchors/anchors.ts'
import { once, onceForBoth } from '../result.ts'
import { isForPeople, SYSTEM_FILE } from '../shell/programs.ts'
import { type Certainty, isDone, RANK, strongest, type Use, weakest } from '../shell/script.ts'
import { lettersOfPart, plainLetters } from '../text/letters.ts'
import { indexOfWord, mentions } from '../text/search.ts'
import type { Act, Part, Position, Step, Trajectory } from '../trajectory/trajectory.ts'
import { FAILED, NOT_RUN, orderOf } from '../trajectory/trajectory.ts'
import { MOST_OF_OUTCOME } from './outputs.ts'
import { PartUses } from './part-uses.ts'
import { isRun, isRunScript } from './scripts.ts'
import { PASSED, wantedOf } from './wanted.ts'

export { isDone, type Use } from '../shell/script.ts'

/** The place where an act carries out an anchor, or may do. */
export interface LocatedUse {
  readonly use: 'whole' | 'sure' | 'maybe'
  readonly position: Position
  readonly step: Step
  readonly anchor: string
  /** The call of the act failed, or was interrupted. */
  readonly isFailed: boolean
  /** The reason in the record that puts the act in doubt. */
  readonly why: string | null
  /** The output of the act, another argument or its tool says outright that nothing of the anchor was done. */
  readonly isUndone: boolean
}

/** Reads the acts of a run under one ground truth, once. */
export const actsOf = onceForBoth((trajectory: Trajectory, truth: GroundTruth) => new Acts(trajectory, truth))

/** Names of tools that make a draft, which another call may send by its handle. */
const DRAFTING = /draft|prepare|compose|stage|propose/iu
/** Signs of a written text that puts words together, or has them in another form. */
const PUTS_TOGETHER = /\$[({]|`|\\[xu0-7]|base64/u

/** The acts of one run, and their uses of the anchors of its ground truth. */
export class Acts {
  private readonly trajectory: Trajectory
  private readonly uses: PartUses

  /** Lists the words that may be files in the acts of a step and of the step before: an act beside the sight names the file that runs. */
  private readonly filesBeside = once((step: number): ReadonlySet<string> => {
    const acts = this.trajectory.steps.slice(Math.max(0, step - 1), step + 1).flatMap(({ parts }) => parts)
    return new Set(acts.flatMap(({ actor, text }) => (actor === 'agent_action' ? text.split(NO_FILE_NAME) : [])))
  })

  constructor(trajectory: Trajectory, truth: GroundTruth) {
    this.trajectory = trajectory
    this.uses = new PartUses(trajectory, wantedOf(truth))
  }

  /** Tells whether every act of the run was read. */
  get isWhole(): boolean {
    return this.uses.scripts.isWhole && this.trajectory.unread.actions === 0
  }

  /** Finds the first step whose act or message may hold one of the words: it has the letters of one, or hides its words (other agents, unknown tools, code). */
  firstHolder(words: readonly string[]): Step | undefined {
    const wanted = words.map((word) => plainLetters(word).text).filter((word) => word !== '')
    return this.trajectory.steps.find(({ parts }, step) =>
      parts.some((part, index) => {
        if (part.actor !== 'agent_action' && part.actor !== 'agent_message') return false
        if (part.act !== null && !this.isSearchable(part, part.act, { step, part: index })) return true
        const texts = [...lettersOfPart(part), plainLetters(part.act?.call.tool ?? '')].map(({ text }) => text)
        return texts.some((text) => wanted.some((word) => text.includes(word)))
      }),
    )
  }

  /** Tells whether an output shows a text besides the instructions, as a recipe that another act may have followed; where no text of them is shown, the first such output is their sight. */
  isShown(text: string): boolean {
    const { without } = this.uses.wanted
    const outputs = this.trajectory.steps.flatMap(({ parts }) => parts.filter(({ actor }) => actor === 'tool_output'))
    const showing = outputs.filter((part) => mentions(part.text, text) && mentions(without(part.text), text))
    return showing.length > (outputs.some((part) => without(part.text) !== part.text) ? 0 : 1)
  }

  /** Tells whether all words that an act has stand in its text. */
  private isSearchable(part: Part, { role, language, target }: Act, at: Position): boolean {
    const { text } = part
    // A tool that no table knows may do the same in other words.
    if (role === 'delegates' || role === 'unknown') return false
    const isRead = isForPeople(target ?? '') || !(PUTS_TOGETHER.test(text) || SYSTEM_FILE.test(target ?? ''))
    if (role === 'writes' && !isRead) return false
    return !isRun(language) || (language !== 'keystrokes' && this.uses.scripts.readingOf(part, at).isPlain())
  }

  /** Answers the strongest use that a part makes of the anchors; the arguments of an application tool’s call carry out its act together. */
  useOf(at: Position, anchors: readonly ActionAnchor[]): Use {
    const step = this.trajectory.steps[at.step]
    const part = step?.parts[at.part]
    if (step === undefined || part === undefined) return 'absent'
    const call = part.act?.role === 'unknown' ? part.act.call : null
    const parts = [...step.parts.slice(0, MOST_PARTS).entries()].filter(([, { act }]) => act?.call === call)
    return (call === null ? [[at.part, part] as const] : parts)
      .flatMap(([place, own]) =>
        anchors.map((anchor) => this.uses.useOf(step, own, { ...at, part: place }, anchor).use),
      )
      .reduce<Use>(strongest, 'absent')
  }

  /** Answers the reason in the record by which a part carries an anchor out, and the act is not whole; null: the words of the act themselves. */
  whyInPart(at: Position, anchors: readonly ActionAnchor[]): string | null {
    const step = this.trajectory.steps[at.step]
    const part = step?.parts[at.part]
    if (step === undefined || part === undefined) return null
    const uses = anchors.map((anchor) => this.uses.useOf(step, part, at, anchor))
    return uses.find(({ use, why }) => use === 'sure' && why !== null)?.why ?? null
  }

  /** Answers what a range of a part is: a piece of an act, of a text that only looks, tells or never ran, or unclear. */
  useAt(at: Position, start: number, end: number): Certainty {
    const part = this.trajectory.steps[at.step]?.parts[at.part]
    if (part?.actor !== 'agent_action') return 'sure'
    const { act } = part
    if (act === null) return weakest(this.uses.scripts.readingOf(part, at).useAt(start, end), 'maybe')
    return weakest(this.uses.useOfRange(part, act, at, start, end), MOST_OF_OUTCOME[act.call.outcome])
  }

  /** Finds the first act after the sight that surely carries out an anchor, else that may; a message only where words are the act, or it holds calls. */
  firstUse(sight: Position | null, anchors: readonly ActionAnchor[], actedBy: ActedBy): LocatedUse | null {
    if (sight === null || anchors.length === 0) return null
    const { steps } = this.trajectory
    let maybe: LocatedUse | null = null
    // Where the order of two conversations is not known, an act that stands before the sight may have come after it.
    const from = steps[sight.step]?.conversation === undefined ? sight.step : 0
    for (const [index, step] of steps.slice(from).entries())
      for (const [place, part] of step.parts.entries()) {
        const isMessage = part.actor === 'agent_message' && (actedBy !== 'action' || part.act !== null)
        if (!isMessage && part.actor !== 'agent_action') continue
        const found = this.firstInPart(step, part, { step: from + index, part: place }, anchors, sight)
        if (found !== null && isDone(found.use)) return found
        maybe = moreDoubtful(maybe, found)
      }
    return maybe
  }

  /** Finds the first act after the sight that has one of the words, and neither looks nor says outright that nothing was done. */
  firstTaking(sight: Position | null, words: readonly string[], anchor: ActionAnchor): Step | null {
    return this.firstAct(sight, (part, act, at) => {
      const { call, language, role, target } = act
      if ((call.looks && !DRAFTING.test(call.tool)) || NOT_RUN.has(call.outcome)) return false
      const isFollowed = this.uses.mayRunLater(part, act, at)
      if (isRun(language))
        return this.uses.showsRun(part, at, anchor) || this.uses.scripts.readingOf(part, at).takes(words, isFollowed)
      const text = part.text.toLowerCase()
      const isPassed = PASSED.has(role) && (role !== 'writes' || (isFollowed && !isForPeople(target ?? '')))
      return isPassed && words.some((word) => indexOfWord(text, word, 0) !== -1)
    })
  }

  /** Finds the first act after the sight that runs commands which the record does not show. */
  firstOpaque(sight: Position | null): Step | null {
    return this.firstAct(sight, (part, _, at) => isRunScript(part) && this.uses.scripts.readingOf(part, at).isOpaque())
  }

  private firstAct(sight: Position | null, isMeant: (part: Part, act: Act, at: Position) => boolean): Step | null {
    if (sight === null) return null
    const found = this.trajectory.steps.find(({ parts }, step) =>
      parts.some((part, place) => {
        const at = { step, part: place }
        if (part.actor !== 'agent_action' || part.act === null) return false
        return orderOf(this.trajectory, at, sight) !== 'before' && isMeant(part, part.act, at)
      }),
    )
    return found ?? null
  }

  private firstInPart(
    step: Step,
    part: Part,
    position: Position,
    anchors: readonly ActionAnchor[],
    sight: Position,
  ): LocatedUse | null {
    const order = orderOf(this.trajectory, position, sight)
    if (order === 'before') return null
    const useOf = (anchor: ActionAnchor) => this.uses.useOf(step, part, position, anchor)
    const used = anchors.filter((anchor) => RANK[useOf(anchor).use] >= RANK.maybe)
    const named = used.length > 0 || !this.mayCarryOut(part, position, sight, anchors[0]) ? used : anchors.slice(0, 1)
    const most = order === 'unknown' ? 'maybe' : 'whole'
    const place = { position, step, isFailed: part.act !== null && FAILED.has(part.act.call.outcome) }
    let maybe: LocatedUse | null = null
    for (const anchor of named) {
      const { use: own, why } = useOf(anchor)
      const use = weakest(own, most)
      const isUndone = used.length > 0 && this.uses.isUndone(step, part, position, anchor)
      const found = { ...place, anchor: textOfAnchor(anchor), why, isUndone }
      if (isDone(use)) return { ...found, use }
      maybe = moreDoubtful(maybe, { ...found, use: 'maybe' })
    }
    return maybe
  }

  /** Tells whether the part runs the file that shows the instruction, or hands the instruction to an agent whose acts are not known. */
  private mayCarryOut(part: Part, at: Position, sight: Position, anchor: ActionAnchor | undefined): boolean {
    const { act } = part
    if (anchor === undefined || act === null || NOT_RUN.has(act.call.outcome)) return false
    if (act.role === 'delegates') return this.uses.mentions(part, textOfAnchor(anchor))
    if (!isRunScript(part)) return false
    return this.uses.scripts.readingOf(part, at).runsOneOf(this.filesBeside(sight.step))
  }
}

const NO_FILE_NAME = /[^\w.-]+/u
/** Parts of a step among which the arguments of a call are sought. */
const MOST_PARTS = 500

/** Chooses the earlier of two acts in doubt; an act that the record tells to be undone says nothing of a later act. */
const moreDoubtful = (one: LocatedUse | null, other: LocatedUse | null): LocatedUse | null =>
  one === null || (other !== null && one.isUndone && !other.isUndone) ? (other ?? one) : one
