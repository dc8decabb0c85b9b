import type { AndOr, Command, CommandNode, Pipeline, Statement, WordPart } from 'unbash'
import { wordSet } from '../words.ts'
import {
  actsOnInput,
  answersNo,
  CHANGING,
  changesShell,
  commandIn,
  copiesOf,
  FED,
  isActivation,
  isKept,
  isScratch,
  mayBeCode,
  probes,
  SHELL_SETTING,
  shellScript,
  takesLines,
  tests,
} from './programs.ts'
import type { Certainty, Kind, ScriptWord, SimpleCommand } from './script.ts'
import {
  bodiesOf,
  exactWords,
  isDry,
  isSystemProgram,
  kindOf,
  parseScript,
  redirectionsOf,
  SHELLS,
  soundUntil,
  weakest,
  wordsOf,
} from './script.ts'

/** Lists the simple commands of a script, or of a command that is given as its words: the script of a shell stands at the top, as if it were typed. */
export function listCommands(source: string | readonly string[]): CommandList {
  const lister = new Lister()
  const words = typeof source === 'string' ? [] : source
  const isShell = SHELLS.has(commandIn(words).name) && isSystemProgram(words[0] ?? '')
  const script = typeof source === 'string' ? source : (isShell && shellScript(words)) || null
  if (script !== null) lister.addScript(script, TOP)
  else lister.addWords({ ...NO_WORDS, words: fixedWords(words) }, TOP)
  if (!lister.isWhole) lister.most = 'maybe'
  return lister
}

/** The surroundings of a command. */
interface Place {
  readonly runs: Certainty
  /** A failure here is a failure of the script. */
  readonly isLast: boolean
  /** The output may reach a file or a command that acts. */
  readonly reaches: boolean
  readonly outputs: readonly string[]
  /** A pipe gives the command its input. */
  readonly isFed?: boolean
  /** Range of the outermost command, within which all commands of its script stand. */
  readonly range: { readonly start: number; readonly end: number } | null
  readonly depth: number
}

/** A command as its words, with its redirections. */
interface WordedCommand extends Pick<SimpleCommand, 'outputs' | 'texts' | 'inputs' | 'start' | 'end'> {
  readonly words: readonly ScriptWord[]
}

const TOP: Place = { runs: 'whole', isLast: true, reaches: false, outputs: [], range: null, depth: 0 }
const NO_WORDS: WordedCommand = { words: [], texts: [], outputs: [], inputs: [], start: 0, end: 0 }
const fixedWords = (words: readonly string[]): ScriptWord[] =>
  words.map((text) => ({ text, exact: text, isFixed: true }))
/** One command without quotes, expansions, patterns, redirections, settings before it and comments: no parser is needed to part its words. */
const PLAIN_COMMAND = /^[\w./:,@%+-]{1,200}(?: (?![A-Za-z_]\w*=)[\w./:,@%+=-]{1,500}){0,50}\n?$/
const KEYWORDS = wordSet('if then else elif fi for while until do done case esac in function select time coproc')
/** Settings without a command. */
const SETTING: Omit<SimpleCommand, 'words' | 'line' | 'outputs' | 'start' | 'end'> = {
  ...{ name: '=', exact: null, isFixed: false, kind: 'does', runs: 'maybe', names: 'maybe', isDry: false },
  ...{ isReported: false, isMoved: false, isRedirected: false, inputs: [], texts: [], changesShell: true },
}
const DEEPEST = 6

/** The operator behind which nothing runs, by the command before it: `false && …`. */
const NEVER_BEHIND: ReadonlyMap<string, string> = new Map(Object.entries({ false: '&&', true: '||', ':': '||' }))
/** Commands that wait for input or keys: a shell may hand them the lines behind. */
const WAITING = wordSet('cat less more man top htop tail watch')
const MOVING = wordSet('cd pushd popd')

/** The commands of a script, in their order. */
export type CommandList = Omit<Lister, 'addScript' | 'addWords'>

class Lister {
  readonly commands: SimpleCommand[] = []
  /** The whole script was parsed. */
  isWhole = true
  /** The most that a command of the script proves. */
  most: Certainty = 'whole'
  /** The script has a function, a loop, a condition, or a command that changes the shell. */
  isOpen = false
  /** A command changes the shell. */
  changesShell = false
  /** A command opens a program that takes the lines behind. */
  opensProgram = false
  /** A command changes the folder. */
  isMoved = false
  /** The last such folder holds a copy or a trial. */
  isInScratch = false
  /** Certainty of what stands behind the commands that are listed. */
  private rest: Certainty = 'whole'
  private readonly functions = new Set<string>()

  addScript(text: string, place: Place): void {
    const words = place.depth <= DEEPEST && PLAIN_COMMAND.test(text) ? text.trimEnd().split(' ') : []
    if (words.length > 0 && !KEYWORDS.has(words[0] ?? '')) {
      this.addWords({ ...NO_WORDS, words: fixedWords(words), end: text.trimEnd().length }, place)
      return
    }
    const script = place.depth > DEEPEST ? null : parseScript(text)
    if (script === null || soundUntil(script) < text.length) this.isWhole = false
    this.addAll(script?.commands ?? [], place)
  }

  private addAll(statements: readonly Statement[], place: Place): void {
    for (const [index, { command, background }] of statements.entries()) {
      // A later signal may end a list in the background before its last command.
      const most = background !== true ? 'whole' : command.type === 'Command' ? 'sure' : 'maybe'
      const isLast = place.isLast && index === statements.length - 1 && most === 'whole'
      this.add(command, { ...place, runs: weakest(place.runs, most), isLast })
    }
  }

  private add(node: AndOr | Pipeline | CommandNode, place: Place): void {
    if (node.type === 'AndOr') this.addChain(node, place)
    else if (node.type === 'Pipeline') this.addPipeline(node, place)
    else if (node.type === 'Command') this.addSimple(node, place)
    else if (node.type === 'Redirected') {
      const { outputs } = redirectionsOf(node.redirects)
      const reaches = place.reaches || outputs.some(isKept)
      this.add(node.command, { ...place, reaches, outputs: outputs.length > 0 ? outputs : place.outputs })
    } else if (node.type === 'Subshell' || node.type === 'BraceGroup')
      this.addAll(node.body.commands, { ...place, runs: weakest(place.runs, 'sure'), isLast: false })
    else this.addOpen(node, place)
  }

  /** Adds `a && b || c`: what stands behind `||`, or behind a command that tests, may not run. */
  private addChain({ commands, operators }: AndOr, place: Place): void {
    const tellsFailure = place.isLast && !operators.includes('||')
    const most = tellsFailure ? 'whole' : 'sure'
    // A failure in front of `||` is expected.
    let runs = weakest(place.runs, operators.includes('||') ? 'sure' : 'whole')
    let isDead = false
    for (const [index, node] of commands.entries()) {
      if (index > 0) runs = weakest(runs, operators[index - 1] === '||' ? 'maybe' : most)
      this.add(node, { ...place, isLast: tellsFailure, runs: isDead ? 'told' : runs })
      const last = node.type === 'Command' ? this.commands.at(-1) : undefined
      isDead ||= index === 0 && operators.every((operator) => operator === NEVER_BEHIND.get(last?.name ?? ''))
      runs = weakest(runs, last === undefined || tests(last) || (!tellsFailure && probes(last)) ? 'maybe' : 'whole')
    }
  }

  private addPipeline({ commands, prefixes }: Pipeline, place: Place): void {
    let { reaches } = place
    const [first] = commands
    const isRefused = first !== undefined && answersNo(first)
    const places = commands.toReversed().map((node, index) => {
      const next = commands[commands.length - index]
      const outputs = next === undefined ? place.outputs : copiesOf(next)
      const isFed = index < commands.length - 1
      const runs = weakest(place.runs, isFed && isRefused ? 'maybe' : 'whole')
      const isLast = place.isLast && prefixes.length === 0 && next === undefined
      const own: Place = { ...place, runs, reaches, outputs, isLast, isFed }
      reaches ||= actsOnInput(node)
      return own
    })
    for (const [index, node] of commands.entries()) this.add(node, places[commands.length - 1 - index] ?? place)
  }

  /** Notes a construct that may run its commands never, once or often: the commands are not listed, and may change the shell. */
  private addOpen(node: CommandNode, place: Place): void {
    this.isOpen = true
    this.changesShell = true
    this.rest = 'maybe'
    if (node.type === 'Function') {
      this.functions.add(node.name.value)
      const { value: line } = node.name
      this.commands.push({ ...SETTING, words: [line], line, outputs: [], start: node.pos, end: node.end })
    }
    for (const body of bodiesOf(node))
      if (body.type === 'CompoundList') this.addAll(body.commands, place)
      else this.add(body, place)
  }

  private addSimple(command: Command, place: Place): void {
    const { name, args, prefix, redirects, pos: start } = command
    const end = redirects.reduce(
      (last, part) => Math.max(last, part.type === 'HereDoc' ? part.body.end : 0),
      command.end,
    )
    const nodes = [...prefix, ...(name ? [name] : []), ...args]
    for (const node of nodes) {
      const word = node.type === 'Assignment' ? node.value : node
      if (word.type === 'Word') this.addSubstitutions(word.parts ?? [], place, { start, end })
    }
    const worded = { words: wordsOf(command), ...redirectionsOf(redirects), start, end }
    if (name === undefined) this.addSetting(worded, place)
    else this.addWords(worded, place)
  }

  /** Adds settings alone: later commands may use their values. */
  private addSetting({ words, outputs, start, end }: WordedCommand, place: Place): void {
    const texts = words.map(({ text }) => text)
    this.commands.push({ ...SETTING, words: texts, line: texts.join(' '), outputs, ...(place.range ?? { start, end }) })
    this.changesShell = true
    // A setting may change what a later command does: no list of such settings is complete.
    this.rest = weakest(this.rest, texts.some((text) => SHELL_SETTING.test(text)) ? 'maybe' : 'sure')
  }

  addWords(command: WordedCommand, place: Place): void {
    const { texts, inputs } = command
    const hasInput = place.isFed === true || texts.length + inputs.length > 0
    const all = command.words.map(({ text }) => text)
    const { name, words } = commandIn(all)
    const wrappers = all.slice(0, all.length - words.length)
    const isUnknown = command.words[wrappers.length]?.isFixed !== true
    const isFed = [name, ...wrappers].some((word) => FED.has(word))
    const exact = exactWords(command.words)
    const isOther = isUnknown || this.functions.has(name) || wrappers.some((word) => SHELL_SETTING.test(word))
    const isChanging = isOther || changesShell(name, words) || wrappers.some((word) => CHANGING.has(word))
    const kind = kindOf(name, words)
    const runs = weakest(weakest(place.runs, this.rest), isOther || isFed ? 'maybe' : this.mostOf(place, exact))
    const outputs = command.outputs.length > 0 ? command.outputs : place.outputs
    const range = place.range ?? command
    const writesFile = outputs.some(isKept)
    if (isChanging) this.isOpen = true
    const isScript = this.addShell(name, words, texts, { ...place, runs, range })
    const hidesWords = mayBeCode(name, words, texts) || isChanging || (isFed && kind !== 'looks')
    const isShown = isDry(name, words)
    const proves = namesOf(isShown || isScript ? 'dry' : kind, place.reaches || writesFile, runs)
    this.commands.push({
      ...{ name: isUnknown ? '$' : name, words, line: words.join(' '), exact, kind, runs },
      ...{ isDry: isShown, outputs, inputs },
      ...{ isFixed: !isFed && command.words.every((word) => word.isFixed), names: hidesWords ? 'maybe' : proves },
      ...{ start: range.start, end: range.end, isReported: place.isLast, isMoved: this.isMoved },
      isRedirected: hasInput || command.outputs.some(isKept),
      texts: [...texts, ...(kind === 'tells' ? [words.slice(1).join(' ')] : [])],
      changesShell: isChanging || name === 'export',
    })
    this.note(name, words, isChanging)
    this.opensProgram ||= !hasInput && takesLines(name, words, writesFile)
  }

  /** Bounds a command: nothing tells the success of a command whose failure the script hides, and settings before it may decide its words. */
  private mostOf({ isLast }: Place, exact: readonly string[] | null): Certainty {
    if (this.changesShell && exact === null) return 'maybe'
    return isLast ? 'whole' : 'sure'
  }

  /** Notes the effects of the last command on the commands behind it. */
  private note(name: string, words: readonly string[], isChanging: boolean): void {
    if (MOVING.has(name)) this.isMoved = true
    if (MOVING.has(name)) this.isInScratch = isScratch(words.at(-1) ?? '')
    if (isChanging || name === 'export' || isActivation(name, words)) this.changesShell = true
    const last = this.commands.at(-1)
    // Only a command that looks, prints or changes the folder leaves the shell as it was.
    const isKeeping = last !== undefined && last.exact !== null && (last.kind !== 'does' || MOVING.has(last.name))
    const isOther =
      !isKeeping || last.outputs.some(isKept) || (WAITING.has(last.name) && !/^[^-]/u.test(last.words[1] ?? '-'))
    this.rest = weakest(this.rest, isChanging ? 'maybe' : isOther ? 'sure' : 'whole')
  }

  /** Adds the script of a shell, in its words or its input. Answers whether the shell has such a script. */
  private addShell(name: string, words: readonly string[], texts: readonly string[], place: Place): boolean {
    if (!SHELLS.has(name)) return false
    const script = shellScript(words)
    const scripts = script === null ? texts : [script]
    // Options of a shell that reads its input may turn the script.
    const runs = script === null && words.length > 1 ? 'maybe' : weakest(place.runs, 'sure')
    for (const text of scripts) this.addScript(text, { ...place, runs, isLast: false, depth: place.depth + 1 })
    return scripts.length > 0
  }

  private addSubstitutions(parts: readonly WordPart[], place: Place, range: { start: number; end: number }): void {
    for (const part of parts)
      if (part.type === 'DoubleQuoted') this.addSubstitutions(part.parts, place, range)
      else if ((part.type === 'CommandExpansion' || part.type === 'ProcessSubstitution') && part.script) {
        const inner = { reaches: true, isLast: false, outputs: [], range: place.range ?? range, depth: place.depth + 1 }
        if (inner.depth > DEEPEST) this.isWhole = false
        else this.addAll(part.script.commands, { ...place, ...inner, runs: weakest(place.runs, 'sure') })
      }
  }
}

/** Answers the most that a string in the words of a command proves. */
function namesOf(kind: Kind | 'dry', reaches: boolean, runs: Certainty): Certainty {
  if (kind === 'does') return runs
  return kind !== 'dry' && reaches ? 'maybe' : 'told'
}
