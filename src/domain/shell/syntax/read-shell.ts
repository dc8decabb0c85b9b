import { baseName, isAddress, mayBeOneFile, normalPath } from '../../acts/mentions.ts'
import { foldForSearch, foldWhole, indexOfWord } from '../../text/search.ts'
import { commandIn, isDry, kindOf, mayBeDry, runsForFound } from '../commands/command-kinds.ts'
import { isCommandName } from '../commands/command-table.ts'
import { withoutComments } from '../commands/file-kinds.ts'
import { Machine, SCREEN, type Scope } from '../commands/machine.ts'
import { type Anchor, type AnchorCommand, readAnchor } from './anchor.ts'
import { readKeystrokes } from './keystrokes.ts'
import { type Ran, Record, useOfNeedle, type Write } from './record.ts'
import { runFields } from './simple-command.ts'
import { evaluator } from './statements.ts'
import { rankOf, type ScriptContext, strongest, type Taken, type Use, weakest } from './use.ts'
import { holdsWords, isSame, isUnknown, mayHoldWords, turnsMeaning } from './word-match.ts'

/** What is known of a script that writes and runs nothing. */
const NOTHING: Pick<ShellReading, 'runs' | 'mayRun' | 'writes' | 'takesFrom'> = {
  ...{ runs: [], mayRun: new Set(), writes: [], takesFrom: [] },
}

/** A script that is too long to be read, or comes after too much that was: it may do anything. */
export const UNREAD: ShellReading = {
  ...NOTHING,
  useOf: () => 'unsure',
  useAt: () => 'unsure',
  looksAt: () => false,
  isOne: false,
  parsed: false,
}

const TOP: Scope = { use: 'done', out: SCREEN, input: [] }

export function readShell(
  text: string,
  language: 'shell' | 'argv' | 'keystrokes',
  context: ScriptContext,
): ShellReading {
  return language === 'shell' && isPlainLook(text)
    ? readLook(text, () => readWhole(text, language, context))
    : readWhole(text, language, context)
}

function readWhole(text: string, language: 'shell' | 'argv' | 'keystrokes', context: ScriptContext): ShellReading {
  const record = new Record(text.length)
  const machine = new Machine(record, context, evaluator, text)
  const exact = read(machine, text, language)
  const edits = record.edits.map(({ path, text: added, old, use }) => {
    const contents = readEdit([added], [old], path, context)
    return (anchor: string): Use =>
      contents.reduce<Use>((most, one) => strongest(most, weakest(one.useOf(anchor), use)), 'absent')
  })
  return readingOf(text, record, { parsed: !machine.exceeded, exact, broken: machine.broken }, edits)
}

/** Answers whether places in the record are places in the source. */
function read(machine: Machine, text: string, language: 'shell' | 'argv' | 'keystrokes'): boolean {
  const words = language === 'argv' ? wordsOf(text) : null
  if (words !== null) {
    const fields = words.map((word) => ({ text: word, start: 0, end: 0, verbatim: null }))
    machine.within({ start: 0, end: 0 }, () => runFields(machine, fields, TOP))
    return false
  }
  if (language !== 'keystrokes') {
    machine.evaluate.text(machine, text, { shift: 0 }, TOP)
    return true
  }
  const typed = readKeystrokes(text)
  machine.exceeded = typed.exceeded
  for (const one of typed.erased) machine.record.say(one, 'told', 'told')
  for (const { text: one, start } of typed.taken) {
    machine.record.say(one, 'unsure', 'unsure')
    if (typed.exact) machine.paint(start, start + one.length, 'unsure')
  }
  machine.isTyped = true
  machine.evaluate.text(machine, typed.script, typed.exact ? { shift: 0 } : { start: 0, end: 0 }, TOP)
  return typed.exact
}

function wordsOf(text: string): string[] | null {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string') ? value : null
  } catch {
    return null
  }
}

interface Fidelity {
  readonly parsed: boolean
  readonly exact: boolean
  /** The script has an error: what no command got may be another command’s. */
  readonly broken: boolean
}

function readingOf(
  source: string,
  record: Record,
  { parsed, exact, broken }: Fidelity,
  edits: readonly ((anchor: string) => Use)[],
): ShellReading {
  const uses = new Map<string, Use>()
  let folded: string | null = null
  /** A string that no command got: a comment, a branch that is never taken; where there is no saying, `unsure`. */
  const useInSource = ({ needles }: Anchor): Use => {
    const text = folded ?? foldWhole(source)
    folded = text
    // What was not read may put any string together.
    if (!needles.some((needle) => needle !== '' && indexOfWord(text, needle, 0) !== -1))
      return parsed || !isUnknown(source) ? 'absent' : 'unsure'
    return parsed && !broken ? 'told' : 'unsure'
  }
  const findUse = (text: string): Use => {
    const anchor = readAnchor(text)
    const use = edits.reduce((most, edit) => strongest(most, edit(text)), useInRecord(record, anchor))
    const limited = parsed ? use : weakest(use, 'unsure')
    if (rankOf(limited) < rankOf('unsure') && record.mayMatch(anchor.needles)) return 'unsure'
    return limited !== 'absent' && parsed ? limited : strongest<Use>(limited, useInSource(anchor))
  }
  const useOf = (text: string): Use => {
    const use = uses.get(text) ?? findUse(text)
    uses.set(text, use)
    return use
  }
  return {
    useOf,
    useAt(start, end) {
      if (!parsed) return 'unsure'
      if (exact) return record.levelOf(start, end)
      const use = useOf(source.slice(start, end))
      return use === 'absent' ? 'unsure' : use
    },
    looksAt: (text) => record.looksAt(readAnchor(text).needles),
    runs: [...record.runs],
    mayRun: record.mayRun,
    writes: record.writes,
    isOne: !broken && record.isOne,
    takesFrom: [...record.takesFrom],
    parsed,
  }
}

/** The use of an anchor by what the record holds: its commands, then its text. */
function useInRecord(record: Record, anchor: Anchor): Use {
  const run =
    anchor.commands === null ? 'absent' : anchor.commands.map((one) => useOfCommand(record, one)).reduce(weakest)
  if (run === 'done') return run
  const text = record.useOfText(anchor.needles, anchor.kind)
  const best = strongest<Use>(run, text)
  const only = anchor.commands?.length === 1 ? anchor.commands[0] : undefined
  if (only !== undefined && only.words.length > 1 && only.outputs.length === 0 && record.holdsLine(only.words))
    return 'done'
  return best
}

function useOfCommand(record: Record, command: AnchorCommand): Use {
  let best: Use = usePrinted(record, command)
  const askedDry = isDry(command.name, command.words)
  for (const ran of record.named(command.name)) {
    const taken = command.isFed ? (ran.useFed ?? ran.use) : ran.use
    const use = weakest(taken, limitOf(ran, command, askedDry))
    if (rankOf(use) <= rankOf(best) || !sendsTo(ran.outputs, command.outputs)) continue
    if (holdsWords(command.name, ran.words, command.words)) best = use
    else if (mayHoldWords(command.name, ran.words, command.words)) best = strongest<Use>(best, weakest('unsure', use))
  }
  return record.isGuessed(command.name) || record.mayHaveRun(command.words) ? strongest<Use>(best, 'unsure') : best
}

/** What a command of the same program proves at most: it may only look, or do something else or the opposite. */
function limitOf({ words, path, dry }: Ran, { name, words: wanted }: AnchorCommand, askedDry: boolean): Taken {
  if (dry && !askedDry) return 'told'
  if (kindOf(name, wanted) === 'does' && kindOf(name, words) === 'searches') return 'told'
  const isOther = turnsMeaning(name, words, wanted) || mayBeDry(name, words, wanted) || goesElsewhere(words, wanted)
  return isOther || runsOther(name, words, wanted) || isElsewhere(path, wanted[0]) ? 'unsure' : 'done'
}

/** `find -exec echo rm {} +` holds all words of `find -exec rm {} +`. */
const runsOther = (name: string, words: readonly string[], wanted: readonly string[]): boolean =>
  (name === 'find' || name === 'fd') && wanted.some(runsForFound) && programForFound(words) !== programForFound(wanted)

const programForFound = (words: readonly string[]): string =>
  commandIn(words.slice(words.findIndex(runsForFound) + 1)).name

/** A program of the same name in another folder; those that are known by their name are the same anywhere. */
const isElsewhere = (path: string, wanted = ''): boolean =>
  namesFolder(path) && namesFolder(wanted) && !isCommandName(baseName(path)) && !mayBeOneFile(path, wanted)

const namesFolder = (path: string): boolean => normalPath(path).includes('/')

/** An address beside that of the anchor: which of them is asked, and which only told of? */
const goesElsewhere = (words: readonly string[], wanted: readonly string[]): boolean =>
  wanted.some(isAddress) && words.some((word) => isAddress(word) && !wanted.includes(word))

const sendsTo = (outputs: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every(
    (path) => path === '/dev/null' || /^[&\d]/u.test(path) || outputs.some((one) => isSame(path, normalPath(one))),
  )

/** What the command prints into a file; empty: it does not. */
function printedBy({ name, words, outputs }: AnchorCommand): string {
  if ((name !== 'echo' && name !== 'printf') || outputs.length === 0) return ''
  return foldForSearch(
    words
      .slice(1)
      .filter((word) => !/^-[neE]+$/u.test(word))
      .join(' ')
      .replaceAll('\\n', ' '),
  )
}

/** `echo x >> f` is done by whatever writes x into f. */
function usePrinted(record: Record, command: AnchorCommand): Use {
  const text = printedBy(command)
  if (text === '') return 'absent'
  const intoFile = ({ path, text: written, use }: Write): Use =>
    useOfNeedle(foldForSearch(withoutComments(path, written).live), text, use)
  return command.outputs
    .map((output) =>
      record.writes
        .filter(({ path, old }) => path !== null && old === undefined && isSame(output, normalPath(path)))
        .reduce<Use>((use, write) => strongest(use, intoFile(write)), 'absent'),
    )
    .reduce(weakest)
}

/** How often a text holds the string of an anchor, or what its commands print into files. */
function timesIn(text: string, anchor: string): number {
  const folded = foldForSearch(text)
  const { needles, commands } = readAnchor(anchor)
  let times = 0
  for (const needle of [...needles, ...(commands ?? []).map(printedBy)])
    for (let at = -needle.length; needle !== '' && at !== -1; ) {
      at = indexOfWord(folded, needle, at + needle.length)
      if (at !== -1) times++
    }
  return times
}

/** What a written text does with strings. */
export type Content = Pick<ShellReading, 'useOf'>

/** Text that a tool writes into a file, read once for any number of anchors. */
export function readContent(content: string, target: string | null, context: ScriptContext): Content {
  const record = new Record(0)
  const machine = new Machine(record, context, evaluator, content)
  machine.write(target, { text: content, start: 0, end: 0, frame: { start: 0, end: 0 }, verbatim: false }, 'done')
  return { useOf: (anchor) => useInRecord(record, readAnchor(anchor)) }
}

/**
 * What the texts of one edit do, line by line of what stood there before: a line that it keeps or moves is not written by it, and where it only
 * changes one around a string, nobody can tell whether that was meant.
 */
export function readEdit(
  texts: readonly string[],
  old: readonly string[],
  path: string | null,
  context: ScriptContext,
): Content[] {
  const { added, removed } = changedLines(texts, old)
  const contents = added.map((text) => readContent(text, path, context))
  if (removed === '') return contents
  const before = readContent(removed, path, context)
  const all = added.join('\n')
  const stood = new Map<string, boolean>()
  const stoodThere = (string: string): boolean => {
    const known = stood.get(string) ?? timesIn(all, string) <= timesIn(removed, string)
    stood.set(string, known)
    return known
  }
  return contents.map((one) => ({
    useOf: (string) => {
      const use = one.useOf(string)
      return rankOf(use) <= rankOf(before.useOf(string)) && stoodThere(string) ? weakest(use, 'unsure') : use
    },
  }))
}

/** The lines of an edit without those that stand on both sides, each as often as it does. */
function changedLines(texts: readonly string[], old: readonly string[]) {
  const left = new Map<string, number>()
  for (const line of old.flatMap((text) => text.split('\n'))) left.set(line, (left.get(line) ?? 0) + 1)
  const isNew = (line: string): boolean => {
    const times = left.get(line) ?? 0
    if (times > 0) left.set(line, times - 1)
    return times === 0
  }
  const added = texts.map((text) => text.split('\n').filter(isNew).join('\n'))
  const removed = [...left].flatMap(([line, times]) => Array<string>(times).fill(line)).join('\n')
  return { added, removed }
}

/** One command that only looks, without quotes, expansions, redirections or options that write. */
const PLAIN_LOOK =
  /^(?:(?:cat|ls|head|tail|grep|wc|stat|pwd|nl)(?: [\w./:,=@%+-]{1,200}){0,12}|sed -n \d{1,9}(?:,\d{1,9})?p [\w./-]{1,200})$/u
const LONGEST = 400

const isPlainLook = (text: string): boolean => text.length <= LONGEST && PLAIN_LOOK.test(text)

/** Most of what agents type: it writes and runs nothing, and only strings that share a word with it are worth a parser. */
function readLook(text: string, read: () => ShellReading): ShellReading {
  let whole: ShellReading | null = null
  const parse = (): ShellReading => {
    whole ??= read()
    return whole
  }
  const sharesWord = (anchor: string): boolean => {
    const { words, programs } = readAnchor(anchor)
    return words.some((word) => text.includes(word)) || programs.some((name) => text.startsWith(name))
  }
  return {
    ...NOTHING,
    useOf: (anchor) => (sharesWord(anchor) ? parse().useOf(anchor) : 'absent'),
    useAt: (start, end) => parse().useAt(start, end),
    looksAt: (words) => sharesWord(words) && parse().looksAt(words),
    isOne: true,
    parsed: true,
  }
}

/** What a script does, read once for any number of anchors. */
export interface ShellReading {
  /** The strongest use of an anchor: a command, or a string. */
  useOf(anchor: string): Use
  /** What the text at [start, end) of the source is. */
  useAt(start: number, end: number): Taken
  /** Whether a command that only looks has the string among its words: where looking was asked for, that may be the act. */
  looksAt(text: string): boolean
  /** Files that the script runs, as it names them. */
  readonly runs: readonly string[]
  /** Words of commands that may run a file under another name: a module, a test, what code imports. */
  readonly mayRun: ReadonlySet<string>
  /** What the script writes into files, where its text is known. */
  readonly writes: readonly Write[]
  /** It is one simple command: where it failed, it was that which did. */
  readonly isOne: boolean
  /** Files that it did not write, whose text it runs or hands to a command that acts. */
  readonly takesFrom: readonly string[]
  /** False: reading it would take too long, or makes no sense; everything found in it is at best `unsure`. */
  readonly parsed: boolean
}
