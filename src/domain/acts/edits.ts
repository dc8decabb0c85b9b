import { patchWrites } from '../shell/commands/patch-writes.ts'
import { readContent, type ShellReading, timesIn } from '../shell/syntax/read-shell.ts'
import { rankOf, type ScriptContext, weakest } from '../shell/syntax/use.ts'
import type { Part, Step } from '../trajectory/trajectory.ts'
import type { Act, ActRole } from './act.ts'

/** What a written text does with strings. */
export type Content = Pick<ShellReading, 'useOf'>

/** What the parts of a call write, by part: that of a patch or a path, else those that edit the same file. */
export function readWrites(step: Step, part: Part, act: Act, context: ScriptContext): Map<Part, readonly Content[]> {
  const { call, language, target } = act
  if (language === 'patch') {
    const changes = patchWrites(part.text)
    return new Map([[part, changes.flatMap(({ path, text, old }) => readEdit([text], [old], path ?? target, context))]])
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

/**
 * What the texts of one edit do, line by line of what stood there before: a line that it keeps or moves is not written by it, and where it only
 * changes one around a string, nobody can tell whether that was meant.
 */
function readEdit(
  texts: readonly string[],
  old: readonly string[],
  path: string | null,
  context: ScriptContext,
): Content[] {
  const { added, removed } = changedLines(texts, old)
  const contents = added.map((text) => readContent(text, path, context))
  if (removed === '') return contents
  const before = readContent(removed, path, context)
  const all = added.join('\n')
  const stood = new Map<string, boolean>()
  const stoodThere = (string: string): boolean => {
    const known = stood.get(string) ?? timesIn(all, string) <= timesIn(removed, string)
    stood.set(string, known)
    return known
  }
  return contents.map((one) => ({
    useOf: (string) => {
      const use = one.useOf(string)
      return rankOf(use) <= rankOf(before.useOf(string)) && stoodThere(string) ? weakest(use, 'unsure') : use
    },
  }))
}

/** The lines of an edit without those that stand on both sides, each as often as it does. */
function changedLines(texts: readonly string[], old: readonly string[]) {
  const left = new Map<string, number>()
  for (const line of old.flatMap((text) => text.split('\n'))) left.set(line, (left.get(line) ?? 0) + 1)
  const isNew = (line: string): boolean => {
    const times = left.get(line) ?? 0
    if (times > 0) left.set(line, times - 1)
    return times === 0
  }
  const added = texts.map((text) => text.split('\n').filter(isNew).join('\n'))
  const removed = [...left].flatMap(([line, times]) => Array<string>(times).fill(line)).join('\n')
  return { added, removed }
}
