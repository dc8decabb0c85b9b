import type { AndOr, CommandNode, Pipeline } from 'unbash'
import { foldForSearch } from '../text/search.ts'
import { isDry, type Kind, kindOf } from './command-kinds.ts'
import { isCommandName, isScriptName } from './command-table.ts'
import { parseScript, soundUntil } from './parse-script.ts'
import { commandIn } from './programs.ts'
import { exactWords, readWord, wordsOf } from './script-nodes.ts'

/** A simple command of an anchor. */
export interface AnchorCommand {
  readonly name: string
  /** The words of the command without wrappers. */
  readonly words: readonly string[]
  /** All words in their exact form; null: a word is not known. */
  readonly exact: readonly string[] | null
  readonly kind: Kind
  readonly isDry: boolean
  readonly outputs: readonly string[]
}

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
const kept = new Map<string, Anchor>()

/** Reads an anchor. The anchors of a few questions are kept: every part of a run is asked for the same. */
export function readAnchor(text: string): Anchor {
  const read = kept.get(text)
  if (read !== undefined) return read
  if (kept.size >= MOST_KEPT) kept.clear()
  const anchor = parseAnchor(text.normalize('NFC'))
  if (text.length <= LONGEST) kept.set(text, anchor)
  return anchor
}

function parseAnchor(text: string): Anchor {
  const commands = text.length > LONGEST ? null : commandsOf(text)
  const folded = foldForSearch(text)
  const only = commands?.length === 1 ? commands[0] : undefined
  const joined = only === undefined || only.outputs.length > 0 ? '' : foldForSearch(only.words.join(' '))
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

const isProgram = (word: string): boolean => isCommandName(word) || isScriptName(word)

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
  const outputs = node.redirects.flatMap((redirect) =>
    redirect.type === 'Redirect' && redirect.operator.includes('>') && redirect.target
      ? [readWord(redirect.target).text]
      : [],
  )
  found.push({
    ...{ name, words, exact: exactWords(all), kind: kindOf(name, words) },
    ...{ isDry: isDry(name, words), outputs: outputs.filter((path) => !/^\d*$/u.test(path)) },
  })
  return true
}
