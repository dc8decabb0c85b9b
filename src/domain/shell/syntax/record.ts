import { foldWhole, indexOfName, indexOfWord } from '../../text/search.ts'
import { rankOf, strongest, type Taken, type Use, weakest } from './use.ts'
import { mayStandFor } from './word-match.ts'

/** A simple command that the script holds, its words resolved, without wrappers such as `sudo`. */
export interface Ran {
  readonly words: readonly string[]
  /** Of the program, from where the script began; only its name where that is not known. */
  readonly path: string
  /** The files that get its output. */
  readonly outputs: readonly string[]
  readonly use: Taken
  /** The same of one that runs for what is read, if anything is; absent: as `use`. */
  readonly useFed?: Taken
  /** It only shows what it would do. */
  readonly dry: boolean
}

export interface Write {
  readonly path: string | null
  readonly text: string
  /** How sure it is that it is written. */
  readonly use: Taken
  /** The same script puts another text in its place, or takes the file away. */
  replaced?: true
  /** What a patch takes out of the file where it puts the text. */
  readonly old?: string
}

/** Texts that prove the same of a string, of a command, and of a string by which something is called. */
interface Said {
  readonly asString: Taken
  readonly asCommand: Taken
  readonly asCall: Taken
  readonly all: string[]
}

/** Between texts that do not belong together; no anchor holds it. */
const BREAK = '\n\u0000\n'
const USES: readonly Taken[] = ['told', 'unsure', 'done']

const SHORTEST_PATTERN = 5
const MOST_PATTERNS = 200
/** What may stand before the name of a setting. */
const BEFORE_SETTING = /^[\s"'-]*(?:export\s+|set\s+|ENV\s+)?/u

/** Whether a line begins with it, and no word goes on behind it. */
function startsLine(lines: string, needle: string): boolean {
  const found = needle === '' ? -1 : indexOfName(lines, needle, 0)
  for (let at = found; at !== -1; at = indexOfName(lines, needle, at + needle.length))
    if (lines[at - 1] === '\n') return true
  return false
}

/** What a text of that use does with a string that it holds: inside of a longer word it may be for something else. */
export function useOfNeedle(text: string, needle: string, use: Taken): Use {
  if (needle === '' || indexOfWord(text, needle, 0) === -1) return 'absent'
  return indexOfName(text, needle, 0) === -1 ? weakest('unsure', use) : use
}

/** All that a reading found, in a form that answers many anchors: strings by what a hit in them proves. */
export class Record {
  readonly runs = new Set<string>()
  readonly mayRun = new Set<string>()
  readonly writes: Write[] = []
  /** What patches change: what they write is told by what stood there before. */
  readonly edits: (Write & { readonly old: string })[] = []
  readonly takesFrom = new Set<string>()
  private readonly ran = new Map<string, Ran[]>()
  private ranCount = 0
  private readonly guessed = new Set<string>()
  private readonly unknown: (readonly string[])[] = []
  /** By what they prove. */
  private readonly texts = new Map<string, Said>()
  private readonly folded = new Map<string, string>()
  private readonly lines: string[] = []
  private readonly patterns: string[] = []
  private readonly settings = new Map<Taken, string>()
  private readonly looks: string[] = []
  private readonly levels: Uint8Array
  /** What was painted as a whole: a nested script may ask for its one place at every word. */
  private readonly painted = new Map<number, number>()

  constructor(length: number) {
    this.levels = new Uint8Array(length)
  }

  get isOne(): boolean {
    return this.ranCount === 1
  }

  addRan(name: string, ran: Ran): void {
    this.ranCount++
    this.addAs(name, ran)
  }

  /** The same command under another name: `bash tools/set.sh` is `tools/set.sh`. */
  addAs(name: string, ran: Ran): void {
    const list = this.ran.get(name)
    if (list === undefined) this.ran.set(name, [ran])
    else list.push(ran)
  }

  /** A command of the program ran whose words are a guess. */
  guess(name: string): void {
    this.guessed.add(name)
  }

  /** A command ran whose name is not known, with these words behind it. */
  addUnknown(words: readonly string[]): void {
    if (this.unknown.length < MOST_PATTERNS) this.unknown.push(words)
    else this.unknown[0] = []
  }

  /** Whether a command whose name is not known may be the one of these words. */
  mayHaveRun(anchor: readonly string[]): boolean {
    return this.unknown.some((words) => mayStandFor(words, anchor))
  }

  isGuessed(name: string): boolean {
    return this.guessed.has(name)
  }

  named(name: string): readonly Ran[] {
    return this.ran.get(name) ?? []
  }

  /** Lines of a file, of which a setting must be one from its beginning. */
  set(text: string, use: Taken): void {
    const lines = text.split('\n').map((line) => foldWhole(line).replace(BEFORE_SETTING, ''))
    this.settings.set(use, `${this.settings.get(use) ?? ''}\n${lines.join('\n')}\n`)
  }

  private useOfSetting(needles: readonly string[]): Use {
    for (const use of ['done', 'unsure'] as const) {
      const lines = this.settings.get(use) ?? ''
      if (needles.some((needle) => startsLine(lines, needle))) return use
    }
    return 'absent'
  }

  say(text: string, asString: Taken, asCommand: Taken, asCall: Taken = asString): void {
    if (text === '') return
    const key = `${asString} ${asCommand} ${asCall}`
    const group = this.texts.get(key)
    if (group === undefined) this.texts.set(key, { asString, asCommand, asCall, all: [text] })
    else group.all.push(text)
  }

  /** A pattern of paths that a command acts on. */
  addPattern(word: string): void {
    const at = word.search(/[*?[]/u)
    if (at >= SHORTEST_PATTERN && this.patterns.length < MOST_PATTERNS) this.patterns.push(word.slice(0, at))
  }

  /** Whether a pattern may stand for a path of the string. */
  mayMatch(needles: readonly string[]): boolean {
    if (this.patterns.length === 0) return false
    const paths = needles.flatMap((needle) => needle.split(' ')).filter((word) => word.includes('/'))
    return paths.some((path) => this.patterns.some((start) => path.startsWith(start)))
  }

  /** The words of a command that looks at something. */
  addLook(words: readonly string[]): void {
    this.looks.push(words.join(' '))
  }

  /** Whether a command that looks has the string among its words. */
  looksAt(needles: readonly string[]): boolean {
    const text = this.foldedGroup('looks', this.looks)
    return needles.some((needle) => needle !== '' && indexOfWord(text, needle, 0) !== -1)
  }

  /** The words of a command that may run another one named in them. */
  addLine(words: readonly string[]): void {
    this.lines.push(words.map((word) => word.replaceAll(' ', '\u0001')).join(' '))
  }

  /** Whether the words stand side by side, each alone, behind the name of a command that may run them. */
  holdsLine(words: readonly string[]): boolean {
    const line = words.map((word) => word.replaceAll(' ', '\u0001')).join(' ')
    const all = this.allLines()
    for (let at = all.indexOf(line); at !== -1; at = all.indexOf(line, at + line.length)) {
      const after = all[at + line.length]
      if (all[at - 1] === ' ' && (after === ' ' || after === '\n')) return true
    }
    return false
  }

  private allLines(): string {
    const known = this.folded.get('lines')
    if (known !== undefined) return known
    const all = `\n${this.lines.join('\n')}\n`
    this.folded.set('lines', all)
    return all
  }

  /** The strongest use of a string among the texts. */
  useOfText(needles: readonly string[], kind: 'asString' | 'asCommand' | 'asCall' | 'asSetting'): Use {
    const as = kind === 'asSetting' ? 'asString' : kind
    let best = kind === 'asSetting' ? this.useOfSetting(needles) : 'absent'
    for (const [key, group] of this.texts) {
      if (rankOf(group[as]) <= rankOf(best)) continue
      const text = this.foldedGroup(key, group.all)
      for (const needle of needles) best = strongest<Use>(best, useOfNeedle(text, needle, group[as]))
    }
    return best
  }

  private foldedGroup(key: string, all: readonly string[]): string {
    const known = this.folded.get(key)
    if (known !== undefined) return known
    const text = all.map(foldWhole).join(BREAK)
    this.folded.set(key, text)
    return text
  }

  paint(start: number, end: number, use: Taken): void {
    const level = USES.indexOf(use)
    const range = start * this.levels.length + end
    if ((this.painted.get(range) ?? 0) >= level) return
    this.painted.set(range, level)
    for (let at = Math.max(0, start); at < Math.min(end, this.levels.length); at++)
      if ((this.levels[at] ?? 0) < level) this.levels[at] = level
  }

  /** What is painted nowhere (comments, keywords, code that never runs) is told. */
  levelOf(start: number, end: number): Taken {
    let best = 0
    for (let at = Math.max(0, start); at < Math.min(end, this.levels.length) && best < 2; at++)
      best = Math.max(best, this.levels[at] ?? 0)
    return USES[best] ?? 'told'
  }
}
