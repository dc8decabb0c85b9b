import type { AndOr, CommandNode, Pipeline } from 'unbash'
import { fewAnswers, once } from '../memo.ts'
import { foldForSearch } from '../text/search.ts'
import { baseName, isAddress, normalPath, wordSet } from '../words.ts'
import {
  HANDING,
  isCommandName,
  isDry,
  isOption,
  isScriptName,
  isSystemProgram,
  kindOf,
  mayTurn,
  TURNING_LETTER,
} from './command-kinds.ts'
import { commandIn, rulesOf } from './programs.ts'
import {
  type Certainty,
  exactWords,
  parseScript,
  rankOf,
  redirectionsOf,
  type ScriptContext,
  type SimpleCommand,
  soundUntil,
  strongest,
  type Use,
  weakest,
  wordsOf,
} from './script.ts'

/** A simple command of an anchor; `exact` has the wrappers, too. */
export type AnchorCommand = Pick<SimpleCommand, 'name' | 'words' | 'exact' | 'kind' | 'isDry' | 'outputs' | 'inputs'>

/** A string whose use is asked for, read once. */
export interface Anchor {
  readonly text: string
  /** The commands of the string; null: the string is no script of simple commands. */
  readonly commands: readonly AnchorCommand[] | null
  /** The string is a command, so that writing it somewhere does not carry it out. */
  readonly kind: 'asCommand' | 'asString'
  /** The forms in which the string may stand in a text. */
  readonly needles: readonly string[]
  readonly words: readonly string[]
  /** The words of the string and the names in its paths: a text without any of them does not hold the string. */
  readonly pieces: readonly string[]
  /** Texts that its commands put into files. */
  readonly printed: readonly string[]
}

const LONGEST = 4_000
const MOST_COMMANDS = 20
const MOST_KEPT = 1000
const keptAnchor = once((text: string) => parseAnchor(text.normalize('NFC')), fewAnswers<Anchor>(MOST_KEPT))

/** Reads an anchor. The anchors of a few questions are kept: every part of a run is asked for the same. */
export const readAnchor = (text: string): Anchor =>
  text.length <= LONGEST ? keptAnchor(text) : parseAnchor(text.normalize('NFC'))

function parseAnchor(text: string): Anchor {
  const commands = text.length > LONGEST ? null : commandsOf(text)
  const folded = foldForSearch(text)
  const only = commands?.length === 1 ? commands[0] : undefined
  const joined =
    only === undefined || only.outputs.length + only.inputs.length > 0 ? '' : foldForSearch(only.words.join(' '))
  const isProgram = (word: string): boolean => isCommandName(word) || isScriptName(word)
  const isCommand = commands?.some(({ words }) => words.length > 1 && isProgram(words[0] ?? '')) ?? false
  const needles = joined === '' || joined === folded ? [folded] : [folded, joined]
  const words = [...new Set(needles.flatMap((needle) => needle.split(' ')))]
  const pieces = [...new Set(words.flatMap((word) => word.split(/[/:=]/u)))].filter((piece) => piece !== '')
  const printed = (commands ?? []).flatMap((command) =>
    command.kind === 'tells' && command.outputs.length > 0 ? [foldForSearch(command.words.slice(1).join(' '))] : [],
  )
  return { text, commands, kind: isCommand ? 'asCommand' : 'asString', needles, words, pieces, printed }
}

/** Lists the programs of an anchor's commands. A single word that is no known command names a file or a value. */
export function programsOf(text: string): readonly string[] {
  const { kind, commands } = readAnchor(text)
  const isValue = kind === 'asString' && commands?.length === 1 && commands[0]?.words.length === 1
  return isValue ? [] : (commands ?? []).map(({ name }) => name)
}

/** Lists the names of the files of a project in which stands what a command does: its program, a script that it runs, the rules of its program. */
export const filesOf = (text: string): readonly string[] =>
  (readAnchor(text).commands ?? []).flatMap(({ name, words }) => {
    const own = isSystemProgram(words[0] ?? '') ? [] : [name]
    const scripts = words.filter((word) => isScriptName(word)).map(baseName)
    return [...own, ...scripts, ...rulesOf(name)]
  })

function commandsOf(text: string): AnchorCommand[] | null {
  const script = parseScript(text.trim())
  if (script === null || soundUntil(script) < text.length + 1) return null
  const found: AnchorCommand[] = []
  const isRead = script.commands.every(({ command }) => collect(command, found))
  return isRead && found.length > 0 ? found : null
}

function collect(node: AndOr | Pipeline | CommandNode, found: AnchorCommand[]): boolean {
  if (node.type === 'AndOr' || node.type === 'Pipeline') return node.commands.every((part) => collect(part, found))
  if (node.type !== 'Command' || found.length >= MOST_COMMANDS || node.name === undefined) return false
  const all = wordsOf(node)
  const { name, words } = commandIn(all.map(({ text }) => text))
  const { outputs, inputs } = redirectionsOf(node.redirects)
  found.push({
    ...{ name, words, exact: exactWords(all), kind: kindOf(name, words) },
    ...{ isDry: isDry(name, words), outputs, inputs },
  })
  return true
}

/** Tells whether a command of the text has a word that only the shell knows: a setting decides its effect. */
export const hasExpansion = (text: string): boolean =>
  readAnchor(text).commands?.some(({ exact }) => exact === null) ?? false

/** A single word is at best `sure`, and a plain word of letters no more than `maybe`. */
export function limitOf(text: string): Certainty {
  const word = text.trim()
  if (/\s/u.test(word)) return 'whole'
  return /^\p{L}+$/u.test(word) ? 'maybe' : 'sure'
}

/** Tells whether a script may put the words of an anchor together: it has one of them, or a piece of one. */
export const mayBeMade = (folded: string, words: readonly string[]): boolean =>
  words.some((word) => piecesOfWord(word).some((piece) => piece.length > 3 && folded.includes(piece)))

/** Lists a word and the names in its path. */
const piecesOfWord = (word: string): string[] => [word, ...(/[/.-]/u.test(word) ? word.split(/[/:]/u) : [])]

/** Lists the words and names of an anchor that tell of its act: its programs, which match by themselves, and what others say do not. */
export function ownWordsOf({ text, words }: Anchor, context: ScriptContext): readonly string[] {
  const programs = new Set(programsOf(text))
  return words.flatMap(piecesOfWord).filter((word) => !programs.has(word) && !context.saysBesides(word, text))
}

/** Answers how far the commands of a script are those of an anchor. */
export function useOfCommands(
  commands: readonly SimpleCommand[],
  { commands: own, text }: Anchor,
  context: ScriptContext,
): Use {
  const wanted = own ?? []
  const says = (word: string): boolean => context.says(word, text)
  const uses = wanted.map((anchor) =>
    commands.reduce<Use>((use, command) => strongest(use, matchCommand(command, anchor, says)), 'absent'),
  )
  const use = uses.reduce<Use>(weakest, uses.length === 0 ? 'absent' : 'whole')
  if (wanted.length < 2) return use
  return standInOrder(commands, wanted) ? 'sure' : weakest(use, 'maybe')
}

/**
 * Answers how far a command is the anchor's: `whole` where both have the same words; `sure` where the anchor's words stand in it in order and no option
 * is added; `maybe` where the words stand otherwise, or are not all known.
 */
function matchCommand(command: SimpleCommand, wanted: AnchorCommand, says: Says): Use {
  const isSameInput = wanted.inputs.every((path) => command.inputs.some((own) => normalPath(own) === normalPath(path)))
  return weakest(matchWords(command, wanted, says), isSameInput ? 'whole' : 'maybe')
}

/** Tells whether the instruction says a word. */
type Says = (word: string) => boolean

function matchWords(command: SimpleCommand, wanted: AnchorCommand, says: Says): Use {
  if (command.name !== wanted.name || !writesTo(command.outputs, wanted)) return 'absent'
  const isTold = (command.isDry && !wanted.isDry) || (command.kind === 'looks' && wanted.kind === 'does')
  if (isTold) return holdsAll(command, wanted.words.slice(1)) ? 'told' : 'absent'
  if (isEqual(command, wanted)) {
    // A whole command that looks or prints is the act where the anchor says so.
    if (command.kind !== 'does') return weakest(command.runs, 'sure')
    return weakest(command.runs, isPlain(command, wanted) ? 'whole' : 'sure')
  }
  if (holdsInOrder(command, wanted, says) && !isSet(command, says))
    return weakest(command.runs, command.kind === 'does' ? 'sure' : 'maybe')
  const plain = wanted.words.slice(1).filter((word) => !isOption(word))
  const isSpelled = plain.length > 0 && plain.length < wanted.words.length - 1 && holdsAll(command, plain)
  return !command.isFixed || isSpelled || holdsAll(command, wanted.words.slice(1)) ? 'maybe' : 'absent'
}

/** Tells whether nothing but its words decides the effect of a command that equals the anchor. */
function isPlain(command: SimpleCommand, wanted: AnchorCommand): boolean {
  if (command.isDry || command.isRedirected || command.isMoved || command.exact === null) return false
  return wanted.outputs.length === 0 && wanted.words.length > 1
}

/** Settings in front of a command that leave its effect as it is. */
const HARMLESS_SETTING =
  /^(?:DEBIAN_FRONTEND|CI|NO_COLOR|FORCE_COLOR|TERM|LANG|LC_\w+|TZ|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|IOENCODING)|NODE_ENV|RUST_\w+|CARGO_TERM_\w+|\w*PASSWORD|\w*TOKEN)=/u

/** Tells whether a setting in front of the command, which the instruction does not name, may make the command do something else. */
const isSet = ({ exact }: SimpleCommand, says: Says): boolean =>
  (exact ?? []).some((word) => {
    const [, setting] = /^\0([A-Za-z_]\w*=)/u.exec(word) ?? []
    return setting !== undefined && !HARMLESS_SETTING.test(setting) && !says(setting.slice(0, -1))
  })

const OF_FILES = wordSet('rm mv cp mkdir rmdir chmod chown touch ln tar shred truncate unlink dd install rsync')
const RELATIVE_PATH = /^\.\.?\//u

/** Tells whether a word of the anchor is a path that the folder of the shell completes. */
const hasRelativePath = ({ name, words }: AnchorCommand): boolean =>
  words.some((word, at) => {
    const isFile = OF_FILES.has(name) && at > (name === 'chmod' || name === 'chown' ? 1 : 0) && /^[^-/~]/u.test(word)
    return RELATIVE_PATH.test(word) || isFile
  })

/** Tells whether a command of the text has such a path. */
export const namesRelativePath = (text: string): boolean => readAnchor(text).commands?.some(hasRelativePath) ?? false

/** Tells whether the commands of an anchor stand in a script as whole commands, in their order. */
function standInOrder(commands: readonly SimpleCommand[], wanted: readonly AnchorCommand[]): boolean {
  let next = 0
  for (const command of commands) {
    const anchor = wanted[next]
    const isPlain = !command.isDry && rankOf(command.runs) >= rankOf('sure')
    if (anchor !== undefined && isPlain && isEqual(command, anchor) && writesTo(command.outputs, anchor)) next++
  }
  return next === wanted.length && wanted.some(({ kind }) => kind === 'does')
}

/** Tells whether a command has the words of the anchor, in the same order; expansions are equal where they are written alike. */
function isEqual({ exact, words }: SimpleCommand, wanted: AnchorCommand): boolean {
  const isKnown = exact !== null
  if (isKnown !== (wanted.exact !== null)) return false
  const [own, others] = [exact ?? words, wanted.exact ?? wanted.words]
  return own.length === others.length && own.every((word, at) => word === others[at])
}

const writesTo = (outputs: readonly string[], wanted: AnchorCommand): boolean =>
  wanted.outputs.every(
    (path) => path === '/dev/null' || outputs.some((output) => normalPath(output) === normalPath(path)),
  )

/** Tells whether a command begins with the anchor's words in order; further words may follow, harmless options with a value stand anywhere. */
function holdsInOrder(command: SimpleCommand, wanted: AnchorCommand, says: Says): boolean {
  const [program = '', ...all] = command.words
  // Another machine may ask for `sudo` before the same command.
  const have = HANDING.has(command.name) ? all.filter((word, at) => at === 0 || word !== 'sudo') : all
  const [wantedProgram = '', ...want] = wanted.words
  // Programs in folders of the system are known by their name, and `python3` is `python`.
  const isSameProgram =
    isSameWord(wantedProgram, program) || (isSystemProgram(program) && isSystemProgram(wantedProgram))
  if (command.exact === null || !isSameProgram) return false
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
    const isOther = mayTurn(word, command.name) || (isAddress(word) && want.some(isAddress))
    if (!isMore || (isOther && !says(word))) return false
  }
  return next === want.length
}

/** Tells whether two words are the same: `-vf` has the letters of `-f`, and none by which a command may only try its act. */
const isSameWord = (want: string, word: string): boolean =>
  normalPath(want) === normalPath(word) ||
  (CLUSTER.test(word) &&
    SHORT_OPTION.test(want) &&
    [...want].every((letter) => word.includes(letter)) &&
    ![...word].some((letter) => !want.includes(letter) && TURNING_LETTER.test(`-${letter}`)))

const piecesOfCommand = once(({ words }: SimpleCommand) => new Set(words.flatMap(piecesOf)), new WeakMap())

/** Tells whether a command has the words in any order, also as the end of a path, a value of an option, or letters of one option. */
export function holdsAll(command: SimpleCommand, want: readonly string[]): boolean {
  const pieces = piecesOfCommand(command)
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
