/** The words of a list that is written as text, with white space between them. */
export const wordSet = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/u))
