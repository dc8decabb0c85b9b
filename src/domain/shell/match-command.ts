import { isAddress, normalPath, wordSet } from '../words.ts'
import { type AnchorCommand, readAnchor } from './anchor.ts'
import { mayTurn, TURNING_LETTER } from './command-kinds.ts'
import { isOption, isSystemProgram } from './command-table.ts'
import type { SimpleCommand } from './list-commands.ts'
import { rankOf, type ScriptContext, type Use, weakest } from './use.ts'

/**
 * Answers how far a command is the anchor's: `whole` where both have the same words; `sure` where the anchor's words stand in it in order and no option
 * is added; `maybe` where the words stand otherwise, or are not all known.
 */
export function matchCommand(command: SimpleCommand, wanted: AnchorCommand, context: ScriptContext): Use {
  if (command.name !== wanted.name || !writesTo(command.outputs, wanted)) return 'absent'
  const isTold = (command.isDry && !wanted.isDry) || (command.kind === 'looks' && wanted.kind === 'does')
  if (isTold) return holdsAll(command, wanted.words.slice(1)) ? 'told' : 'absent'
  if (isEqual(command, wanted)) {
    // A whole command that looks or prints is the act where the anchor says so.
    if (command.kind !== 'does') return weakest(command.runs, 'sure')
    return weakest(command.runs, isPlain(command, wanted) ? 'whole' : 'sure')
  }
  if (holdsInOrder(command, wanted, context)) return weakest(command.runs, command.kind === 'does' ? 'sure' : 'maybe')
  const plain = wanted.words.slice(1).filter((word) => !isOption(word))
  const isSpelled = plain.length > 0 && plain.length < wanted.words.length - 1 && holdsAll(command, plain)
  return !command.isFixed || isSpelled || holdsAll(command, wanted.words.slice(1)) ? 'maybe' : 'absent'
}

/** Tells whether nothing but its words decides the effect of a command that equals the anchor. */
function isPlain(command: SimpleCommand, wanted: AnchorCommand): boolean {
  if (command.isDry || command.isRedirected || (command.isMoved && hasRelativePath(wanted))) return false
  return wanted.outputs.length === 0 && wanted.words.length > 1
}

const OF_FILES = wordSet('rm mv cp mkdir rmdir chmod chown touch ln tar shred truncate unlink dd install rsync')
const OF_MODES = wordSet('chmod chown')
const RELATIVE_PATH = /^\.\.?\//u

/** Tells whether a word of the anchor is a path that the folder of the shell completes. */
const hasRelativePath = ({ name, words }: AnchorCommand): boolean =>
  words.some((word, at) => {
    const isFile = OF_FILES.has(name) && at > (OF_MODES.has(name) ? 1 : 0) && /^[^-/~]/u.test(word)
    return RELATIVE_PATH.test(word) || isFile
  })

/** Tells whether a command of the text has such a path. */
export const namesRelativePath = (text: string): boolean => readAnchor(text).commands?.some(hasRelativePath) ?? false

/** Tells whether the commands of an anchor stand in a script as whole commands, in their order. */
export function standInOrder(commands: readonly SimpleCommand[], wanted: readonly AnchorCommand[]): boolean {
  let next = 0
  for (const command of commands) {
    const anchor = wanted[next]
    const isPlain = !command.isDry && rankOf(command.runs) >= rankOf('sure')
    if (anchor !== undefined && isPlain && isEqual(command, anchor) && writesTo(command.outputs, anchor)) next++
  }
  return next === wanted.length && wanted.some(({ kind }) => kind === 'does')
}

function isEqual({ exact }: SimpleCommand, wanted: AnchorCommand): boolean {
  if (exact === null || wanted.exact === null || exact.length !== wanted.exact.length) return false
  return exact.every((word, at) => word === wanted.exact?.[at])
}

const writesTo = (outputs: readonly string[], wanted: AnchorCommand): boolean =>
  wanted.outputs.every(
    (path) => path === '/dev/null' || outputs.some((output) => normalPath(output) === normalPath(path)),
  )

/**
 * Tells whether a command begins with the anchor's words, in their order: further words may stand behind them, and anywhere options that change nothing,
 * with a value.
 */
function holdsInOrder(command: SimpleCommand, wanted: AnchorCommand, context: ScriptContext): boolean {
  const [program = '', ...have] = command.words
  const [wantedProgram = '', ...want] = wanted.words
  if (command.exact === null || !isSameProgram(program, wantedProgram)) return false
  let next = 0
  let isAdded = false
  for (const word of have) {
    if (next < want.length && isSameWord(want[next] ?? '', word)) {
      next++
      isAdded = false
      continue
    }
    const isValue = isAdded && !isOption(word)
    isAdded = isOption(word)
    // Behind a program and one argument a word may be a subcommand.
    const isMore = isOption(word) || isValue || (next === want.length && want.length > 1)
    const isOther = mayTurn(word) || (isAddress(word) && want.some(isAddress))
    if (!isMore || (isOther && !context.says(word))) return false
  }
  return next === want.length
}

const isSameWord = (want: string, word: string): boolean =>
  want === word || holdsLetters(word, want) || normalPath(want) === normalPath(word)

/** Tells whether an option of several letters has those of another, and none by which a command may only try its act: `-vf` has `-f`. */
const holdsLetters = (word: string, want: string): boolean =>
  CLUSTER.test(word) &&
  SHORT_OPTION.test(want) &&
  [...want].every((letter) => word.includes(letter)) &&
  ![...word].some((letter) => !want.includes(letter) && TURNING_LETTER.test(`-${letter}`))

/** Tells whether two words name one program: those in folders of the system are known by their name, and `python3` is `python`. */
function isSameProgram(word: string, wanted: string): boolean {
  return isSameWord(wanted, word) || (isSystemProgram(word) && isSystemProgram(wanted))
}

const cache = new WeakMap<SimpleCommand, ReadonlySet<string>>()

/** Tells whether a command has the words in any order, also as the end of a path, a value of an option, or letters of one option. */
export function holdsAll(command: SimpleCommand, want: readonly string[]): boolean {
  const pieces = cache.get(command) ?? new Set(command.words.flatMap(piecesOf))
  cache.set(command, pieces)
  const hasWord = (word: string): boolean =>
    pieces.has(word) || (CLUSTER.test(word) && [...word.slice(1)].every((letter) => pieces.has(`-${letter}`)))
  return want.every(
    (word) => hasWord(word) || tailsOf(word).some((tail) => pieces.has(tail)) || partsOf(word).every(hasWord),
  )
}

const CLUSTER = /^-[A-Za-z]{2,5}$/u
const SHORT_OPTION = /^-[A-Za-z]{1,4}$/u
const partsOf = (word: string): string[] => word.replace(/^(-[A-Za-z])(?=[^=-])/u, '$1=').split(/[=]|^:/u)
const piecesOf = (word: string): string[] => [
  ...[word, ...partsOf(word), ...tailsOf(word)],
  ...(CLUSTER.test(word) ? [...word.slice(1)].map((letter) => `-${letter}`) : []),
]

const MOST_TAILS = 8
/** Lists the ends of a path: `b/c` and `c` of `a/b/c`. */
function tailsOf(path: string): string[] {
  const names = path.split('/').slice(-MOST_TAILS)
  const tails = names.map((_, at) => names.slice(at).join('/'))
  return names.length === 1 ? [] : [normalPath(path), ...tails.filter((tail) => tail.length > 3)]
}
