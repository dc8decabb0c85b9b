import type { Assignment, Command, CommandNode, CompoundList, Redirection, Word, WordPart } from 'unbash'

/** A word of a command. */
export interface ScriptWord {
  /** The word without its quotes; expansions stay as written. */
  readonly text: string
  /** A form that is equal for words of equal effect; null: an expansion gives the word a value that is not known. */
  readonly exact: string | null
  /** The word has neither an expansion nor a pattern. */
  readonly isFixed: boolean
}

/** Takes the exact forms of all words; null: a word is not known. */
export function exactWords(words: readonly ScriptWord[]): readonly string[] | null {
  const exact = words.flatMap((word) => word.exact ?? [])
  return exact.length === words.length ? exact : null
}

/** Reads the words of a simple command: settings before it, its program, its arguments. */
export const wordsOf = ({ prefix, name, args }: Command): ScriptWord[] =>
  [...prefix, ...(name ? [name] : []), ...args].flatMap((node) => {
    if (node.type === 'Word') return [readWord(node)]
    return node.type === 'Assignment' ? [readAssignment(node)] : []
  })

export function readWord(word: Word): ScriptWord {
  const { parts } = word
  const text = (parts === undefined ? word.value : parts.map(plainPart).join('')).normalize('NFC')
  if (parts?.some(isValue)) return { text, exact: null, isFixed: false }
  const isPattern = parts?.some(({ type }) => PATTERNS.has(type)) || word.text.startsWith('~')
  return { text, exact: isPattern ? `\0${word.text}` : text, isFixed: !isPattern }
}

function readAssignment({ text, value }: Assignment): ScriptWord {
  const isKnown = value.type === 'Word' && readWord(value).exact !== null
  return { text: text.replaceAll(/["']/gu, ''), exact: isKnown ? `\0${text}` : null, isFixed: isKnown }
}

/** Parts that stand for names of files and for several words: only words written alike are equal. */
const PATTERNS: ReadonlySet<string> = new Set(['Glob', 'ExtendedGlob', 'BraceExpansion'])

function isValue(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return part.parts.some(isValue)
  return part.type.endsWith('Expansion') ? part.type !== 'BraceExpansion' : part.type === 'ProcessSubstitution'
}

function plainPart(part: WordPart): string {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return part.parts.map(plainPart).join('')
  const isPlain = part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted'
  return isPlain ? part.value : part.text
}

/** The redirections of a command. */
export interface Redirections {
  /** Texts of here-documents and here-strings. */
  readonly texts: readonly string[]
  readonly outputs: readonly string[]
  readonly inputs: readonly string[]
}

export function redirectionsOf(redirects: readonly Redirection[]): Redirections {
  const outputs: string[] = []
  const texts: string[] = []
  const inputs: string[] = []
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') {
      texts.push(redirect.body.text)
      continue
    }
    const target = redirect.target === undefined ? '' : readWord(redirect.target).text
    if (redirect.type === 'HereString') texts.push(target)
    else if (redirect.operator.includes('>') && target !== '' && !/^[\d-]+$/u.test(target)) outputs.push(target)
    else if (redirect.operator === '<' && target !== '') inputs.push(target)
  }
  return { outputs, texts, inputs }
}

/** Finds the bodies of a construct, without the clause of an `if`. */
export function bodiesOf(node: CommandNode): readonly (CompoundList | CommandNode)[] {
  switch (node.type) {
    case 'If':
      return [node.then, ...node.elif.flatMap(({ clause, then }) => [clause, then]), node.else ?? []].flat()
    case 'While':
      return [node.clause, node.body]
    case 'For':
    case 'Select':
    case 'ArithmeticFor':
    case 'Function':
    case 'Coproc':
      return [node.body]
    case 'Case':
      return node.items.map(({ body }) => body)
    default:
      return []
  }
}
