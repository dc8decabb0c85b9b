import { patchWrites } from '../shell/commands/patch-writes.ts'
import { type Content, readContent, readEdit } from '../shell/syntax/read-shell.ts'
import type { ScriptContext } from '../shell/syntax/use.ts'
import type { Part, Step } from '../trajectory/trajectory.ts'
import type { Act, ActRole } from './act.ts'

/** What the parts of a call write, by part: that of a patch or a path, else those that edit the same file. */
export function readWrites(step: Step, part: Part, act: Act, context: ScriptContext): Map<Part, readonly Content[]> {
  const { call, language, target } = act
  if (language === 'patch') {
    const changes = patchWrites(part.text)
    const contents = changes.flatMap(({ path, text, old }) => [
      ...readEdit([text], [old], path ?? target, context),
      ...(path === null ? [] : [readContent(path, path, context)]),
    ])
    return new Map([[part, contents]])
  }
  if (part.text === target) return new Map([[part, [readContent(part.text, target, context)]]])
  const ofRole = (role: ActRole): Part[] =>
    step.parts.filter(
      ({ text, act }) => act?.call === call && act.role === role && act.target === target && text !== target,
    )
  const parts = ofRole('writes')
  const texts = parts.map(({ text }) => text)
  const old = ofRole('removes').map(({ text }) => text)
  return new Map(readEdit(texts, old, target, context).map((one, at) => [parts[at] ?? part, [one]]))
}
