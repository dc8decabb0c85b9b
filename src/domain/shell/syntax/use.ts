/**
 * What a script does with a string: carries it out; the check cannot tell; only looks at it, tells of it or never runs it; does not hold it.
 */
export type Use = 'done' | 'unsure' | 'told' | 'absent'
/** A use of something that is there. */
export type Taken = Exclude<Use, 'absent'>

const ORDER: readonly Use[] = ['absent', 'told', 'unsure', 'done']
export const rankOf = (use: Use): number => ORDER.indexOf(use)

export const strongest = <U extends Use>(a: U, b: U): U => (rankOf(a) >= rankOf(b) ? a : b)
export const weakest = <U extends Use>(a: U, b: U): U => (rankOf(a) <= rankOf(b) ? a : b)

/** What the calling side knows of the files that a script writes. */
export interface ScriptContext {
  /** Whether the instruction itself names this file (basename), so that writing it is what was asked. */
  names(path: string): boolean
  /** Whether an instruction, or one of its action anchors, holds this word: a program, a file or an option that it speaks of. */
  says(word: string): boolean
  /** The instruction asks for words to people, so that a message of a commit or an issue may be the act. */
  readonly tells?: boolean
  /** Whether the instruction asks to take something away, so that a command which does so may be the act. */
  readonly undoes?: boolean
}
