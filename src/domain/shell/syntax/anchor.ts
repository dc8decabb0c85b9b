import type { AndOr, CommandNode, Pipeline, Word, WordPart } from 'unbash'
import { isAddress } from '../../acts/mentions.ts'
import { foldForSearch } from '../../text/search.ts'
import { feederIn, wrappersOf } from '../commands/command-kinds.ts'
import { isCommandName, programOf } from '../commands/command-table.ts'
import { UNKNOWN_OUTPUT } from './expand.ts'
import { parseScript, soundUntil } from './parse-script.ts'

/** One simple command of an anchor, without wrappers. */
export interface AnchorCommand {
  readonly name: string
  readonly words: readonly string[]
  readonly outputs: readonly string[]
  /** The program that runs it for what it reads, as `xargs` does. */
  readonly feeder?: string
}

/** A string whose use is asked for, read once. */
export interface Anchor {
  /** The commands of which it consists; null: it is no script of simple commands. */
  readonly commands: readonly AnchorCommand[] | null
  /**
   * A command, so that writing it somewhere does not carry it out; something by which a thing is called (an address, a program of the project with its
   * options); a setting; or any other string.
   */
  readonly kind: 'asCommand' | 'asCall' | 'asSetting' | 'asString'
  /** The forms in which it may stand in a text. */
  readonly needles: readonly string[]
  /** Their words, and the programs that these name. */
  readonly words: readonly string[]
  readonly programs: readonly string[]
}

const LONGEST = 4_000

/** Those of a few questions: every part of a run asks for the same. */
const MOST_KEPT = 1000
const kept = new Map<string, Anchor>()

export function readAnchor(text: string): Anchor {
  const known = kept.get(text)
  if (known !== undefined) return known
  if (kept.size >= MOST_KEPT) kept.clear()
  const anchor = read(text)
  if (text.length <= LONGEST) kept.set(text, anchor)
  return anchor
}

function read(text: string): Anchor {
  const commands = text.length > LONGEST ? null : commandsOf(text)
  const folded = foldForSearch(text)
  const isCommand =
    (commands?.some((one) => one.words.length > 1 && isCommandName(one.words[0] ?? '')) ?? false) ||
    isScriptCall(commands)
  const joined =
    commands?.length === 1 && commands[0]?.outputs.length === 0 ? foldForSearch(commands[0]?.words.join(' ') ?? '') : ''
  const isCall = isAddress(text) || (commands?.some((one) => one.words.length > 1 && one.words.some(isOption)) ?? false)
  const kind = isCommand ? 'asCommand' : isCall ? 'asCall' : SETTING.test(text) ? 'asSetting' : 'asString'
  const needles = joined === '' || joined === folded ? [folded] : [folded, joined]
  const words = [...new Set(needles.flatMap((needle) => needle.split(' ')))]
  return { commands, kind, needles, words, programs: [...new Set(words.map(programOf))] }
}

/** `DEBUG=1`, `log_level: debug`. */
const SETTING = /^["']?[\w.-]{1,80}["']?\s?[=:]\s?\S/u

const isOption = (word: string): boolean => /^--?[A-Za-z]/u.test(word)

/** `deploy.sh --now`: the first word is a file that is run. */
const isScriptCall = (commands: readonly AnchorCommand[] | null): boolean =>
  commands?.some(({ words }) => words.length > 1 && /\.(?:sh|py|js|rb|pl)$/u.test(words[0] ?? '')) ?? false

function commandsOf(text: string): AnchorCommand[] | null {
  const script = parseScript(text.trim())
  if (script === null || soundUntil(script) < text.length + 1) return null
  const found: AnchorCommand[] = []
  for (const statement of script.commands) if (!collect(statement.command, found)) return null
  return found.length > 0 ? found : null
}

function collect(node: AndOr | Pipeline | CommandNode, found: AnchorCommand[]): boolean {
  if (node.type === 'AndOr' || node.type === 'Pipeline') return node.commands.every((one) => collect(one, found))
  if (node.type !== 'Command' || found.length >= 20) return false
  const words = [...node.prefix, ...(node.name ? [node.name] : []), ...node.args].flatMap((one) =>
    one.type === 'Word'
      ? [plainWord(one)]
      : one.type === 'Assignment'
        ? [one.text.replaceAll('"', '').replaceAll("'", '')]
        : [],
  )
  const outputs = node.redirects.flatMap((one) =>
    one.type === 'Redirect' && one.operator.includes('>') && one.target ? [one.target.value] : [],
  )
  const wrappers = wrappersOf(words)
  const rest = words.slice(wrappers.flat().length)
  if (rest[0] === undefined) return false
  const feeder = feederIn(wrappers)?.at(-1)?.[0]
  found.push({
    ...{ name: programOf(rest[0]), words: rest, outputs },
    ...(feeder !== undefined && { feeder: programOf(feeder) }),
  })
  return true
}

/** A word without its quotes; variables stay as written. */
const plainWord = (word: Word): string => (word.parts === undefined ? word.value : word.parts.map(plainPart).join(''))

function plainPart(part: WordPart): string {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return part.parts.map(plainPart).join('')
  if (part.type === 'CommandExpansion') return UNKNOWN_OUTPUT
  return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted' ? part.value : part.text
}
