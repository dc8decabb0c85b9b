import type { AndOr, CommandNode, Pipeline } from 'unbash'
import { FewAnswers, once } from '../result.ts'
import { foldForSearch } from '../text/search.ts'
import { baseName, normalPath, wordSet } from '../words.ts'
import { commandIn, RULE_FILES } from './programs.ts'
import type { Certainty, ScriptContext, SimpleCommand, Use } from './script.ts'
import {
  exactWords,
  isCommandName,
  isDry,
  isOption,
  isScriptName,
  isSystemProgram,
  kindOf,
  mayTurn,
  parseScript,
  redirectionsOf,
  soundUntil,
  strongest,
  TURNING_LETTER,
  weakest,
  wordsOf,
} from './script.ts'

/** A simple command of an anchor; `exact` has the wrappers, too. */
export type AnchorCommand = Pick<
  SimpleCommand,
  'name' | 'words' | 'line' | 'exact' | 'kind' | 'isDry' | 'outputs' | 'inputs'
>

/** A string whose use is asked for, read once. */
export interface Anchor {
  readonly text: string
  /** The commands of the string; null: the string is no script of simple commands. */
  readonly commands: readonly AnchorCommand[] | null
  /** The string is a command, so that writing it somewhere does not carry it out. */
  readonly kind: 'asCommand' | 'asString'
  /** The string as folded texts hold it. */
  readonly needle: string
  readonly words: readonly string[]
  /** The words of the string and the names in its paths: a text without any of them does not hold the string. */
  readonly pieces: readonly string[]
  /** The most that the string proves: a single word `sure`, and a plain word of letters `maybe`. */
  readonly most: Certainty
  /** The programs of the commands. */
  readonly programs: readonly string[]
  /** Names of the files of a project in which stands what a command does: its program, a script that it runs, the rules of its program. */
  readonly files: readonly string[]
  /** A word of a command is a path that the folder of the shell completes. */
  readonly isRelative: boolean
}

const LONGEST = 4_000
const MOST_COMMANDS = 20
const MOST_KEPT = 1000
const keptAnchor = once(parseAnchor, new FewAnswers<Anchor>(MOST_KEPT))

/** Reads an anchor. The anchors of a few questions are kept: every part of a run is asked for the same. */
export const readAnchor = (text: string): Anchor => (text.length <= LONGEST ? keptAnchor : parseAnchor)(text)

/** Names of hosts, for every program. */
const HOSTS = '/etc/hosts'
const OF_FILES = wordSet('rm mv cp mkdir rmdir chmod chown touch ln tar shred truncate unlink dd install rsync')

function parseAnchor(given: string): Anchor {
  const text = given.normalize('NFC')
  const parsed = text.length > LONGEST ? null : commandsOf(text)
  const commands = parsed ?? []
  const needle = foldForSearch(text)
  const isCommand = commands.some(
    ({ words: [program = '', ...others] }) => others.length > 0 && (isCommandName(program) || isScriptName(program)),
  )
  // A single word that is no known command names a file or a value.
  const isValue = !isCommand && commands.length === 1 && commands[0]?.words.length === 1
  const words = [...new Set(needle.split(' '))]
  return {
    ...{ text, commands: parsed, kind: isCommand ? 'asCommand' : 'asString', needle, words },
    pieces: [...new Set(words.flatMap((word) => word.split(/[/:=]/u)))].filter((piece) => piece !== ''),
    most: /\s/u.test(given.trim()) ? 'whole' : /^\p{L}+$/u.test(given.trim()) ? 'maybe' : 'sure',
    programs: isValue ? [] : commands.map(({ name }) => name),
    files: commands.flatMap(({ name, words: [program = '', ...others] }) => [
      ...(isSystemProgram(program) ? [] : [name]),
      ...[program, ...others].filter(isScriptName).map(baseName),
      ...[HOSTS, ...(RULE_FILES.get(name) ?? [])],
    ]),
    isRelative: commands.some(({ name, words }) =>
      words.some((word, at) => (OF_FILES.has(name) && at > 0 ? /^[^-/~]/u : /^[^-/~:]*\//u).test(word)),
    ),
  }
}

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
    ...{ name, words, line: words.join(' '), exact: exactWords(all), kind: kindOf(name, words) },
    ...{ isDry: isDry(name, words), outputs, inputs },
  })
  return true
}

/** Tells whether a script may put the words of an anchor together: it has one of them, or a piece of one. */
export const mayBeMade = (folded: string, words: readonly string[]): boolean =>
  words.some((word) => piecesOfWord(word).some((piece) => piece.length > 3 && folded.includes(piece)))

/** Lists a word and the names in its path. */
const piecesOfWord = (word: string): string[] => [word, ...(/[/.-]/u.test(word) ? word.split(/[/:]/u) : [])]

/** Lists the words and names of an anchor that tell of its act: its programs, which match by themselves, and what others say do not. */
export function ownWordsOf({ text, words, programs }: Anchor, context: ScriptContext): readonly string[] {
  return words.flatMap(piecesOfWord).filter((word) => !programs.includes(word) && !context.saysBesides(word, text))
}

/** Answers how far the commands of a script are those of an anchor; of several, the order is not compared. */
export function useOfCommands(commands: readonly SimpleCommand[], { commands: own }: Pick<Anchor, 'commands'>): Use {
  const wanted = own ?? []
  const uses = wanted.map((anchor) =>
    commands.reduce<Use>((use, command) => {
      const most = isAmong(anchor.inputs, command.inputs) ? 'whole' : 'maybe'
      return strongest(use, weakest<Use, Use>(matchWords(command, anchor), most))
    }, 'absent'),
  )
  return uses.reduce<Use>(weakest, uses.length === 0 ? 'absent' : uses.length === 1 ? 'whole' : 'maybe')
}

/** Tells whether all paths stand among others. */
const isAmong = (paths: readonly string[], others: readonly string[]): boolean =>
  paths.every((path) => path === '/dev/null' || others.some((other) => normalPath(other) === normalPath(path)))

/** Answers how far a command has the anchor's words: `whole`, all; `sure`, in order, no option added; `maybe`, otherwise, or not all known. */
function matchWords(command: SimpleCommand, wanted: AnchorCommand): Use {
  if (command.name !== wanted.name || !isAmong(wanted.outputs, command.outputs)) return 'absent'
  const isTold = (command.isDry && !wanted.isDry) || (command.kind === 'looks' && wanted.kind === 'does')
  if (isTold) return holdsAll(command, wanted.words.slice(1)) ? 'told' : 'absent'
  if (isEqual(command, wanted)) {
    // A whole command that looks or prints is the act where the anchor says so. A redirection or the folder may decide the effect of any other.
    const isBare = !command.isRedirected && !command.isMoved && wanted.outputs.length === 0 && wanted.words.length > 1
    const isWhole = command.kind === 'does' && !command.isDry && command.exact !== null && isBare
    return weakest(command.runs, isWhole ? 'whole' : 'sure')
  }
  if (holdsInOrder(command, wanted) && !isSet(command))
    return weakest(command.runs, command.kind === 'does' ? 'sure' : 'maybe')
  const plain = wanted.words.slice(1).filter((word) => !isOption(word))
  const isSpelled = plain.length > 0 && plain.length < wanted.words.length - 1 && holdsAll(command, plain)
  return !command.isFixed || isSpelled || holdsAll(command, wanted.words.slice(1)) ? 'maybe' : 'absent'
}

/** Tells whether a setting stands in front of a command, which may make the command do something else. */
export const isSet = ({ exact }: Pick<SimpleCommand, 'exact'>): boolean =>
  (exact ?? []).some((word) =>
    /^\0(?!(?:CI|DEBIAN_FRONTEND|NO_COLOR|PYTHONUNBUFFERED|TERM|TZ)=)[A-Za-z_]\w*=/u.test(word),
  )

/** Tells whether a command has the words of the anchor, in the same order; expansions are equal where they are written alike. */
function isEqual({ exact, words }: SimpleCommand, wanted: AnchorCommand): boolean {
  const isKnown = exact !== null
  if (isKnown !== (wanted.exact !== null)) return false
  const [own, others] = [exact ?? words, wanted.exact ?? wanted.words]
  return own.length === others.length && own.every((word, at) => word === others[at])
}

/** Tells whether a command has the anchor's words in order, and besides them only harmless options without a value. */
function holdsInOrder(command: SimpleCommand, wanted: AnchorCommand): boolean {
  const [program = '', ...have] = command.words
  const [wantedProgram = '', ...want] = wanted.words
  // Programs in folders of the system are known by their name, and `python3` is `python`.
  const isSameProgram =
    isSameWord(wantedProgram, program) || (isSystemProgram(program) && isSystemProgram(wantedProgram))
  if (command.exact === null || !isSameProgram) return false
  let next = 0
  for (const word of have) {
    if (next < want.length && isSameWord(want[next] ?? '', word)) next++
    // An option with a value, and a further operand, may name another place or a further object; `/dev/null` names none.
    else if (word !== '/dev/null' && (!isOption(word) || word.includes('=') || mayTurn(word))) return false
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

/** Tells whether a command has the words in any order, or their pieces: the name at the end of a path, a setting and its value. */
export function holdsAll({ words }: SimpleCommand, want: readonly string[]): boolean {
  const has = (piece: string): boolean => piece !== '' && words.includes(piece)
  return want.every((word) => has(word) || has(baseName(word)) || word.split(/[=:]/u).every(has))
}

const CLUSTER = /^-[A-Za-z]{2,5}$/u
const SHORT_OPTION = /^-[A-Za-z]{1,4}$/u
