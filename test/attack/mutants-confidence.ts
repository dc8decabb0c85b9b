import { inFile, type Mutant } from './mutant.ts'

const UNMET = 'src/domain/evidence/evidence-unmet.ts'
const CONTRADICTIONS = 'src/domain/evidence/contradictions.ts'
const LEXICAL = 'src/judges/lexical/lexical-answer.ts'

/** Rule 7, and how sure the built-in judge may be. */
export const CONFIDENCE_MUTANTS: readonly Mutant[] = [
  ...inFile(UNMET, 'not_executed', {
    'unsure-claims': [
      '7: a claim whose citations are not sure caps the confidence',
      'undone- instead-',
      '> 0 && isUnsure && !isMeasured',
      '< 0',
    ],
  }),
  ...inFile(CONTRADICTIONS, 'seen_but_denied', {
    'doubtful-sights': [
      '7: a sight that is not sure caps the confidence of an absence',
      '',
      'if (doubtful === null) return knownUnseen(claim, question, seen)',
      'return []',
    ],
  }),
  ...inFile(CONTRADICTIONS, 'done_but_denied', {
    'denied-acts': [
      '7: a denied act of which a string is done caps the confidence',
      'url- line-append write',
      'return acted ? againstClaimed(one) : againstDenied(one)',
      'return acted ? againstClaimed(one) : []',
    ],
  }),
  ...inFile('src/domain/evidence/anchors.ts', 'done_but_denied', {
    'near-acts': [
      '7: so does one of which a word is done',
      'url- line-',
      'acted_near: select([...actions, given.text].flatMap(distinctiveWords).flatMap(withPieces), common, MOST_NEAR),',
      'acted_near: [],',
    ],
  }),
  ...inFile(LEXICAL, 'done_but_denied', {
    'lexical-absence': [
      '7: `lexical` is never sure that nothing was done',
      'limit-',
      "return isMeasuredAbsent ? 'high' : 'low'",
      "return 'high'",
    ],
  }),
  ...inFile('src/grading/read-windows.ts', 'windows', {
    'window-repair': [
      '6: a window in no form is asked once more',
      'first_malformed two_malformed',
      'for (const place of [round, round + MOST_WINDOWS * NODES])',
      'for (const place of [round])',
    ],
  }),
]
