/**
 * Where an action’s text only looks or tells: comments, the arguments of commands like `cat` and `echo` whose output goes nowhere, and
 * here-documents given to them. A reading of shell lines that is right for what agents write and, where it is not, takes a string for done.
 * @NOTE: quotes end with their line, so what an `echo` prints over several lines reads as commands.
 */

/** Commands that only look, and commands that only say: a string among their arguments is no act. */
const TELLING = new Set(
  'cat less more head tail grep rg egrep fgrep ls find file stat wc diff type which strings view read_file echo printf : true'.split(
    ' ',
  ),
)
/** What may stand before the command of a segment. */
const LEADING = new Set('sudo command time ! { then do else'.split(' '))
/** Programs that do something with what is piped into them. */
const RUNNING = new Set(
  'bash dash mysql node perl psql python python3 ruby sh sqlite3 ssh sudo tee xargs zsh'.split(' '),
)

/** Answers for ascending places only; all of them together are linear. */
export interface CommandReader {
  /** Where the telling that holds `at` ends; null: the text at `at` does something. */
  toldUntil(at: number): number | null
}

export function createCommandReader(text: string): CommandReader {
  const bodies = ascending(toldBodies(text))
  let end = -1
  let told = ascending([])
  return {
    toldUntil(at) {
      const body = bodies(at)
      if (body !== null) return body
      if (at >= end) {
        const line = readLine(text, lineStart(text, at))
        end = line.end
        told = ascending(line.told)
      }
      return told(at)
    },
  }
}

/** Pairs of start and end, in order; answers the end of the one that holds `at`, for ascending `at`. */
function ascending(pairs: readonly number[]): (at: number) => number | null {
  let index = 0
  return (at) => {
    while ((pairs[index + 1] ?? at + 1) <= at) index += 2
    const start = pairs[index]
    return start !== undefined && start <= at ? (pairs[index + 1] ?? null) : null
  }
}

const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)

/** The bodies of here-documents that nothing does anything with. One without an end ends the reading of them. */
function toldBodies(text: string): number[] {
  const bodies: number[] = []
  for (let at = text.indexOf('<<'); at !== -1; ) {
    const line = readLine(text, lineStart(text, at))
    let next = line.end
    if (line.heredoc !== null) {
      next = endOfBody(text, line.end, line.heredoc.word)
      if (next === -1) return bodies
      if (line.heredoc.told) bodies.push(line.end, next)
    }
    at = text.indexOf('<<', next)
  }
  return bodies
}

/** Behind the line that is the word alone; -1: there is none. */
function endOfBody(text: string, from: number, word: string): number {
  for (let at = text.indexOf(word, from); at !== -1; at = text.indexOf(word, at + word.length)) {
    let before = at - 1
    while (before > from && text[before] === '\t') before--
    const after = text[at + word.length]
    if (text[before] === '\n' && (after === undefined || after === '\n' || after === '\r')) return at + word.length
  }
  return -1
}

interface Line {
  readonly end: number
  readonly told: readonly number[]
  /** The first here-document of the line. */
  readonly heredoc: { readonly word: string; readonly told: boolean } | null
}

function readLine(text: string, start: number): Line {
  const stop = text.indexOf('\n', start)
  const scan = new LineScan(text, start, stop === -1 ? text.length : stop)
  return scan.read()
}

class LineScan {
  private readonly told: number[] = []
  /** Segments of the pipeline that is being read, as pairs. */
  private pipeline: number[] = []
  private writes = false
  private quote = ''
  private substitutions = 0
  private segment: number
  private heredoc: { at: number; word: string } | null = null
  private readonly text: string
  private readonly start: number
  private readonly end: number

  constructor(text: string, start: number, end: number) {
    this.text = text
    this.start = start
    this.end = end
    this.segment = start
  }

  read(): Line {
    let at = this.start
    while (at < this.end && !this.beginsComment(at)) at = this.step(at)
    this.closePipeline(Math.min(at, this.end))
    if (at < this.end) this.told.push(at, this.end)
    const inTold = ascending(this.told)
    const heredoc = this.heredoc && { word: this.heredoc.word, told: inTold(this.heredoc.at) !== null }
    return { end: this.end, told: this.told, heredoc }
  }

  private beginsComment(at: number): boolean {
    const before = at === this.start ? ' ' : (this.text[at - 1] ?? ' ')
    return this.text[at] === '#' && this.quote === '' && ' \t;&|('.includes(before)
  }

  /** Reads one character, or two that belong together. */
  private step(at: number): number {
    const character = this.text[at] ?? ''
    const next = this.text[at + 1] ?? ''
    if (this.quote === "'") {
      if (character === "'") this.quote = ''
      return at + 1
    }
    if (character === '\\') return at + 2
    if (character === '$' && next === '(') return this.substitution(at)
    if (character === '"') this.quote = this.quote === '"' ? '' : '"'
    else if (character === '`' || (character === ')' && this.substitutions > 0)) this.closeSubstitution(at)
    else if (this.quote === '') return this.plain(at, character, next)
    return at + 1
  }

  /** A command inside of another one runs, also between double quotes. */
  private substitution(at: number): number {
    this.closePipeline(at)
    this.substitutions++
    this.segment = at + 2
    return at + 2
  }

  private closeSubstitution(at: number): void {
    this.closePipeline(at)
    if (this.substitutions > 0) this.substitutions--
  }

  private plain(at: number, character: string, next: string): number {
    if (character === "'") this.quote = "'"
    else if (character === '>') this.redirect(at)
    else if (character === '<' && next === '<') return this.hereDocument(at)
    else if (character === '|' && next !== '|') this.pipe(at)
    else if (';&|()'.includes(character) && !(character === '&' && (next === '>' || this.text[at - 1] === '>')))
      this.closePipeline(at)
    return at + 1
  }

  /** Output that is thrown away, or joined with the other, is not written anywhere. */
  private redirect(at: number): void {
    let to = at + 1
    while (this.text[to] === ' ') to++
    if (!this.text.startsWith('/dev/null', to) && this.text[to] !== '&') this.writes = true
  }

  private pipe(at: number): void {
    this.pipeline.push(this.segment, at)
    this.segment = at + 1
    if (RUNNING.has(nameOf(this.word(at + 1).text))) this.writes = true
  }

  private hereDocument(at: number): number {
    if (this.text[at + 2] === '<') return at + 3
    let from = at + 2
    while (' -\'"\\'.includes(this.text[from] ?? '.')) from++
    let to = from
    while (to < from + 100 && isWordCharacter(this.text.charCodeAt(to))) to++
    if (to > from) this.heredoc ??= { at, word: this.text.slice(from, to) }
    return Math.max(to, at + 2)
  }

  private closePipeline(at: number): void {
    this.pipeline.push(this.segment, at)
    for (let index = 0; index < this.pipeline.length && !this.writes; index += 2)
      this.tell(this.pipeline[index] ?? 0, this.pipeline[index + 1] ?? 0)
    this.pipeline = []
    this.writes = false
    this.segment = at + 1
  }

  /** A string that itself begins the command is more than its argument: what is told begins behind the command’s word. */
  private tell(start: number, end: number): void {
    let { text, end: after } = this.word(start)
    while (after < end && (LEADING.has(text) || text.includes('='))) ({ text, end: after } = this.word(after))
    const name = nameOf(text)
    if (after >= end || !TELLING.has(name)) return
    if (name === 'find' && (this.holds(start, end, '-exec') || this.holds(start, end, '-delete'))) return
    this.told.push(after, end)
  }

  private holds(start: number, end: number, option: string): boolean {
    return this.text.slice(start, end).includes(option)
  }

  private word(from: number): { text: string; end: number } {
    let start = from
    while (start < this.end && isBlank(this.text[start])) start++
    let end = start
    while (
      end < this.end &&
      end < start + LONGEST_WORD &&
      !isBlank(this.text[end]) &&
      !';|&()'.includes(this.text[end] ?? '')
    )
      end++
    return { text: this.text.slice(start, end), end }
  }
}

/** No name of a command is longer; it also keeps the reading linear. */
const LONGEST_WORD = 100

const nameOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1)

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t'

const isWordCharacter = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f
