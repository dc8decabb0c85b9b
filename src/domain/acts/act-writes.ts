import { patchWrites } from '../shell/commands/patch-writes.ts'
import type { ShellReading } from '../shell/reading.ts'
import { readContent } from '../shell/syntax/read-shell.ts'
import type { ScriptContext } from '../shell/syntax/use.ts'
import type { Part, Step } from '../trajectory/trajectory.ts'
import type { Act, Call } from './act.ts'

type Content = Pick<ShellReading, 'useOf'>

/** What the arguments of tools write into files, read once for any number of strings. */
export class ActWrites {
  private readonly context: ScriptContext
  private readonly contents = new Map<Part, readonly Content[]>()
  private readonly removed = new Map<Call, ReadonlySet<string>>()

  constructor(context: ScriptContext) {
    this.context = context
  }

  contentsOf(step: Step, part: Part, act: Act): readonly Content[] {
    const known = this.contents.get(part)
    if (known !== undefined) return known
    const { language, target } = act
    const writes =
      language === 'patch' ? patchWrites(part.text) : [{ path: target, text: this.newLines(step, part.text, act) }]
    const contents = writes.map(({ path, text }) => readContent(text, path ?? target, this.context))
    this.contents.set(part, contents)
    return contents
  }

  /** What an edit writes anew: lines that its old text has, too, stood there before. */
  private newLines(step: Step, text: string, { call }: Act): string {
    const old = this.removed.get(call) ?? removedBy(call, step)
    this.removed.set(call, old)
    if (old.size === 0) return text
    return text
      .split('\n')
      .filter((line) => !old.has(line))
      .join('\n')
  }
}

const removedBy = (call: Act['call'], { parts }: Step): ReadonlySet<string> =>
  new Set(parts.flatMap(({ text, act }) => (act?.call === call && act.role === 'removes' ? text.split('\n') : [])))
