import { lazy } from '../result.ts'
import { parseTexts } from '../text/json.ts'
import { foldText } from '../text/normal-text.ts'
import { indexOfWord } from '../text/search.ts'
import { baseName, isAddress, wordSet } from '../words.ts'
import { type CommandList, listCommands } from './list-commands.ts'
import type { Anchor, AnchorCommand } from './match-command.ts'
import { holdsAll, isSet, mayBeMade, ownWordsOf, readAnchor, useOfCommands } from './match-command.ts'
import {
  fileOf,
  isForPeople,
  isKept,
  reachesSystem,
  readKeystrokes,
  setsUp,
  shellScript,
  takesKeys,
} from './programs.ts'
import type { Certainty, ScriptContext, SimpleCommand, Use } from './script.ts'
import {
  INTERPRETERS,
  isDone,
  isOption,
  mayTurn,
  SHELLS,
  strongest,
  WEB_CLIENTS,
  weakest,
  withoutMessages,
} from './script.ts'
import { type Content, readContent, useOfNeedle, withoutComments } from './written-text.ts'

/** Uses of strings in a script. */
export type ShellReading = ReturnType<typeof readScript>

const NO_EFFECTS = { changesShell: false, opensProgram: false, isMoved: false, isInScratch: false }

/** The reading of a script behind the bound: the script may do anything. */
export const UNREAD: ShellReading = {
  ...{ outputs: () => [], isPlain: () => false, isOpaque: () => false, prints: () => false, setsUp: () => false },
  ...{ effects: () => NO_EFFECTS, isHidden: () => false, runsOneOf: () => false },
  ...{ useOf: () => 'maybe', useAt: () => 'maybe', looksAt: () => false, takes: () => false, actsAgain: () => false },
  actsBy: () => true,
}

type ScriptLanguage = 'shell' | 'keystrokes' | 'argv' | 'code' | 'javascript'

/** Reads a script: shell text, keys typed into a terminal, the JSON list of a program and its arguments, or code of another language. */
export function readShell(text: string, language: ScriptLanguage, context: ScriptContext): ShellReading {
  switch (language) {
    case 'code':
    case 'javascript':
      return readCode(text, language === 'code' ? 'cell.py' : 'cell.js')
    case 'argv': {
      const words = parseTexts(text) ?? []
      const isText = words.length === 0
      return readScript({ text, isExact: isText }, () => listCommands(isText ? text : words), context)
    }
    case 'keystrokes':
      return readKeys(text, context)
    case 'shell':
      return readScript({ text, isExact: true }, () => listCommands(text), context)
  }
}

/** Reads typed lines; behind a program that takes the keys, and where a key does something else, they may do anything. */
function readKeys(text: string, context: ScriptContext): ShellReading {
  const { script, isEntered } = readKeystrokes(text)
  const takes = ({ name, words, texts, inputs, outputs, isRedirected }: SimpleCommand): boolean =>
    texts.length + inputs.length === 0 && (!isRedirected || outputs.some(isKept)) && takesKeys(name, words)
  const listKeys = (): CommandList => {
    const list = listCommands(script)
    list.most = isEntered && list.isWhole && !list.commands.slice(0, -1).some(takes) ? 'sure' : 'maybe'
    return list
  }
  const isExact = script === text
  return readScript({ text: isExact || isEntered ? script : `${script}\n${text}`, isExact }, listKeys, context)
}

/** Reads code of another language: whether its strings are run is not known. */
function readCode(text: string, path: string): ShellReading {
  const { live, comments } = withoutComments(path, text)
  const [folded, foldedComments] = [foldText(live), foldText(comments)]
  const lower = lazy(() => folded.toLowerCase())
  return {
    ...UNREAD,
    useOf(anchor) {
      const { needle, words } = readAnchor(anchor)
      if (useOfNeedle(folded, needle) !== 'absent' || mayBeMade(folded, words)) return 'maybe'
      return useOfNeedle(foldedComments, needle) === 'absent' ? 'absent' : 'told'
    },
    prints: () => true,
    // A path is as often read as changed.
    takes: (wanted) => wanted.some((word) => indexOfWord(lower(), word) !== -1),
  }
}

/** Files of one command whose text is read. */
const MOST_OUTPUTS = 8

interface ScriptSource {
  readonly text: string
  /** Places of commands are places of the source. */
  readonly isExact: boolean
}

/** Signs of process substitutions, whose commands are not listed in the head of a loop, and of settings; of words that are put together. */
const SETS = /[<>]\(|=/u
const MAKES_WORDS = /[$`*?{[]|\b(?:xargs|parallel|eval|sed|awk)\b|\b(?:python3?|perl|ruby|node)\s+(?:-(?!m\s)|<<)/u

/** Programs that do no more than their words say. */
const CLOSED = wordSet('cd cp chmod chown ln mkdir mv popd pushd rm rmdir touch')
/** Signs of words that a script has in another form: decoders, shells that are fed, the history. */
const HIDES_WORDS = /\b(?:base(?:32|64)|xxd|rev|tr|openssl|gpg|uudecode|z?sh|bash)\b|(?:^|[\s;|&])!/u

/** Signs by which the words of a script stand in another form in its source. */
const QUOTES = /["'\\]/g
const CODED_WORD = /\$["']|\\\n|[^\t\n -~]/

/** Reads a script by the list of its commands, which is made where the source alone does not tell the answer. */
function readScript(source: ScriptSource, makeList: () => CommandList, context: ScriptContext) {
  const list = lazy(makeList)
  const folded = lazy(() => foldText(spread(source.text)))
  /** The source without quotes, which holds every word of the commands; empty where no such text is known. */
  const bare = lazy(() => (source.isExact && !CODED_WORD.test(source.text) ? source.text.replace(QUOTES, '') : ''))
  /** The folded source without its comments. */
  const live = lazy(() => foldText(withoutComments('x.sh', spread(source.text)).live))
  const texts = lazy(() => list().commands.map(foldCommand))
  /** The folded source and the words of its commands. */
  const all = lazy(() => [folded(), ...texts().flatMap(({ words, messages }) => [words, messages])].join('\n'))
  const isKnown = lazy(() => !list().isOpen && list().most !== 'maybe')
  /** Tells whether looking commands of the script can only look: all are read, and the words of those in a condition are fixed. */
  const isRead = () =>
    isKnown() || (list().most !== 'maybe' && !MAKES_WORDS.test(source.text) && !SETS.test(source.text))
  const makesWords = lazy(() => !isKnown() || MAKES_WORDS.test(source.text))
  const writes = lazy(() =>
    list().commands.flatMap((command) => {
      const paths = command.texts.length === 0 ? [] : command.outputs.filter(isKept).slice(0, MOST_OUTPUTS)
      const contentOf = (path: string): Content => readContent(command.texts.join('\n'), path, context)
      return paths.map((path) => ({ content: contentOf(path), runs: command.runs }))
    }),
  )
  /** Tells whether the words of the commands may hold one of the strings. Linear, without the list. */
  const mayHold = (strings: readonly string[]): boolean =>
    bare() === '' || strings.some((string) => bare().includes(string.replace(QUOTES, '')))

  const findUse = (anchor: Anchor): Use => {
    const { commands, isOpen, most } = list()
    // The anchor of several commands may be the very script.
    const isScript = (anchor.commands ?? []).length > 1 && source.text.trim() === anchor.text.trim()
    const run = strongest(useOfCommands(commands, anchor), isScript ? 'sure' : 'absent')
    if (isDone(run)) return weakest(isOpen ? 'sure' : run, most)
    if (run === 'maybe' && isOther(anchor)) return 'absent'
    const inWords = mayStandIn(all(), anchor)
      ? commands.map((command, index) => useOfText(command, texts()[index] ?? NO_TEXT, anchor, context))
      : []
    const inFiles = writes().map((written) => weakest(written.content.useOf(anchor.text), written.runs))
    const listed = [run, ...inWords, ...inFiles].reduce<Use>(strongest, 'absent')
    const isHere = useOfNeedle(folded(), anchor.needle) !== 'absent'
    // Nothing acts on words that commands which only look put together.
    if (isRead() && commands.every(({ names }) => names === 'told'))
      return strongest<Use>(listed, isHere ? 'told' : 'absent')
    return bounded(weakest(listed, most), anchor, isHere)
  }
  /** Tells whether the only command of the script is another given command, and not the anchor's in other options. */
  const isOther = ({ text }: Anchor): boolean => {
    const [line = '', ...others] = list().commands.map((command) => command.line)
    return others.length === 0 && line !== text && context.isGiven(line) && isKnown() && !makesWords()
  }
  /** Lists the words of an anchor that tell of its act; the words of others do, too, in a script that runs made words, or acts on words that only the shell knows. */
  const ownWords = (anchor: Anchor): readonly string[] => {
    // A pattern, quoted or not, may stand for the anchor's target.
    const mayHide = (command: SimpleCommand): boolean =>
      mayRunCode(command) ||
      (command.kind === 'does' && (!command.isFixed || command.words.some((word) => /[*?{[(]/u.test(word))))
    return isKnown() && !list().commands.some(mayHide) ? ownWordsOf(anchor, context) : anchor.words
  }
  /** Bounds a use by the unknowns of the script. */
  const bounded = (listed: Use, anchor: Anchor, isHere: boolean): Use => {
    const { isOpen, isWhole } = list()
    let use = listed
    // Outside of comments, a loop or a setting may hand on a string that no command has.
    if (isHere && useOfNeedle(live(), anchor.needle) === 'absent') use = strongest<Use>(use, 'told')
    else if (use === 'absent' && isHere) use = 'maybe'
    if (use === 'told' && (isOpen || !isWhole)) return 'maybe'
    return use === 'absent' && makesWords() && mayBeMade(folded(), ownWords(anchor)) ? 'maybe' : use
  }
  /** Tells whether a command is given, or only looks or tells, and runs no other program. */
  const isClosed = (command: SimpleCommand): boolean => {
    const { kind, words, line, isFixed } = command
    if (!isFixed || (kind !== 'looks' && reachesSystem(command))) return false
    if (context.isGiven(line) || CLOSED.has(command.name)) return true
    return kind !== 'does' && !isSet(command) && !words.some((word) => OTHER_PROGRAM.test(word))
  }
  /** Tells whether a command of a kind has an anchor among its words. */
  const holds = (anchor: string, where: 'own' | 'words', of: SimpleCommand['kind']): boolean => {
    const { needle } = readAnchor(anchor)
    return list().commands.some(
      ({ kind }, index) => kind === of && useOfNeedle(texts()[index]?.[where] ?? '', needle) !== 'absent',
    )
  }

  return {
    /** All words of the commands are known as they stand in the text, and no command runs another that only a file or a service knows. */
    isPlain: lazy(() => !makesWords() && !HIDES_WORDS.test(source.text) && list().commands.every(isClosed)),
    /** A shell takes commands from a pipe or a file, or a recipe of the project runs: the record does not show the commands. */
    isOpaque: (): boolean =>
      mayHold(OPAQUE) && list().commands.some((one) => isFedShell(one) || runsRecipe(one, context)),
    /** Tells whether a command runs one of the files, by their names: a shell, an interpreter, or the file itself. */
    runsOneOf: (files: ReadonlySet<string>): boolean =>
      list().commands.some(({ name, words }) => {
        const isReader = SHELLS.has(name) || INTERPRETERS.has(name) || name === 'source'
        const file = isReader ? fileOf(words) : words[0]?.includes('/') ? words[0] : null
        return file != null && files.has(baseName(file))
      }),
    /** Files that the script writes. */
    outputs: (): readonly string[] => list().commands.flatMap(({ outputs }) => outputs),
    /** Effects on commands of later scripts, where the shell lives on. */
    effects: list as () => Pick<CommandList, keyof typeof NO_EFFECTS>,
    /** Answers the use of a string. */
    useOf(string: string): Use {
      const anchor = readAnchor(string)
      const { pieces } = anchor
      const isHere = mayHold(pieces) && pieces.some((piece) => all().includes(piece))
      return isHere ? weakest(findUse(anchor), anchor.most) : 'absent'
    },
    /** Answers the most that a range of the source proves. */
    useAt(start: number, end: number): Certainty {
      if (!source.isExact) return 'maybe'
      const names = list()
        .commands.filter((one) => start < one.end && end > one.start)
        .map((one) => one.names)
      const use = names.reduce<Certainty>(strongest, 'told')
      const { isOpen, isWhole, most } = list()
      return use === 'told' && (isOpen || !isWhole) ? 'maybe' : weakest(use, most)
    },
    /** Tells whether a command that only looks has the text among its words. */
    looksAt: (anchor: string): boolean => holds(anchor, 'own', 'looks'),
    /** Tells whether a command that may act has one of the words in its words, texts or outputs; `isFollowed`: a later command names a file that the script writes. */
    takes(wanted: readonly string[], isFollowed: boolean): boolean {
      if (bare() !== '' && !wanted.some((word) => bare().toLowerCase().includes(word))) return false
      const isIn = (text: string): boolean => wanted.some((word) => indexOfWord(text.toLowerCase(), word) !== -1)
      if (list().isOpen && !isRead() && isIn(live())) return true
      // A command may take what another tells from a pipe.
      const isPiped =
        source.text.includes('|') && list().commands.some((one) => one.kind === 'does' && one.isRedirected)
      return list().commands.some((command, index) => {
        const { kind, names, outputs } = command
        const passes = isFollowed && outputs.some((path) => isKept(path) && !isForPeople(path))
        const acts = kind === 'does' || passes || (kind === 'tells' && (isPiped || reachesSystem(command)))
        return (
          acts && (names !== 'told' || passes || isPiped) && isIn([texts()[index]?.words ?? '', ...outputs].join(' '))
        )
      })
    },
    /** Tells whether a command that prints has the text among its words. */
    prints: (anchor: string): boolean => holds(anchor, 'words', 'tells'),
    /** Tells whether a command, in front of the first that holds `before`, sets up a program, puts a file in its place or gives its name away. */
    setsUp(program: string, before = ''): boolean {
      const { commands } = list()
      const own = before === '' ? -1 : commands.findIndex(({ line }) => line.includes(before))
      return (own === -1 ? commands : commands.slice(0, own)).some((command) => setsUp(program, command))
    },
    /** Tells whether a command of the program does more than look. */
    actsBy: (program: string): boolean => list().commands.some((one) => one.kind === 'does' && one.name === program),
    /** Tells whether another command of a command's program acts on an operand of the command; `isBehind`: behind the command itself. */
    actsAgain(anchor: string, isBehind: boolean): boolean {
      const { commands, pieces } = readAnchor(anchor)
      if (commands === null || !mayHold(pieces)) return false
      const all = list().commands
      return commands.some((wanted) => {
        const own = all.findIndex(({ line }) => line === wanted.line)
        if (isBehind && own === -1) return false
        return all.slice(isBehind ? own + 1 : 0).some((one) => mayTakeBack(one, wanted))
      })
    },
    /** Tells whether the script may hide the failure of a program of a command. */
    isHidden(anchor: string): boolean {
      const { programs } = readAnchor(anchor)
      return list().most !== 'whole' || list().commands.some((one) => !one.isReported && programs.includes(one.name))
    },
  }
}

/** Tells whether a command is a shell whose commands stand in no word and no text of the script. */
const isFedShell = ({ name, words, exact, texts, isRedirected }: SimpleCommand): boolean =>
  name === 'eval'
    ? exact === null
    : SHELLS.has(name) && isRedirected && texts.length === 0 && shellScript(words) === null && fileOf(words) === null

/** Tells whether a command acts by the program of another, in other words, on one of its operands; its first operand may be a subcommand. */
function mayTakeBack({ name, words, line, kind }: SimpleCommand, wanted: AnchorCommand): boolean {
  const plain = wanted.words.slice(1).filter((word) => !isOption(word))
  const operands = plain.length > 1 ? plain.slice(1) : plain
  const isOther = name === wanted.name && kind === 'does' && line !== wanted.line
  return isOther && words.slice(1).some((word) => operands.includes(word))
}

const RECIPE =
  /^(?:make|just|task|rake|invoke|(?:npm|pnpm|yarn|bun) run) ((?:deploy|release|publish|push|ship|send|upload|purge|wipe|reset|destroy|drop|notify|announce|migrate|seed|stage|sync|restore|go)[\w:.-]*)(?: |$)/u

/** Programs of which each opaque command has one. */
const OPAQUE: readonly string[] = ['sh', 'eval', ...'make just task rake invoke npm pnpm yarn bun'.split(' ')]

/** Tells whether a command runs a recipe of the project that no instruction names and whose name says that it reaches out: the record does not show its acts. */
function runsRecipe({ name, words, runs }: SimpleCommand, context: ScriptContext): boolean {
  const line = [name, ...words.slice(1)].filter((word) => !isOption(word)).join(' ')
  const [, recipe] = (runs === 'told' ? null : RECIPE.exec(line)) ?? []
  return recipe !== undefined && !context.says(recipe, '')
}

/** Words by which a command that looks may run another program: values of options, options that name a program, programs of the folder. */
const OTHER_PROGRAM =
  /^-c$|^-.*=|\.\/|^--?(?:pre|pager|exec|ext|external|program|command|open|hostname-bin|post-renderer|toolexec)/u

/** Tells whether a command may run code, by its words or by an option of its interpreter. An edit by `sed` stands in its words. */
const mayRunCode = ({ name, names, words: [, first = ''] }: SimpleCommand): boolean =>
  (names === 'maybe' && name !== 'sed') || (INTERPRETERS.has(name) && isOption(first) && first !== '-m')

/** Tells whether a command may have the words of an anchor; a script of many commands is searched once for most anchors. */
function mayStandIn(all: string, { needle, words }: Anchor): boolean {
  const lastPiece = (word: string): string => word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('=')) + 1)
  return all.includes(needle) || words.every((word) => isOption(word) || all.includes(lastPiece(word)))
}

/** Answers the use of a string in the words of a command: an act only where the instruction names the program. */
function useOfText(command: SimpleCommand, text: CommandText, anchor: Anchor, context: ScriptContext): Use {
  const { needle, kind } = anchor
  const { name, names, words, outputs, runs } = command
  if (visits(command, anchor.text)) return weakest(runs, 'sure')
  const says = (word: string): boolean => context.says(word, anchor.text)
  const isNamed = says(name) && words.every((word) => !mayTurn(word) || says(word))
  const most = weakest(names, kind === 'asCommand' || command.kind !== 'does' || !isNamed ? 'maybe' : 'sure')
  const inWords = useOfNeedle(text.words, needle)
  const mayHold = command.kind === 'does' && holdsAll(command, anchor.words)
  const held: Use = inWords === 'absent' && mayHold ? weakest(names, 'maybe') : weakest<Use, Use>(inWords, most)
  const inOutputs = useOfNeedle(foldText(outputs.join('\n')), needle)
  const written = weakest(weakest<Use, Use>(inOutputs, runs), kind === 'asCommand' ? 'maybe' : 'sure')
  const isMessage = useOfNeedle(text.messages, needle) !== 'absent'
  const inMessages: Use = !isMessage ? 'absent' : kind === 'asString' ? 'maybe' : 'told'
  return [held, written, inMessages].reduce<Use>(strongest, 'absent')
}

/** Tells whether a command fetches the very address, beside which only options stand; others ask for the head alone, or by another method. */
function visits({ name, words, isDry }: SimpleCommand, text: string): boolean {
  if (!isAddress(text.trim()) || !WEB_CLIENTS.has(name) || isDry) return false
  const operands = words.slice(1).filter((word) => !isOption(word))
  const isTurned = words.some((word) => mayTurn(word) || /^-[a-zA-Z]*[IX]|^--(?:head|request)/u.test(word))
  return operands.length === 1 && operands[0] === text.trim() && !isTurned
}

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

const NO_TEXT: CommandText = { words: '', own: '', messages: '' }

function foldCommand({ name, words, texts }: SimpleCommand): CommandText {
  const { rest, messages } = withoutMessages(name, words)
  const own = foldText(spread(rest.join(' ')))
  const all = texts.length === 0 ? own : [own, foldText(spread(texts.join(' ')))].join(' ')
  return { words: all, own, messages: foldText(messages.join(' ')) }
}
