import {
  DRY_OPTION,
  DRY_OPTIONS_OF,
  INTERPRETERS,
  isOption,
  isScriptName,
  LOOKING,
  LOOKING_SUBCOMMANDS,
  listOf,
  MESSAGE_OPTIONS,
  SHELLS,
  TELLING,
} from './command-table.ts'

/** The effect of a command: to act, to look at something, to tell its words. */
export type Kind = 'does' | 'looks' | 'tells'

/** Sorts a command, given without its wrappers. */
export function kindOf(name: string, words: readonly string[]): Kind {
  if (TELLING.has(name)) return 'tells'
  const acts = Object.hasOwn(ACTING_WORDS, name) ? ACTING_WORDS[name] : undefined
  if (acts !== undefined && words.slice(1).some((word) => acts.test(word))) return 'does'
  if (DECLARING.has(name) && words.some((word) => /^-[a-zA-Z]*p/u.test(word))) return 'looks'
  return LOOKING.has(name) || hasLookingSubcommand(name, words) ? 'looks' : 'does'
}

/** Commands that print what is declared where they have `-p`. */
const DECLARING = new Set(['declare', 'typeset', 'export', 'readonly'])

const AWK_ACTS = /system\(|^inplace$|(?:print|printf)[^>|;}]{0,500}[>|]{1,2} ?["A-Za-z(]|\| ?getline/u
/** Words with which a command that looks acts. */
const ACTING_WORDS: Readonly<Record<string, RegExp>> = {
  find: /^-(?:(?:exec|ok)(?:dir)?|delete|fprint[f0]?|fls)$/u,
  fd: /^-(?:[xX]|-exec(?:-batch)?)$/u,
  sed: /^(?:-[nErszl]*i|--in-place)/u,
  yq: /^(?:-[a-zA-Z]*i|--in-?place)/u,
  ...{ awk: AWK_ACTS, gawk: AWK_ACTS, mawk: AWK_ACTS },
  ...{ sort: /^(?:-[a-zA-Z]*o|--output)/u, shuf: /^(?:-o|--output)/u, tree: /^-o/u },
  ...{ uniq: /^[^-]/u, xxd: /^[^-]/u, hostname: /./u, gzip: /./u, gunzip: /./u, exiftool: /^-[^=]+=/u },
  date: /^(?:-s|--set)/u,
  openssl: /^-(?:out|req|signkey|CA)$/u,
  git: /^(?:--output|expire$|delete$)/u,
  go: /^-[wu]$/u,
  ip: /^(?:add|del|delete|set|change|replace|append|flush)$/u,
  journalctl: /^--(?:vacuum|rotate|flush|sync|relinquish|setup-keys)/u,
  terraform: /^(?:rm|mv|push|replace-provider|-out.*)$/u,
  dmesg: /^(?:-[a-zA-Z]*[cCDEn]|--clear|--read-clear)/u,
  history: /^-[a-z]*[cdwanr]/u,
  hash: /^-[a-z]*[rdp]/u,
}

/** Programs that hand the words behind their first ones to another program. */
const HANDING = new Set(['ssh', 'docker', 'podman', 'kubectl', 'su', 'watch', 'flock'])

/** Tells whether a command only shows what it would do, or tells of itself. */
export function isDry(name: string, words: readonly string[]): boolean {
  const dry = Object.hasOwn(DRY_OPTIONS_OF, name) ? DRY_OPTIONS_OF[name] : undefined
  // A script may not know the option.
  const isScript = SHELLS.has(name) || Object.hasOwn(INTERPRETERS, name) || isScriptName(words[0] ?? '')
  const own = words.slice(1, HANDING.has(name) ? 3 : undefined)
  return own.some((word) => dry?.test(word) || (!isScript && DRY_OPTION.test(word)))
}

const UNDOING = /^(?:uninstall|remove|rm|delete|del|drop|list|abort)$/u

/** Letters of short options by which a command may list, try, delete or leave out. */
export const TURNING_LETTER = /^-[a-zA-Z]*[dDhlnNqtT]/u
/** Words of long options by which a command may look, only try, undo or leave out. */
const TURNING_NAME =
  /^--?[a-z-]*(?:cancel|check|contains|debug|delete|diff|dry|explain|help|just|lint|list|no-|only|plan|preview|print|recon|remove|revert|show|simul|skip|spider|stat|test|undo|valid|version|what)/iu

/** Tells whether a word that is added to a command may make the command do something else. */
export const mayTurn = (word: string): boolean =>
  UNDOING.test(word) || (isOption(word) && (TURNING_LETTER.test(word) || TURNING_NAME.test(word)))

function hasLookingSubcommand(name: string, words: readonly string[]): boolean {
  const looking = Object.hasOwn(LOOKING_SUBCOMMANDS, name) ? LOOKING_SUBCOMMANDS[name] : undefined
  if (looking === undefined) return false
  return looking.has(subcommandOf(words) ?? '') || (isOption(words[1] ?? '') && looking.has(words[1] ?? ''))
}

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
  const options = [...listOf(MESSAGE_OPTIONS, name), ...listOf(MESSAGE_OPTIONS, `${name} ${subcommandOf(words) ?? ''}`)]
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
