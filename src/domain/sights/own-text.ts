import { lineEnd, lineStart } from '../text/search.ts'
import { isBefore, type Position } from '../trajectory/trajectory.ts'
import { baseName } from '../words.ts'

/**
 * Text of the agent, the user or the system that can come back in tool output: a terminal echoes what is typed, `set -x` and make print
 * what they run, an editor shows the new content, a shell names the command that it did not find. None of it shows an instruction.
 */
export interface OwnText {
  readonly position: Position
  readonly words: ReadonlySet<string>
}

/** Places kept of each needle, and how much around each of them. */
export const MOST_OWN = 64
const LONGEST_LINE = 600
/** At least as far as a line that comes back is read. */
const AROUND = LONGEST_LINE
/** Words beside the needle, none of them the writer's own, that make a line a text of its own. */
const MANY_WORDS = 12

export function ownTextAt(position: Position, text: string, start: number, end: number): OwnText {
  const around = text.slice(Math.max(0, start - AROUND), Math.min(text.length, end + AROUND))
  return { position, words: new Set(wordsOf(around)) }
}

/** The kind of a line that holds a string of the writer's own: an echo, more than that (null), or doubtful. */
type Echo = 'echo' | 'doubtful' | null

export function judgeEcho(text: string, start: number, end: number, own: readonly OwnText[], at: Position): Echo {
  const earlier = own.filter((one) => isBefore(one.position, at))
  if (earlier.length === 0) return null
  const before = text.slice(Math.max(lineStart(text, start), start - LONGEST_LINE), start)
  const after = text.slice(end, Math.min(lineEnd(text, end), end + LONGEST_LINE))
  const rest = [...wordsOf(withoutPrompt(before)), ...wordsOf(after)]
  const further = rest.filter((word) => !earlier.some((one) => one.words.has(word)))
  if (further.length === 0) return 'echo'
  const isMessage = isComplaint(before, after)
  if (further.length < MANY_WORDS) return isMessage ? 'echo' : 'doubtful'
  return isMessage ? 'doubtful' : null
}

/** Drops a shell's prompt: `root@3f2a:/app# `, `(venv) $ `, `PS C:\> `, `+ ` of a trace. */
function withoutPrompt(before: string): string {
  const trimmed = before.trimEnd()
  for (let at = 0; at < Math.min(before.length, 120); at++) {
    if (!'$#%>❯+'.includes(before[at] ?? ' ')) continue
    if (at + 1 < before.length && before[at + 1] !== ' ' && at + 1 !== trimmed.length) continue
    const head = before.slice(0, at)
    if (head.trim() === '' || '@~/\\:)]'.split('').some((mark) => head.includes(mark))) return before.slice(at + 1)
  }
  return before
}

const COMPLAINERS =
  'ash bash cat cd cp curl dash error e fatal find fish git go grep ksh ls make mkdir mv node npm pip python python3 rm sh sudo tar wget zsh'.split(
    ' ',
  )
const COMPLAINTS = (
  'command not found|not found|no such file|no rule to make target|permission denied|cannot access|' +
  'could not resolve|did not match any|not recognized|is a directory|unable to locate'
).split('|')

/** A program that says what it could not do with what it was given. */
function isComplaint(before: string, after: string): boolean {
  const line = `${before} ${after}`.toLowerCase()
  if (COMPLAINTS.some((one) => line.includes(one))) return true
  const name = line.trimStart().split(/[:[\s]/, 1)[0] ?? ''
  return COMPLAINERS.includes(baseName(name)) && /^\s*\S{1,60}:\s/.test(before)
}

function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const word of text.toLowerCase().split(/[^\p{L}\p{N}_]/u)) if (word.length > 1) words.push(word)
  return words
}
