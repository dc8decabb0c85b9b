import { foldText } from '../text/normal-text.ts'
import { foldForSearch, indexOfName, indexOfWord } from '../text/search.ts'
import { baseName, normalPath, wordSet } from '../words.ts'
import data from './commands.json' with { type: 'json' }
import { type AnchorCommand, readAnchor } from './match-command.ts'
import { fileKind } from './programs.ts'
import { type Certainty, type ScriptContext, strongest, type Use, weakest } from './script.ts'

/** The most that writing proves: of a string, of a string of several words, and of a command in the text. */
type WritingUses = Readonly<Record<'asString' | 'asPhrase' | 'asCommand', Certainty>>

/** Bounds the uses of strings that are written into a file. A file that the instruction names was to be written, whatever its text; null: the file is not known. */
export function usesOfWriting(path: string | null, text: string, isNamed: (path: string) => boolean): WritingUses {
  if (path === null) return { asString: 'maybe', asPhrase: 'maybe', asCommand: 'maybe' }
  if (isNamed(path)) return { asString: 'sure', asPhrase: 'sure', asCommand: 'sure' }
  const kind = fileKind(path, text)
  return {
    asString: 'maybe',
    // A line of a shell script is a command, which the script may never run.
    asPhrase: kind === 'prose' || /\.(?:ba|z|k)?sh$/u.test(path) ? 'maybe' : 'sure',
    asCommand: kind === 'prose' || kind === 'code' ? 'told' : 'maybe',
  }
}

const HASHED = wordSet(data.hashed_endings)
const SLASHED = wordSet(data.slashed_endings)

/** Lists the marks that begin a comment line in the file. */
function commentMarks(path: string | null, text: string): readonly string[] {
  const name = baseName((path ?? '').toLowerCase())
  const ending = name.slice(name.lastIndexOf('.') + 1)
  if (HASHED.has(ending) || text.startsWith('#!')) return ['#']
  if (ending === 'sql' || ending === 'lua') return ['--']
  return SLASHED.has(ending) ? ['//', '*', '/*'] : []
}

/** Parts the text of a file from its comments, whole lines and those behind text, which begin with one of the marks. */
export function withoutComments(
  path: string | null,
  text: string,
): { live: string; comments: string; marks: readonly string[] } {
  const marks = commentMarks(path, text)
  if (marks.length === 0) return { live: text, comments: '', marks }
  const live: string[] = []
  const comments: string[] = []
  for (const line of text.split('\n')) {
    const start = line.trimStart()
    const isComment = marks.some((mark) => start.startsWith(mark)) && !start.startsWith('#!')
    const at = isComment ? 0 : trailingComment(line, marks[0] ?? '')
    if (at !== 0) live.push(at === -1 ? line : line.slice(0, at))
    if (at !== -1) comments.push(line.slice(at))
  }
  return { live: live.join('\n'), comments: comments.join('\n'), marks }
}

/** Finds the comment behind the text of a line; a mark inside of quotation marks begins none. */
function trailingComment(line: string, mark: string): number {
  const at = line.indexOf(` ${mark} `)
  return at === -1 || '"\'`'.split('').some((quote) => line.slice(0, at).split(quote).length % 2 === 0) ? -1 : at
}

const HEADERS = ['+++ b/', '+++ ', '*** Add File: ', '*** Update File: ', '*** Move to: ']

/** The lines that a patch puts into a file, and the lines that it takes out. */
interface Change {
  readonly path: string | null
  readonly lines: string[]
  readonly old: string[]
}

/** Lists the lines that a patch adds, by file: unified diffs, the `*** Begin Patch` form and SEARCH/REPLACE blocks. */
export function patchWrites(patch: string) {
  const writes: Change[] = []
  let path: string | null = null
  let side: 'lines' | 'old' | null = null
  const open = (): Change => {
    const change = { path, lines: [], old: [] }
    writes.push(change)
    return change
  }
  const current = (): Change => writes.at(-1) ?? open()
  const all = patch.split('\n')
  for (const [at, line] of all.entries()) {
    const header = HEADERS.find((one) => line.startsWith(one))
    if (header !== undefined) {
      path = line.slice(header.length).split('\t')[0] ?? null
      open()
    } else if (/^(?:<{7}|-{7}) SEARCH/u.test(line)) {
      side = 'old'
      open()
    } else if (side === 'old' && line.startsWith('=======')) side = 'lines'
    else if (/^(?:>{7}|\+{7}) REPLACE/u.test(line)) side = null
    else if (side !== null) current()[side].push(line)
    else if (line.startsWith('+')) current().lines.push(line.slice(1))
    // `--- a/file` before `+++ b/file`: a removed line may begin like that, too.
    else if (line.startsWith('-') && !(line.startsWith('--- ') && all[at + 1]?.startsWith('+++ ')))
      current().old.push(line.slice(1))
  }
  return writes
    .filter((one) => one.lines.length > 0)
    .map((one) => ({ path: one.path, text: one.lines.join('\n'), old: one.old.join('\n') }))
}

/** Tells whether a patch deletes or moves away a file that a text of words names, with or without the folders before it. */
export function deletesFile(patch: string, text: string): boolean {
  const lines = patch.split('\n')
  const names = text.trim().split(/\s+/u)
  return lines.some((line, at) => {
    const next = lines[at + 1] ?? ''
    const isGone = line.startsWith('*** Delete File: ') || next.startsWith('*** Move to: ') || next === '+++ /dev/null'
    const path = line.replace(/^(?:\*\*\* \w+ File: |--- a\/)/u, '').trim()
    return isGone && names.some((name) => path === name || path.endsWith(`/${name}`))
  })
}

/** Uses of strings in a text. */
export interface Content {
  useOf(anchor: string): Use
}

/** Answers `sure` where a string stands as a name of its own in a folded text, and `maybe` where it is a piece of a longer name. */
export function useOfNeedle(folded: string, needle: string): 'sure' | 'maybe' | 'absent' {
  if (needle === '' || indexOfWord(folded, needle) === -1) return 'absent'
  return indexOfName(folded, needle) === -1 ? 'maybe' : 'sure'
}

/** Reads a text that is put into a file; a null target is not known. */
export function readContent(content: string, target: string | null, context: ScriptContext): Content {
  const { live, comments, marks } = withoutComments(target, content)
  const [folded, foldedComments] = [foldText(live), foldText(comments)]
  return {
    useOf(text) {
      const { kind, needle, commands, words } = readAnchor(text)
      // A command that works on the file names the file as well, and is not carried out by a line in it.
      const isOperand = kind === 'asCommand' && words.some((word) => baseName(word) === baseName(target ?? ''))
      const uses = usesOfWriting(target, content, (path) => context.names(path, text))
      const most = isOperand ? 'maybe' : uses[kind === 'asString' && /\s/u.test(text.trim()) ? 'asPhrase' : kind]
      const inText = useOfNeedle(folded, needle)
      const use: Use = inText === 'absent' ? 'absent' : weakest(inText, most)
      if (commands?.some((command) => isWriteOf(command, target, folded))) return 'sure'
      if (commands?.some((command) => isWriteOf(command, target, foldedComments))) return strongest<Use>(use, 'maybe')
      const inComments = useOfNeedle(foldedComments, needle)
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
  return useOfNeedle(folded, foldForSearch(words.slice(1).join(' '))) === 'sure'
}

/** Reads a text that an edit puts into a file in place of old texts. A string of one of the old texts proves nothing surely. */
export function readEdit(text: string, old: readonly string[], path: string | null, context: ScriptContext): Content {
  const content = readContent(text, path, context)
  const before = readContent(old.join('\n'), path, context)
  return { useOf: (anchor) => weakest(content.useOf(anchor), before.useOf(anchor) === 'absent' ? 'whole' : 'maybe') }
}
