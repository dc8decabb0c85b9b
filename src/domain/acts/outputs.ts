import { type Certainty, weakest } from '../shell/use.ts'
import type { Call, Part, Position, Step, Trajectory } from '../trajectory/trajectory.ts'
import { Memo } from './memo.ts'
import { complains, deniesScript, isUnfinished, type Refusal, refusalOf, tellsFailure } from './output-signs.ts'

/** Outputs behind an act that are read. */
const MOST_OUTPUTS = 50
/** Steps behind an act in which its output may stand. */
const MOST_STEPS = 2

/** The outputs behind the acts of a run, and the most that they let an act prove. */
export class Outputs {
  private readonly steps: Trajectory['steps']
  private readonly memo = new Memo()
  private readonly answers = new WeakMap<Step, StepAnswers>()

  constructor({ steps }: Trajectory) {
    this.steps = steps
  }

  /** Lists the outputs of an act: in its own step, else in the steps up to the next act. */
  behind({ step: at, part }: Position): readonly Part[] {
    const step = this.steps[at]
    if (step === undefined) return []
    const own = this.inStep(step, step.parts[part])
    if (own.length > 0) return own
    for (const behind of this.steps.slice(at + 1, at + 1 + MOST_STEPS)) {
      const { calls, outputs } = this.answersOf(behind)
      if (calls.size > 0) return []
      if (outputs.length > 0) return outputs.slice(0, MOST_OUTPUTS)
    }
    return []
  }

  /** Bounds a call of an application tool by its answer. */
  limitOfCall(at: Position): Certainty {
    const outputs = this.behind(at)
    return outputs.some((output) => this.refusalOf(output) !== null) ? 'maybe' : limitOfCount(outputs)
  }

  private refusalOf(output: Part): Refusal {
    return this.memo.once(output, 'refusal', () => refusalOf(output))
  }

  /** Tells whether the answer of a call, known to be its own, says outright that nothing was done. */
  isRefused(at: Position): boolean {
    const step = this.steps[at.step]
    const outputs = this.behind(at)
    if (step === undefined || outputs.length === 0) return false
    const isOwn = this.answersOf(step).calls.size === 1 || outputs.length === 1
    return isOwn && outputs.some((output) => this.refusalOf(output) === 'outright')
  }

  /** Bounds the commands of a script by its outputs: the failures that they show, of programs whose failure the script hides above all. */
  limitOfCommands(at: Position, programs: readonly string[], hidden: ReadonlySet<string>): Certainty {
    if (this.deniesCommands(at, programs, hidden) || this.isSign(at, 'fails', tellsFailure)) return 'maybe'
    return weakest(this.isSign(at, 'unfinished', isUnfinished) ? 'sure' : 'whole', limitOfCount(this.behind(at)))
  }

  /** Tells whether an output of a script says that its commands did not run, or one of the programs reports a failure. */
  deniesCommands(at: Position, programs: readonly string[], hidden: ReadonlySet<string>): boolean {
    const fails = (name: string): boolean =>
      this.isSign(at, `complains ${hidden.has(name)} ${name}`, (text) => complains(text, name, hidden.has(name)))
    return (
      programs.some(fails) ||
      this.isSign(at, `denies ${hidden.size > 0}`, (text) => deniesScript(text, hidden.size > 0))
    )
  }

  private isSign(at: Position, sign: string, answer: (text: string) => boolean): boolean {
    const part = this.steps[at.step]?.parts[at.part]
    // A terminal shows the lines before, too.
    const typed = part?.act?.language === 'keystrokes' ? part.text.trim() : ''
    return this.behind(at).some((output) =>
      this.memo.once(output, `${sign}\n${typed}`, () =>
        answer(output.text.slice(typed === '' ? 0 : Math.max(0, output.text.lastIndexOf(typed)))),
      ),
    )
  }

  /** Lists the outputs of a step: that of the call alone, where each of several calls has one. */
  private inStep(step: Step, part: Part | undefined): readonly Part[] {
    const { calls, outputs } = this.answersOf(step)
    const place = part?.act == null ? undefined : calls.get(part.act.call)
    const isPaired = place !== undefined && calls.size > 1 && outputs.length === calls.size
    return isPaired ? outputs.slice(place, place + 1) : outputs.slice(0, MOST_OUTPUTS)
  }

  private answersOf(step: Step): StepAnswers {
    const known = this.answers.get(step)
    if (known !== undefined) return known
    const calls = new Map<Call, number>()
    for (const { act } of step.parts) if (act !== null && !calls.has(act.call)) calls.set(act.call, calls.size)
    const answers = { calls, outputs: step.parts.filter(({ actor }) => actor === 'tool_output') }
    this.answers.set(step, answers)
    return answers
  }
}

/** The calls of a step, with their places, and its outputs. */
interface StepAnswers {
  readonly calls: ReadonlyMap<Call, number>
  readonly outputs: readonly Part[]
}

/** Limits the certainty by the number of outputs: a failure may stand in outputs that are not read. */
const limitOfCount = (outputs: readonly Part[]): Certainty => (outputs.length >= MOST_OUTPUTS ? 'sure' : 'whole')
