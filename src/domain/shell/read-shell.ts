import { foldForSearch, foldWhole } from '../text/search.ts'
import { wordSet } from '../words.ts'
import { type Anchor, type AnchorCommand, programsOf, readAnchor } from './anchor.ts'
import { mayTurn, withoutMessages } from './command-kinds.ts'
import { isOption } from './command-table.ts'
import { withoutComments } from './file-kinds.ts'
import { readKeystrokes } from './keystrokes.ts'
import { type CommandList, listCommands, listWords, type SimpleCommand } from './list-commands.ts'
import { holdsAll, matchCommand, standInOrder } from './match-command.ts'
import { isKept, setsUp } from './programs.ts'
import { type Content, readContent, useOfNeedles } from './read-content.ts'
import { type Certainty, type ScriptContext, strongest, type Use, weakest } from './use.ts'

export { readContent, readEdit } from './read-content.ts'

/** Uses of strings in a script. */
export interface ShellReading extends Content {
  /** The most that a range of the source proves. */
  useAt(start: number, end: number): Certainty
  /** Tells whether a command that only looks has the text among its words. */
  looksAt(text: string): boolean
  /** All words of the commands are known as they stand in the text, and no command runs another that only a file or a service knows. */
  readonly isPlain: boolean
  /** Tells whether a command that prints has the text among its words. */
  prints(text: string): boolean
  /** Files that the script runs, or takes commands from. */
  readonly runs: readonly string[]
  /** Files that the script writes. */
  readonly outputs: readonly string[]
  /** Effects on commands of later scripts, where the shell lives on. */
  readonly effects: LastingEffects
  /**
   * Tells whether a command sets up a program, puts a file in its place or gives its name away; only commands in front of the first that holds
   * `before`.
   */
  setsUp(program: string, before?: string): boolean
  /** Lists the programs of a command whose failure the script may hide. */
  unreported(text: string): readonly string[]
}

export type LastingEffects = Pick<CommandList, 'changesShell' | 'opensProgram' | 'isMoved' | 'isInScratch'>

const NO_EFFECTS: LastingEffects = { changesShell: false, opensProgram: false, isMoved: false, isInScratch: false }

/** The reading of a script behind the bound: the script may do anything. */
export const UNREAD: ShellReading = {
  ...{ runs: [], outputs: [], isPlain: false, prints: () => false, unreported: () => [] },
  ...{ effects: NO_EFFECTS, setsUp: () => false },
  ...{ useOf: () => 'maybe', useAt: () => 'maybe', looksAt: () => false },
}

export type ScriptLanguage = 'shell' | 'keystrokes' | 'argv' | 'code' | 'javascript'

/** Reads a script: shell text, keys typed into a terminal, the JSON list of a program and its arguments, or code of another language. */
export function readShell(text: string, language: ScriptLanguage, context: ScriptContext): ShellReading {
  switch (language) {
    case 'code':
    case 'javascript':
      return readCode(text, language === 'code' ? 'cell.py' : 'cell.js')
    case 'argv': {
      const words = wordsOf(text)
      const list = words === null ? listCommands(text) : listWords(words)
      return new Script({ text, isExact: words === null, most: 'whole' }, list, context)
    }
    case 'keystrokes': {
      const { script, isPlain, erased } = readKeystrokes(text)
      const isExact = script === text
      const all = isExact ? text : [script, isPlain ? erased.map((line) => `# ${line}`) : text].flat().join('\n')
      return new Script({ text: all, isExact, most: isPlain ? 'sure' : 'maybe' }, listCommands(script), context)
    }
    case 'shell':
      return new Script({ text, isExact: true, most: 'whole' }, listCommands(text), context)
  }
}

function wordsOf(text: string): string[] | null {
  try {
    const value: unknown = JSON.parse(text)
    const isList = Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string')
    return isList ? value : null
  } catch {
    return null
  }
}

const SCRIPT_NAME = /["'`/\s]([\w.-]{1,100}\.(?:sh|bash|py|js|mjs|rb|pl))\b/gu

/** Reads code of another language: whether its strings are run is not known. */
function readCode(text: string, path: string): ShellReading {
  const { live, comments } = withoutComments(path, text)
  const [folded, foldedComments] = [foldWhole(live), foldWhole(comments)]
  return {
    ...UNREAD,
    useOf(anchor) {
      const { needles, words } = readAnchor(anchor)
      if (useOfNeedles(folded, needles) !== 'absent' || mayBeMade(folded, words, true)) return 'maybe'
      return useOfNeedles(foldedComments, needles) === 'absent' ? 'absent' : 'told'
    },
    prints: () => true,
    runs: [...live.matchAll(SCRIPT_NAME)].map(([, name = '']) => name),
  }
}

/** Files of one command whose text is read. */
const MOST_OUTPUTS = 8

interface ScriptSource {
  readonly text: string
  /** Places of commands are places of the source. */
  readonly isExact: boolean
  /** The most that the script proves. */
  readonly most: Certainty
}

/** Commands that look at no content. */
const ASKING = new Set(['[', 'test', '[['])
/** Signs of words that are put together when the script runs. */
const MAKES_WORDS = /[$`*?{[]|\b(?:xargs|parallel|eval|sed|awk)\b|\b(?:python3?|perl|ruby|node)\s+(?:-|<<)/u

/** Programs that do no more than their words say. */
const CLOSED = wordSet('cd cp chmod chown ln mkdir mv popd pushd rm rmdir touch')
const isClosed = ({ kind, name, words, isFixed }: SimpleCommand, { isGiven }: ScriptContext): boolean =>
  isFixed && (kind !== 'does' || CLOSED.has(name) || isGiven(words.join(' ')))

/** Signs of words that a script has in another form: decoders, shells that are fed, the history. */
const HIDES_WORDS = /\b(?:base(?:32|64)|xxd|rev|tr|openssl|gpg|uudecode|z?sh|bash)\b|(?:^|[\s;|&])!/u

class Script implements ShellReading {
  readonly isPlain: boolean
  readonly runs: readonly string[]
  readonly outputs: readonly string[]
  readonly effects: LastingEffects
  private readonly source: ScriptSource
  private readonly list: CommandList
  private readonly context: ScriptContext
  private readonly most: Certainty
  private readonly uses = new Map<string, Use>()
  private readonly texts: readonly CommandText[]
  private readonly writes: readonly { readonly content: Content; readonly runs: Certainty }[]
  private readonly folded: string
  /** The folded source without its comments. */
  private readonly live: string
  /** The folded source and the words of its commands. */
  private readonly all: string
  private readonly makesWords: boolean

  constructor(source: ScriptSource, list: CommandList, context: ScriptContext) {
    const { commands, isWhole, isOpen } = list
    this.source = source
    this.list = list
    this.context = context
    this.most = isWhole ? source.most : 'maybe'
    const text = spread(source.text)
    this.folded = foldWhole(text)
    this.live = foldWhole(withoutComments('x.sh', text).live)
    this.makesWords = isOpen || source.most === 'maybe' || MAKES_WORDS.test(source.text)
    this.runs = commands.flatMap(({ runsFiles }) => runsFiles)
    const isKnown = !this.makesWords && this.runs.length === 0 && !HIDES_WORDS.test(source.text)
    this.isPlain = isWhole && isKnown && commands.every((command) => isClosed(command, context))
    this.outputs = commands.flatMap(({ outputs }) => outputs)
    this.effects = list
    this.texts = commands.map(foldCommand)
    this.all = [this.folded, ...this.texts.flatMap(({ words, messages }) => [words, messages])].join('\n')
    this.writes = commands.flatMap(({ texts, outputs, runs }) =>
      texts.length === 0
        ? []
        : outputs
            .filter(isKept)
            .slice(0, MOST_OUTPUTS)
            .map((path) => ({ content: readContent(texts.join('\n'), path, context), runs })),
    )
  }

  useOf(text: string): Use {
    const use = this.uses.get(text) ?? weakest(this.findUse(readAnchor(text)), limitOf(text))
    this.uses.set(text, use)
    return use
  }

  useAt(start: number, end: number): Certainty {
    const { text, isExact } = this.source
    // The words of an argv stand in quotes of their own.
    const quote = isExact ? '' : foldForSearch(text.slice(start, end).replaceAll('","', ' ').replaceAll('\\"', '"'))
    const use = this.list.commands.reduce<Use>((most, command, index) => {
      const isIn = isExact ? command.start < end && command.end > start : overlaps(this.texts[index], quote)
      return isIn ? strongest<Use>(most, this.isMessage(index, start, end) ? 'told' : command.names) : most
    }, 'absent')
    if (use === 'absent') return isExact && !this.list.isOpen && this.list.isWhole ? 'told' : 'maybe'
    return use === 'told' && (this.list.isOpen || !this.list.isWhole) ? 'maybe' : weakest(use, this.most)
  }

  private isMessage(index: number, start: number, end: number): boolean {
    const { words = '', messages = '' } = this.texts[index] ?? {}
    const quote = messages === '' ? '' : foldForSearch(this.source.text.slice(start, end))
    return quote !== '' && this.context.tells !== true && messages.includes(quote) && !words.includes(quote)
  }

  looksAt(text: string): boolean {
    const { needles } = readAnchor(text)
    return this.list.commands.some(
      ({ kind, runs, name }, index) =>
        kind === 'looks' &&
        runs !== 'told' &&
        !ASKING.has(name) &&
        useOfNeedles(this.texts[index]?.own ?? '', needles) !== 'absent',
    )
  }

  prints(text: string): boolean {
    const { needles } = readAnchor(text)
    return this.list.commands.some(
      ({ kind }, index) => kind === 'tells' && useOfNeedles(this.texts[index]?.words ?? '', needles) !== 'absent',
    )
  }

  setsUp(program: string, before = ''): boolean {
    const own = before === '' ? -1 : this.list.commands.findIndex(({ words }) => words.join(' ').includes(before))
    const commands = own === -1 ? this.list.commands : this.list.commands.slice(0, own)
    return commands.some((command) => setsUp(program, command))
  }

  unreported(text: string): readonly string[] {
    const isTyped = this.source.most !== 'whole'
    return programsOf(text).filter((name) =>
      this.list.commands.some((one) => one.name === name && (isTyped || !one.isReported)),
    )
  }

  private findUse(anchor: Anchor): Use {
    if (!anchor.pieces.some((piece) => this.all.includes(piece))) return 'absent'
    const run = strongest(this.useOfCommands(anchor.commands ?? []), this.isAnchor(anchor) ? 'sure' : 'absent')
    if (run === 'whole') return this.list.isOpen ? weakest('sure', this.most) : this.most
    if (run === 'sure') return weakest(run, this.most)
    const inWords = this.mayStandInCommand(anchor)
      ? this.list.commands.map((command, index) => this.useOfText(command, this.texts[index], anchor))
      : []
    const inFiles = this.writes.map(({ content, runs }) => weakest(content.useOf(anchor.text), runs))
    const listed = [run, ...inWords, ...inFiles].reduce<Use>(strongest, 'absent')
    return this.bounded(weakest(listed, this.most), anchor, inWords.includes('told'))
  }

  /** Tells whether the anchor of several commands is the very script. */
  private isAnchor({ text, commands }: Anchor): boolean {
    return (
      (commands?.length ?? 0) > 1 &&
      commands?.some(({ kind }) => kind === 'does') === true &&
      this.source.text.trim() === text.trim()
    )
  }

  private useOfCommands(wanted: readonly AnchorCommand[]): Use {
    const { commands } = this.list
    const uses = wanted.map((anchor) =>
      commands.reduce<Use>((use, command) => strongest(use, matchCommand(command, anchor, this.context)), 'absent'),
    )
    const use = uses.reduce<Use>(weakest, uses.length === 0 ? 'absent' : 'whole')
    if (wanted.length < 2) return use
    return standInOrder(commands, wanted) ? 'sure' : weakest(use, 'maybe')
  }

  /** Tells whether a command may have the words of an anchor; a script of many commands is searched once for most anchors. */
  private mayStandInCommand({ needles, printed, words }: Anchor): boolean {
    const isIn = (text: string): boolean => this.all.includes(text)
    const lastPiece = (word: string): string => word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('=')) + 1)
    return needles.some(isIn) || printed.some(isIn) || words.every((word) => isOption(word) || isIn(lastPiece(word)))
  }

  /** Answers the use of a string in the words of a command: an act only where the instruction names the program. */
  private useOfText(
    command: SimpleCommand,
    text: CommandText | undefined,
    { needles, kind, words: wanted, printed, commands }: Anchor,
  ): Use {
    const inMessage = useOfNeedles(text?.messages ?? '', needles) !== 'absent'
    const inWords = useOfNeedles(text?.words ?? '', needles)
    const { name, names, words } = command
    const isNamed = this.context.says(name) && words.every((word) => !mayTurn(word) || this.context.says(word))
    const most = weakest(names, kind === 'asCommand' || command.kind !== 'does' || !isNamed ? 'maybe' : 'sure')
    const isPrinted = useOfNeedles(text?.words ?? '', printed) !== 'absent'
    const mayHold =
      (command.kind === 'does' && holdsAll(command, wanted)) ||
      (isPrinted && names !== 'told' && writesOneOf(command, commands))
    const inOutputs = useOfNeedles(foldWhole(command.outputs.join('\n')), needles)
    const written =
      inOutputs === 'absent'
        ? inOutputs
        : weakest(weakest(inOutputs, command.runs), kind === 'asCommand' ? 'maybe' : 'sure')
    const held: Use = inWords !== 'absent' ? weakest(inWords, most) : mayHold ? weakest(names, 'maybe') : 'absent'
    const use = strongest<Use>(held, written)
    return inMessage ? strongest<Use>(use, this.context.tells && kind === 'asString' ? 'maybe' : 'told') : use
  }

  /** Bounds a use by what is not known of the script. */
  private bounded(listed: Use, { needles, words }: Anchor, isTold: boolean): Use {
    const isHere = useOfNeedles(this.folded, needles) !== 'absent'
    const isInComment = isHere && useOfNeedles(this.live, needles) === 'absent'
    let use = listed
    // Outside of comments, a loop or a setting may hand on a string that no command has.
    if (isInComment) use = strongest<Use>(use, 'told')
    else if (use === 'absent' && isHere) use = isTold ? 'told' : 'maybe'
    if (use === 'told' && (this.list.isOpen || !this.list.isWhole)) return 'maybe'
    if (use === 'absent' && mayBeMade(this.folded, words, this.makesWords || !this.list.isWhole)) return 'maybe'
    return use
  }
}

const writesOneOf = ({ kind, outputs }: SimpleCommand, commands: Anchor['commands']): boolean =>
  kind === 'does' || (commands?.some((wanted) => wanted.outputs.some((path) => outputs.includes(path))) ?? false)

/** A single word is at best `sure`, and a plain word of letters no more than `maybe`. */
function limitOf(text: string): Certainty {
  const word = text.trim()
  if (/\s/u.test(word)) return 'whole'
  return /^\p{L}+$/u.test(word) ? 'maybe' : 'sure'
}

/** Tells whether a script may put the words of an anchor together: it has one of them, or a piece of one. */
const mayBeMade = (folded: string, words: readonly string[], makesWords: boolean): boolean =>
  makesWords &&
  words.some(
    (word) =>
      (word.length > 3 && folded.includes(word)) ||
      (/[/.-]/u.test(word) && word.split(/[/:]/u).some((piece) => piece.length > 3 && folded.includes(piece))),
  )

/** Puts blanks for the line feeds of `printf` and `sed`, and letters in one piece. */
const spread = (text: string): string => text.normalize('NFC').replaceAll(/\\[nt]/gu, ' ')

/** The words of a command that are looked up, folded once. */
interface CommandText {
  /** The words of the command, and the texts that the command passes on. */
  readonly words: string
  /** The words of the command alone. */
  readonly own: string
  /** Words to people. */
  readonly messages: string
}

function foldCommand({ name, words, texts }: SimpleCommand): CommandText {
  const { rest, messages } = withoutMessages(name, words)
  const glued = rest.flatMap((word) => (/^-[A-Za-z]\S*\s/u.test(word) ? [word.slice(2)] : []))
  const own = foldWhole(spread([...rest, ...glued].join(' ')))
  const all = texts.length === 0 ? own : [own, foldWhole(spread(texts.join(' ')))].join(' ')
  return { words: all, own, messages: foldWhole(messages.join(' ')) }
}

const overlaps = (text: CommandText | undefined, quote: string): boolean =>
  text !== undefined &&
  quote !== '' &&
  (text.words.includes(quote) || (text.words.includes(' ') && quote.includes(text.words)))
