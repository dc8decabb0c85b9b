import { foldForSearch, foldWhole, indexOfName, indexOfWord } from '../text/search.ts'
import { normalPath } from '../words.ts'
import { type AnchorCommand, readAnchor } from './anchor.ts'
import { usesOfWriting, withoutComments } from './file-kinds.ts'
import { type ScriptContext, strongest, type Use, weakest } from './use.ts'

/** Uses of strings in a text. */
export interface Content {
  useOf(anchor: string): Use
}

/** Answers `sure` where a needle stands as a name of its own in a folded text, and `maybe` where it is a piece of a longer name. */
export const useOfNeedles = (folded: string, needles: readonly string[]): 'sure' | 'maybe' | 'absent' =>
  needles
    .filter((needle) => needle !== '' && indexOfWord(folded, needle, 0) !== -1)
    .reduce<'sure' | 'maybe' | 'absent'>(
      (use, needle) => (use === 'sure' || indexOfName(folded, needle, 0) !== -1 ? 'sure' : 'maybe'),
      'absent',
    )

/** Reads a text that is put into a file; a null target is not known. */
export function readContent(content: string, target: string | null, context: ScriptContext): Content {
  const { live, comments, marks } = withoutComments(target, content)
  const uses = usesOfWriting(target, content, context)
  const [folded, foldedComments] = [foldWhole(live), foldWhole(comments)]
  return {
    useOf(text) {
      const { kind, needles, commands } = readAnchor(text)
      const most = uses[kind === 'asString' && /\s/u.test(text.trim()) ? 'asPhrase' : kind]
      const inText = useOfNeedles(folded, needles)
      const use: Use = inText === 'absent' ? 'absent' : weakest(inText, most)
      if (commands?.some((command) => isWriteOf(command, target, folded))) return 'sure'
      if (commands?.some((command) => isWriteOf(command, target, foldedComments))) return strongest<Use>(use, 'maybe')
      const inComments = useOfNeedles(foldedComments, needles)
      // A comment is the act where the anchor is a comment.
      if (marks.some((mark) => text.trimStart().startsWith(mark))) return strongest<Use>(use, weakest(inComments, most))
      const isCommented = inComments !== 'absent'
      return isCommented ? strongest<Use>(use, kind === 'asCommand' ? 'told' : 'maybe') : use
    },
  }
}

/** Tells whether an anchor such as `echo X >> FILE` is what was written into the file. */
function isWriteOf({ kind, words, outputs }: AnchorCommand, path: string | null, folded: string): boolean {
  if (kind !== 'tells' || path === null || !outputs.some((output) => normalPath(output) === normalPath(path)))
    return false
  return useOfNeedles(folded, [foldForSearch(words.slice(1).join(' '))]) === 'sure'
}

/** Reads the texts that edits put into a file in place of old texts. A string that stood there before proves nothing surely. */
export function readEdit(
  texts: readonly string[],
  old: readonly string[],
  path: string | null,
  context: ScriptContext,
): Content[] {
  const left = new Map<string, number>()
  for (const line of old.flatMap((text) => text.split('\n'))) left.set(line, (left.get(line) ?? 0) + 1)
  const isNew = (line: string): boolean => {
    const times = left.get(line) ?? 0
    if (times > 0) left.set(line, times - 1)
    return times === 0
  }
  const added = texts.map((text) => text.split('\n').filter(isNew).join('\n'))
  const contents = added.map((text) => readContent(text, path, context))
  const removed = [...left].flatMap(([line, times]) => Array<string>(times).fill(line)).join('\n')
  if (removed === '') return contents
  const before = readContent(removed, path, context)
  const uses = new Map<string, Use>()
  const useBefore = (text: string): Use => {
    const use = uses.get(text) ?? before.useOf(text)
    uses.set(text, use)
    return use
  }
  return contents.map((content) => ({
    useOf: (text) => (useBefore(text) === 'absent' ? content.useOf(text) : weakest(content.useOf(text), 'maybe')),
  }))
}
