/**
 * Letters can be written as one character or as several: a letter and its accents, a kana and its voice mark, the parts of a Hangul syllable. A
 * search reads all as the one that they make (Unicode’s normal form C).
 */

/** What a letter before it may be one with. One character class: nothing to backtrack. */
const MARKS = /[\u0300-\u034e\u0350-\u036f\u0653-\u0655\u1161-\u1175\u11a8-\u11c2\u3099\u309a]/

export const isMark = (code: number): boolean => code >= 0x300 && MARKS.test(String.fromCharCode(code))

/** A letter and its marks have no more units. */
const LONGEST = 8

/** The one unit that a letter and its marks make; 0: none. */
export function composed(text: string): number {
  if (text.length > LONGEST) return 0
  const one = text.normalize('NFC')
  return one.length === 1 ? one.charCodeAt(0) : 0
}
