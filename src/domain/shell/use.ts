/**
 * The use that a script makes of a string, from the strongest: the string is a whole command that plainly ran; it stands in such a command; the
 * script may use it; the script only looks at it, prints it or never runs it; the script does not have it.
 */
export type Use = 'whole' | 'sure' | 'maybe' | 'told' | 'absent'
/** The use of a string that is there. */
export type Certainty = Exclude<Use, 'absent'>

const ORDER: readonly Use[] = ['absent', 'told', 'maybe', 'sure', 'whole']
/** Tells whether a use is an act for sure. */
export const isDone = (use: Use): use is 'whole' | 'sure' => use === 'whole' || use === 'sure'
export const rankOf = (use: Use): number => ORDER.indexOf(use)

export const strongest = <U extends Use>(a: U, b: U): U => (rankOf(a) >= rankOf(b) ? a : b)
/** Bounds a use by another: no use is stronger than the certainty of the place where it stands. */
export const weakest = <A extends Use, B extends Use>(a: A, b: B): A | B => (rankOf(a) <= rankOf(b) ? a : b)

/** The instruction as far as the reading of scripts asks for it. */
export interface ScriptContext {
  /** Tells whether the instruction names the file (basename), so that writing the file is the act. */
  names(path: string): boolean
  /** Tells whether an instruction, or one of its action anchors, holds the word: a program, a file or an option. */
  says(word: string): boolean
  /** Tells whether the text is a given action anchor: then the ground truth knows its act. */
  isGiven(text: string): boolean
  /** The instruction asks for words to people, so that a message of a commit or an issue may be the act. */
  readonly tells?: boolean
}
