import type { Command, CommandNode, CompoundList, ParsedScript, Redirection, Word, WordPart } from 'unbash'
import { parse } from 'unbash'
import { baseName, wordSet } from '../words.ts'
import data from './commands.json' with { type: 'json' }

/**
 * The use that a script makes of a string, from the strongest: the string is a whole command that plainly ran; it stands in such a command; the
 * script may use it; the script only looks at it, prints it or never runs it; the script does not have it.
 */
export type Use = 'whole' | 'sure' | 'maybe' | 'told' | 'absent'
/** The use of a string that is there. */
export type Certainty = Exclude<Use, 'absent'>

/** Ranks of uses, the weakest first. */
export const RANK: Readonly<Record<Use, number>> = { absent: 0, told: 1, maybe: 2, sure: 3, whole: 4 }
/** Tells whether a use is an act for sure. */
export const isDone = (use: Use): use is 'whole' | 'sure' => use === 'whole' || use === 'sure'

export const strongest = <U extends Use>(a: U, b: U): U => (RANK[a] >= RANK[b] ? a : b)
/** Bounds a use by another: no use is stronger than the certainty of the place where it stands. */
export const weakest = <A extends Use, B extends Use>(a: A, b: B): A | B => (RANK[a] <= RANK[b] ? a : b)

/** The instruction as far as the reading of scripts asks for it. */
export interface ScriptContext {
  /** Tells whether an instruction of the anchor (any, where none has it) names the file (basename), so that writing the file is the act. */
  names(path: string, anchor: string): boolean
  /** Tells whether an instruction of the anchor (any, where none has it), or one of its action anchors, holds the word: a program, a file or an option. */
  says(word: string, anchor: string): boolean
  /** Tells whether the user, or an instruction without the anchor, says the word. */
  saysBesides(word: string, anchor: string): boolean
  /** Tells whether the text is a given action anchor: then the ground truth knows its act. */
  isGiven(text: string): boolean
}

/** Linux passes no longer string to a program (MAX_ARG_STRLEN is 128 KiB), twice that is room for other harnesses. */
const LONGEST_SCRIPT = 262_144
/** The parser’s time grows with the square of the here-documents that one line opens. */
const MOST_HERE_DOCUMENTS = 2_000

/** The syntax tree of a script, or null where reading it would take too long. Never throws: deep nesting overflows the parser’s stack. */
export function parseScript(text: string): ParsedScript | null {
  if (text.length > LONGEST_SCRIPT || text.split('<<').length - 1 > MOST_HERE_DOCUMENTS) return null
  try {
    return parse(text)
  } catch {
    return null
  }
}

/** From where on the tree is a guess; the text’s length: nowhere. */
export const soundUntil = (script: ParsedScript): number =>
  (script.errors ?? []).reduce((least, error) => Math.min(least, error.pos), Number.POSITIVE_INFINITY)

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
    if (node.type !== 'Assignment') return []
    const isKnown = node.value.type === 'Word' && readWord(node.value).exact !== null
    const text = node.text.replaceAll(/["']/gu, '')
    return [{ text, exact: isKnown ? `\0${node.text}` : null, isFixed: isKnown }]
  })

function readWord(word: Word): ScriptWord {
  const { parts } = word
  const text = (parts === undefined ? word.value : parts.map(plainPart).join('')).normalize('NFC')
  if (parts?.some(isValue)) return { text, exact: null, isFixed: false }
  const isPattern = parts?.some(({ type }) => PATTERNS.has(type)) || word.text.startsWith('~')
  return { text, exact: isPattern ? `\0${word.text}` : text, isFixed: !isPattern }
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

/** Reads the redirections of a command: the files of its output and its input, and the texts of here-documents and here-strings. */
export function redirectionsOf(redirects: readonly Redirection[]): Pick<SimpleCommand, 'outputs' | 'texts' | 'inputs'> {
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

/** A simple command of a script. */
export interface SimpleCommand {
  readonly name: string
  /** The words of the command without quotes, and without the wrappers before the command. */
  readonly words: readonly string[]
  /** The words, with blanks between them. */
  readonly line: string
  /** All words, wrappers too, in their exact form; null: a word is not known. */
  readonly exact: readonly string[] | null
  /** No word has an expansion or a pattern, and none comes from the input. */
  readonly isFixed: boolean
  readonly kind: Kind
  /** Certainty that the command runs: `whole` in plain sequences, pipes and chains of `&&`. */
  readonly runs: Certainty
  /** The most that a string in its words proves. */
  readonly names: Certainty
  /** The command shows what it would do, and does not do it. */
  readonly isDry: boolean
  /** A failure of the command is a failure of the script, so that the outcome of the call tells the failure. */
  readonly isReported: boolean
  /** A `cd` before the command changes the meaning of relative paths. */
  readonly isMoved: boolean
  /** The command reads a pipe, a file or a text, or writes a file: they may decide its effect. */
  readonly isRedirected: boolean
  /** Files that its output goes to. */
  readonly outputs: readonly string[]
  /** Files that its input comes from. */
  readonly inputs: readonly string[]
  /** Texts that it passes on: here-documents, and the words of `echo` and its like. */
  readonly texts: readonly string[]
  /** The command changes the shell, or sets something in it. */
  readonly changesShell: boolean
  /** Place in the script, half open. */
  readonly start: number
  readonly end: number
}

/** Finds the bodies of a construct, without the clause of an `if`. */
export function bodiesOf(node: CommandNode): readonly (CompoundList | CommandNode)[] {
  switch (node.type) {
    case 'If':
      return [
        node.clause,
        node.then,
        ...node.elif.flatMap(({ clause, then }) => [clause, then]),
        node.else ?? [],
      ].flat()
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

// The lists of `commands.json` only lower a use: a command in no list acts, and a string in its words is at best `sure`.

/** Reads a table of words by program. */
export const wordTable = (table: Readonly<Record<string, string>>): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(table).map(([name, words]) => [name, wordSet(words)]))

/** Reads a table of patterns by program. */
const patternTable = (table: Readonly<Record<string, string>>): ReadonlyMap<string, RegExp> =>
  new Map(Object.entries(table).map(([name, pattern]) => [name, new RegExp(pattern, 'u')]))

/** Commands whose words are files, patterns, names and conditions. */
const LOOKING = wordSet(data.looking)
/** Commands whose words are told to people or to a log. */
export const TELLING = wordSet(data.telling)
export const SHELLS = wordSet(data.shells)
/** Interpreters of other languages, with the options that give them code. */
export const INTERPRETERS = wordTable(data.interpreters)
/** Subcommands that only look. */
const LOOKING_SUBCOMMANDS = wordTable(data.looking_subcommands)
/** Options whose value is told to people, by program, or by program and subcommand. */
const MESSAGE_OPTIONS = wordTable(data.message_options)

/** Options with which a command only shows what it would do, or tells of itself. */
const DRY_OPTION =
  /^--?(?:dry-?run(?:=(?!none$|false$).*)?|list-only|plan|noop|check-only|just-print|recon|simulate|what-?if|no-act|help|version|syntax-check|collect-only)$/u

/** Such options of single programs. */
const DRY_OPTIONS_OF = patternTable(data.dry_options)

/** Further names of programs. */
const ALIASES: ReadonlyMap<string, string> = new Map(Object.entries(data.aliases))

/** The programs that make a string a command. */
const NAMED_COMMANDS: ReadonlySet<string> = new Set([
  ...[LOOKING, TELLING, SHELLS, wordSet(data.acting)].flatMap((words) => [...words]),
  ...INTERPRETERS.keys(),
])

/** Names the program of a word: without its folder, under its usual name. */
export function programOf(word: string): string {
  const name = baseName(word)
  const plain = /^(python|pip)[23](\.\d+)?$/u.test(name) ? name.slice(0, name.startsWith('pip') ? 3 : 6) : name
  return ALIASES.get(plain) ?? plain
}

export const isCommandName = (word: string): boolean =>
  NAMED_COMMANDS.has(programOf(word)) || (word.startsWith('./') && word.length > 3)

export const isOption = (word: string): boolean => word.length > 1 && word.startsWith('-')

/** Tells whether a word names a script by its ending. */
export const isScriptName = (word: string): boolean => /\.(?:sh|py|js|rb|pl)$/u.test(word)

const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/u
/** Tells whether a word is the name of a program, or its path in a folder of the system. */
export const isSystemProgram = (word: string): boolean => !word.includes('/') || SYSTEM_FOLDER.test(word)

/** The effect of a command: to act, to look at something, to tell its words. */
export type Kind = 'does' | 'looks' | 'tells'

/** Sorts a command, given without its wrappers. */
export function kindOf(name: string, words: readonly string[]): Kind {
  if (TELLING.has(name)) return 'tells'
  const acts = ACTING_WORDS.get(name)
  if (acts !== undefined && words.slice(1).some((word) => acts.test(word))) return 'does'
  const looking = LOOKING_SUBCOMMANDS.get(name)
  const isLooking = [subcommandOf(words), words[1]].some((word) => looking?.has(word ?? ''))
  return LOOKING.has(name) || isLooking ? 'looks' : 'does'
}

/** Words with which a command that looks acts. */
const ACTING_WORDS = patternTable(data.acting_words)

/** Programs that ask a server, and print its answer. */
export const WEB_CLIENTS = wordSet('curl wget http https httpie xh grpcurl lynx w3m')

/** Tells whether a command only shows what it would do, or tells of itself. */
export function isDry(name: string, words: readonly string[]): boolean {
  const dry = DRY_OPTIONS_OF.get(name)
  // A script may not know the option.
  const isScript = SHELLS.has(name) || INTERPRETERS.has(name) || isScriptName(words[0] ?? '')
  return words.slice(1).some((word) => dry?.test(word) || (!isScript && DRY_OPTION.test(word)))
}

const UNDOING = /^(?:uninstall|remove|rm|delete|del|drop|list|abort)$/u

/** Letters of short options by which a command may list, try, delete or leave out. */
export const TURNING_LETTER = /^-[a-zA-Z]*[dDhlnNtT]/u
/** Words of long options by which a command may look, only try, undo or leave out. */
const TURNING_NAME =
  /^--?[a-z-]*(?:cancel|check|contains|debug|delete|diff|dry|explain|help|just|lint|list|no-|offline|only|plan|preview|print|recon|remove|revert|show|simul|skip|spider|stat|test|undo|valid|version|what)/iu

/** An address of this machine, or an option that names a profile or the like: the act may be done in another place. */
const OTHER_PLACE =
  /(?:^|\/\/|=)(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?:[:/]|$)|^--?(?:context|kubeconfig|profile|region|chdir|cluster)(?:=|$)/u

/** Tells whether a word that is added to a command may make the command do something else. */
export const mayTurn = (word: string): boolean =>
  UNDOING.test(word) ||
  OTHER_PLACE.test(word) ||
  (isOption(word) && (TURNING_LETTER.test(word) || TURNING_NAME.test(word)))

const VALUED = /^(?:-[CcnRf]|--(?:git-dir|work-tree|namespace|repo|context))$/u

/** Finds the subcommand, behind options and their values. */
export function subcommandOf(words: readonly string[]): string | null {
  let at = 1
  while (isOption(words[at] ?? '')) at += VALUED.test(words[at] ?? '') ? 2 : 1
  return words[at] ?? null
}

/** Parts the words of a command from those that are a message to people, such as the value of `git commit -m`. */
export function withoutMessages(
  name: string,
  words: readonly string[],
): { readonly rest: readonly string[]; readonly messages: readonly string[] } {
  const options = [name, `${name} ${subcommandOf(words) ?? ''}`].flatMap((key) => [...(MESSAGE_OPTIONS.get(key) ?? [])])
  if (options.length === 0) return { rest: words, messages: [] }
  const rest: string[] = []
  const messages: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (options.includes(word)) messages.push(words[++at] ?? '')
    else if (options.some((option) => option.startsWith('--') && word.startsWith(`${option}=`))) messages.push(word)
    else rest.push(word)
  }
  return { rest, messages }
}
