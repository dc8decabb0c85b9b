/** Lists the texts that apply, in their order. */
export const notesOf = (notes: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(notes).flatMap(([text, applies]) => (applies ? [text] : []))
