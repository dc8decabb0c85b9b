import { baseName, wordSet } from '../words.ts'
import data from './commands.json' with { type: 'json' }

/**
 * Lists of commands, in `commands.json`. Each of them only lowers a use: a command that is in no list acts, and a string in its words is at best `sure`.
 * This file reads the groups that depend on an option or a subcommand.
 */

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
