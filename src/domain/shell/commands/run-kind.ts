import { wordSet } from '../../text/words.ts'
import { type Call, contentOf, mention, mentionAll, textOf } from '../syntax/call.ts'
import { type Taken, weakest } from '../syntax/use.ts'
import { LEAVES_OUT } from '../syntax/word-match.ts'
import { kindOf, subcommandOf } from './command-kinds.ts'
import { isCommandName, listOf, MESSAGE_OPTIONS } from './command-table.ts'
import type { Flow, Machine } from './machine.ts'
import { doubted, isUnknownOutput, type Piece, type Status } from './outcome.ts'
import { testWordsStatus } from './test-status.ts'

export function runKind(machine: Machine, call: Call): Status {
  const { name, words, scope, fields } = call
  const kind = kindOf(name, words)
  if (kind === 'does') return act(machine, call)
  if (kind === 'tells' && machine.context.says(name)) return mentionAll(machine, fields, 'unsure', 'unsure')
  if (kind !== 'tells' && !CONDITIONS.has(name)) machine.record.addLook(words)
  const [first, ...rest] = fields
  if (first !== undefined) mention(machine, first, 'told', 'told')
  const [asString, asCommand] = USE_OF_LOOKING[kind === 'tells' ? 'searches' : kind][scope.out.flow]
  if (asString === 'done' && EDITING.has(name)) mentionAll(machine, rest, 'unsure', asCommand)
  else mentionAll(machine, rest, weakest(asString, scope.use), asCommand)
  if (kind === 'copies' || (EXTRACTING.has(name) && scope.out.pieces !== null)) pass(machine, call)
  else for (const piece of scope.input) machine.tell(piece)
  return name === '[' || name === 'test' ? testWordsStatus(words) : null
}

/** Their words are scripts: what they look for and what they put in its place. */
const EDITING: ReadonlySet<string> = new Set(['sed', 'awk', 'gawk', 'mawk'])

/** They print what they find. */
const EXTRACTING: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack'])

const CONDITIONS: ReadonlySet<string> = new Set(['test', '[', '[[', 'true', 'false', ':', 'sleep', 'wait'])

type Uses = readonly [Taken, Taken]

/** What the arguments of commands that look are to what gets their output. */
const USE_OF_LOOKING: Readonly<Record<'asks' | 'copies' | 'searches', Readonly<Record<Flow, Uses>>>> = {
  asks: { shown: ['unsure', 'told'], gone: ['unsure', 'told'], kept: ['unsure', 'told'], acted: ['unsure', 'told'] },
  copies: { shown: ['told', 'told'], gone: ['told', 'told'], kept: ['done', 'told'], acted: ['done', 'told'] },
  searches: { shown: ['told', 'told'], gone: ['told', 'told'], kept: ['told', 'told'], acted: ['unsure', 'told'] },
}

/** They make another text of what they read. */
const TURNING: ReadonlySet<string> = wordSet(`base64 rev xxd tr gunzip zcat gzip iconv envsubst`)

/** Passes input on: to the screen, into a file, to the next command. A file that this script wrote is its text. */
function pass(machine: Machine, { name, words, scope }: Call): void {
  if (TURNING.has(name) && scope.out.pieces !== null && !scope.input.every(isUnknownOutput)) {
    for (const piece of scope.input) machine.tell(piece)
    machine.emit(contentOf(machine, '', 0), scope)
    return
  }
  const isCat = name === 'cat'
  const files = words.slice(1).filter((word) => !word.startsWith('-'))
  const takesInput = scope.input.length > 0 && !(isCat && files.length > 0 && !words.includes('-'))
  const pieces = takesInput ? scope.input : files.flatMap((path) => textOf(machine, path))
  for (const piece of [...pieces]) if (!isUnknownOutput(piece)) machine.emit(isCat ? piece : doubted(piece), scope)
  if (pieces.length === 0 || pieces.some(isUnknownOutput)) machine.emitUnknown(scope)
}

/** A command that does something with its words and its input. */
export function act(machine: Machine, { name, words, fields, scope }: Call): Status {
  const told = toldWords(name, words)
  const done = weakest(mayAct(machine, name, words) ? 'done' : 'unsure', scope.use)
  const inMessage = machine.context.tells === true ? weakest('unsure', scope.use) : 'told'
  const acting: string[] = []
  for (const [at, field] of fields.entries()) {
    if (told.has(at)) mention(machine, field, inMessage, 'told')
    else if (readsAsProse(field.text) || isLeftOut(machine, field.text, words[at - 1] ?? ''))
      mention(machine, field, weakest('unsure', scope.use), 'unsure')
    else {
      acting.push(field.text)
      machine.record.addPattern(field.text)
      machine.paint(field.start, field.end, done)
    }
  }
  machine.record.say(acting.join(' '), done, 'unsure')
  // An unknown program may run the command that it is given; a known one would have been skipped as a wrapper.
  if (scope.use === 'done' && (!isCommandName(name) || words[0]?.includes('/') === true)) machine.record.addLine(acting)
  const tells = told.size > 0 || (name === 'git' && subcommandOf(words) === 'commit')
  for (const piece of scope.input) take(machine, piece, tells ? inMessage : done, tells ? 'told' : 'unsure')
  return null
}

/** Whether an option keeps the command away from the word: `--exclude=x`, `--ignore x`, not `--exclude=y x`; but where an instruction names that option. */
function isLeftOut({ context }: Machine, word: string, before: string): boolean {
  const option = word.startsWith('--') ? word : before.includes('=') ? '' : before
  return LEAVES_OUT.test(option) && !context.says(option.split('=', 1)[0] ?? '')
}

/** Whether it does with its words what an instruction may ask for, and not the opposite. */
function mayAct(machine: Machine, name: string, words: readonly string[]): boolean {
  const { undoes, says } = machine.context
  const away = takesAway(name, words)
  const isOpposite = undoes === true ? KEEPING.has(name) && !away && !says(name) : away
  return !isOpposite && knownToAct(machine, name, words)
}

/** What they are given is still there afterwards. */
const KEEPING: ReadonlySet<string> = new Set('cp tar zip rsync chmod chattr chown mv touch install'.split(' '))

/** Whether the program is one that changes something, or one that the instruction speaks of: what others do with a word is not known. */
function knownToAct(machine: Machine, name: string, words: readonly string[]): boolean {
  if (machine.context.says(name)) return true
  return isCommandName(words[0] ?? name) && !words.slice(1, 4).some((word) => LOOKING_WORDS.has(word))
}

const LOOKING_WORDS: ReadonlySet<string> = new Set(
  'list ls show info search get query status describe find view inspect tree audit outdated why explain --get --list --list-keys --query -Ss -Q -Qi -R'.split(
    ' ',
  ),
)

/** A piece of the input of a command that acts: `asString` for a string in it, `asCommand` for a command in it. */
function take(machine: Machine, piece: Piece, asString: Taken, asCommand: Taken): void {
  const use = piece.doubt === 'printed' ? weakest(asString, 'unsure') : asString
  if (use === 'told' && asCommand === 'told') machine.tell(piece)
  else {
    machine.record.say(piece.text, use, asCommand)
    machine.paint(piece.start, piece.end, use, piece.frame)
  }
}

/**
 * Commands that take away, stop or block what they are given. Where an instruction asks to set something up, a word of it in such a command is
 * rather its opposite; a whole command that is an anchor itself is compared by its words and does not come here.
 */
const PROGRAMS: ReadonlySet<string> = new Set('rm rmdir unlink shred trash kill pkill killall fuser'.split(' '))
const SUBCOMMANDS: ReadonlySet<string> = new Set(
  'uninstall remove rm purge delete del destroy disable stop down unset revoke prune autoremove unlink deactivate'.split(
    ' ',
  ),
)

function takesAway(name: string, words: readonly string[]): boolean {
  if (PROGRAMS.has(name)) return true
  const sub = name === 'git' ? subcommandOf(words) : null
  if (sub === 'restore' || (sub === 'checkout' && words.includes('--'))) return true
  if (name === 'chmod') return words.some((word) => /^[augo]*-[rwx]+$/u.test(word) || word === '000')
  return words.slice(1, 4).some((word) => SUBCOMMANDS.has(word))
}

/** Places of words that are only told to people, in a command that does something: messages of commits and issues. */
function toldWords(name: string, words: readonly string[]): ReadonlySet<number> {
  const told = new Set<number>()
  const sub = subcommandOf(words)
  if (name === 'gh' && sub === 'api') return told
  const options = [...listOf(MESSAGE_OPTIONS, name), ...listOf(MESSAGE_OPTIONS, `${name} ${sub ?? ''}`)]
  if (options.length === 0) return told
  for (const [at, word] of words.entries()) {
    if (options.includes(word) || (options.includes('-m') && MESSAGE_CLUSTER.test(word))) told.add(at + 1)
    else if (
      options.some((option) => (option.startsWith('--') ? word.startsWith(`${option}=`) : isGlued(word, option)))
    )
      told.add(at)
  }
  return told
}

/** `-qm 'message'` */
const MESSAGE_CLUSTER = /^-[a-zA-Z]{1,5}m$/u

const isGlued = (word: string, option: string): boolean =>
  option.length === 2 && word.startsWith(option) && word.length > 2

const PROSE_WORDS = 4

/** Whether it is a sentence to people: several words of a language. */
function readsAsProse(text: string): boolean {
  let words = 0
  for (const word of text.split(/\s/u))
    if (/^["'([{]{0,3}\p{L}[\p{L}'’]*["')\]},.;:!?]{0,5}$/u.test(word) && ++words === PROSE_WORDS) return true
  return false
}
