/** What is spelled otherwise in SQLite than in PostgreSQL, of the words that the stores use. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/\bseq\b/g, 'rowid'],
  [/= ANY\((\$\d+)\)/g, 'IN (SELECT value FROM json_each($1))'],
  // One process writes at a time.
  [/ FOR UPDATE\b/g, ''],
  // `/*+*/` before a column keeps SQLite from using its index.
  [/\/\*\+\*\/ ?/g, '+'],
  [/\bsplit_part\(([\w.]+), '@', 1\)/g, "substr($1, 1, instr($1, '@') - 1)"],
  // A column of its own in PostgreSQL.
  [/\bgrades\.signals\b/g, "json_extract(grades.ground_truth, '$.signals')"],
]

export interface Spelled {
  /** With a question mark for each value, in the order of the text. */
  readonly text: string
  /** Which of the values each question mark stands for. */
  readonly order: readonly number[]
}

/**
 * The unary plus changes no value. Without it SQLite looks at the values when it plans a join, and plans it again each time they are bound:
 * eight times as long as the join itself.
 */
export function spellForSqlite(statement: string): Spelled {
  const order: number[] = []
  const spelled = SPELLINGS.reduce((text, [from, to]) => text.replaceAll(from, to), statement)
  const text = spelled.replaceAll(/\$(\d+)/g, (_mark, number: string) => {
    order.push(Number(number) - 1)
    return '+?'
  })
  return { text, order }
}
