import { isOption, SUBCOMMANDED } from '../commands/command-table.ts'

/** How far the words of a command hold those of an anchor; both begin with the same program. */
export function holdsWords(name: string, words: readonly string[], anchor: readonly string[]): boolean {
  const have = words.slice(1).flatMap(split)
  const want = anchor.slice(1).flatMap(split)
  return isSubsequence(name, have, want) || holdsInAnyOrder(name, have, want)
}

/**
 * Whether they may hold them where words of the command are not known: each of these may be one of the anchor’s, and what a command prints or `$@`
 * stands for all of them.
 */
export function mayHoldWords(name: string, words: readonly string[], anchor: readonly string[]): boolean {
  if (!words.some(isUnknown)) return false
  const have = words.slice(1).flatMap(split)
  const want = anchor.slice(1).flatMap(split)
  let next = 0
  for (const [at, word] of have.entries()) {
    const wanted = want[next]
    if (wanted === undefined || STANDS_FOR_MANY.test(word)) return true
    if (isSame(wanted, word) || (isUnknown(word) && wanted.startsWith(word.slice(0, word.search(UNKNOWN))))) next++
    else if (next === 0 && isOtherSubcommand(name, have, at)) return false
  }
  return next === want.length
}

/** The same of the words behind a name that is not known, which may stand for the anchor’s program and some of its words. */
export function mayBeNamed(words: readonly string[], anchor: readonly string[]): boolean {
  const last = anchor.at(-1) ?? ''
  return words.every(isUnknown) || words.some((word) => isUnknown(word) || isSame(last, word))
}

const UNKNOWN = /[$`]/u
export const isUnknown = (word: string): boolean => UNKNOWN.test(word)
export const STANDS_FOR_MANY = /^(?:\$[@*(]|`|\$\{(?:\w+\[[@*]\]|[@*]))/u

/** `--url=x` is `--url x`. */
function split(word: string): string[] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)]
}

/** Between a program and its subcommand only options and their values may stand. */
function isSubsequence(name: string, have: readonly string[], want: readonly string[]): boolean {
  let next = 0
  for (const [at, word] of have.entries()) {
    if (next === want.length) return true
    if (isSame(want[next] ?? '', word)) next++
    else if (next === 0 && isOtherSubcommand(name, have, at)) return false
  }
  return next === want.length
}

const isOtherSubcommand = (name: string, have: readonly string[], at: number): boolean =>
  SUBCOMMANDED.has(name) && !isOption(have[at] ?? '') && !isOption(have[at - 1] ?? '')

/** The anchor’s options with the values behind them may stand elsewhere; its other words keep their order. */
function holdsInAnyOrder(name: string, have: readonly string[], want: readonly string[]): boolean {
  if (!want.some(isOption)) return false
  const left: (string | null)[] = [...have]
  const others: string[] = []
  for (let at = 0; at < want.length; at++) {
    const word = want[at] ?? ''
    if (!isOption(word)) {
      others.push(word)
      continue
    }
    const place = left.findIndex((one) => one !== null && holdsOption(one, word))
    if (place === -1) return false
    const value = want[at + 1]
    const found = left[place + 1]
    if (value !== undefined && !isOption(value) && found !== null && found !== undefined && isSame(value, found)) {
      left[place + 1] = null
      at++
    }
    if (left[place] === word) left[place] = null
  }
  return isSubsequence(
    name,
    left.filter((one) => one !== null),
    others,
  )
}

const TURNING =
  /^--(?:delete|abort|undo|revert|reverse|remove|uninstall|disable|rollback|cancel|quit|skip|unset|unset-all|prune|purge|destroy|deregister|list|check|diff|no-(?:op|act|commit|push|execute|exec|run|install|apply|deploy|start|restart|write|save|send|publish|enable|upload|download|change|changes))(?:=|$)/u
/** Options that keep a command away from the word that they are given. */
export const LEAVES_OUT = /^--(?:exclude|ignore|deselect|except|omit|skip|without)(?:-[a-z-]+=|=|$)/u
/** Short options that turn the meaning of these alone. */
const TURNING_SHORT: Readonly<Record<string, string>> = {
  git: 'dDR',
  patch: 'R',
  crontab: 'r',
  tar: 't',
  rpm: 'e',
  iptables: 'DF',
}

/** Whether the command has an option, which the anchor has not, that makes it do something else or the opposite. */
export function turnsMeaning(name: string, words: readonly string[], anchor: readonly string[]): boolean {
  if (name === 'git' && words[1] === 'stash' && OTHER_STASH.test(words[2] ?? '') && words[2] !== anchor[2]) return true
  const letters = Object.hasOwn(TURNING_SHORT, name) ? (TURNING_SHORT[name] ?? '') : ''
  return words.some(
    (word, at) =>
      !anchor.includes(word) &&
      (TURNING.test(word) ||
        (LEAVES_OUT.test(word) && anchor.includes(gluedTo(word) ?? words[at + 1] ?? '')) ||
        (word.startsWith('--no-') && anchor.includes(word.slice(5))) ||
        (isCluster.test(word) && [...letters].some((letter) => word.includes(letter)))),
  )
}

/** The value that is glued to an option: `x` of `--exclude=x`. */
const gluedTo = (option: string): string | null => (option.includes('=') ? option.slice(option.indexOf('=') + 1) : null)

const OTHER_STASH = /^(?:pop|apply|drop|clear|branch)$/u
const isCluster = /^-[A-Za-z]{1,5}$/u

/** `-rf` holds `-r`. */
function holdsOption(word: string, option: string): boolean {
  if (word === option) return true
  if (!isCluster.test(word) || !isCluster.test(option)) return false
  return [...option.slice(1)].every((letter) => word.includes(letter))
}

/** Whether a word of a command is the anchor’s: also as a path from another folder, or glued to its option. */
export function isSame(want: string, word: string): boolean {
  if (want === word) return true
  const a = plain(want)
  const b = plain(word)
  if (a === b) return true
  if (a.length < 4) return false
  if (!a.startsWith('/') && !a.startsWith('-') && b.startsWith('/') && b.endsWith(`/${a}`)) return true
  return /^-[A-Za-z]/u.test(word) && !word.startsWith('--') && word.slice(2) === want
}

function plain(word: string): string {
  const path = word.startsWith('./') ? word.slice(2) : word
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
