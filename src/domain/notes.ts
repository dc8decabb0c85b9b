/** A note on a result, and whether the note applies. */
export type Note = readonly [applies: boolean, text: string]

/** The texts that apply, in their order. */
export const notesOf = (notes: readonly Note[]): string[] => notes.flatMap(([applies, text]) => (applies ? [text] : []))
