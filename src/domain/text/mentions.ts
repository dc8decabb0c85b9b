import { foldForSearch, indexOfName, indexOfWord } from './search.ts'

/** Tests whether the text holds the string, white space apart, or all of its words in order. */
export const mentions = (text: string, string: string, fold: () => string = () => foldForSearch(text)): boolean =>
  holds(text, string, fold, indexOfWord)

/** Tests the same where no word of the string is a piece of a longer word. */
export const namesAll = (text: string, string: string): boolean =>
  holds(text, string, () => foldForSearch(text), indexOfName)

function holds(text: string, string: string, fold: () => string, indexOf: typeof indexOfWord): boolean {
  if (indexOf(text, string, 0) !== -1) return true
  const folded = fold()
  let at = 0
  for (const word of foldForSearch(string).split(' ')) {
    const found = indexOf(folded, word, at)
    if (found === -1) return false
    at = found + word.length
  }
  return true
}

/** Tests whether the text holds one of the words. */
export const mentionsAny = (text: string, string: string): boolean =>
  string.split(' ').some((word) => word.trim() !== '' && indexOfWord(text, word.trim(), 0) !== -1)
