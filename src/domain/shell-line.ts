/** Commands that only look, and commands that only say: a string among their arguments is no act. */
const TELLING = new Set(
  'cat less more head tail grep rg egrep fgrep ls find file stat wc diff type which strings view read_file echo printf : true'.split(
    ' ',
  ),
)
/** What may stand before the command of a segment. */
const LEADING = new Set('sudo command time ! { then do else'.split(' '))
/** Programs that only show what is piped into them; all others do something with it. */
const SHOWING = new Set(
  'cat less more head tail grep rg egrep fgrep wc sort uniq cut tr column jq nl tac rev fold fmt od xxd hexdump base64 md5sum sha256sum'.split(
    ' ',
  ),
)
/** Names of commands that are also words of code: `file = "a"` and `type A = 'a'` assign. */
const NAMING = new Set('file find head tail type view which diff stat strings'.split(' '))
const FINDING = ['-exec', '-delete', '-ok', '-fprint', '-fls']
const NOWHERE = ['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty', '&']

/** One line of a shell, and where in it text is only told. */
export interface Line {
  readonly end: number
  readonly told: readonly number[]
  /** The first here-document of the line. */
  readonly heredoc: { readonly word: string; readonly use: 'told' | 'kept' | 'run' } | null
}

export function readLine(text: string, start: number): Line {
  const stop = text.indexOf('\n', start)
  const scan = new LineScan(text, start, stop === -1 ? text.length : stop)
  return scan.read()
}

class LineScan {
  private readonly told: number[] = []
  /** The same of commands whose output goes somewhere. */
  private readonly kept: number[] = []
  /** Segments of the pipeline that is being read, as pairs. */
  private pipeline: number[] = []
  private writes = false
  private quote = ''
  /** What closes the substitutions that are open, and the quotes in which they stand. */
  private readonly open: { readonly closer: string; readonly quote: string }[] = []
  /** The outermost substitutions, as pairs: the command around them does something with what they give, and they run themselves. */
  private readonly holes: number[] = []
  private hole = 0
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
    if (this.open.length > 0) this.holes.push(this.end)
    // What follows on the next line may take the output.
    if (this.text[this.end - 1] === '\\') this.writes = true
    this.closePipeline(Math.min(at, this.end))
    if (at < this.end) this.told.push(at, this.end)
    return {
      end: this.end,
      told: this.told,
      heredoc: this.heredoc && { word: this.heredoc.word, use: this.useOfBody(this.heredoc.at) },
    }
  }

  private useOfBody(at: number): 'told' | 'kept' | 'run' {
    if (ascending(this.told)(at) !== null) return 'told'
    return ascending(this.kept)(at) !== null || ascending(this.holes)(at) !== null ? 'kept' : 'run'
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
    if (character === '`' && this.open.at(-1)?.closer === '`') this.close(at)
    else if (character === '`') this.enter(at, '`')
    else if (next === '(' && (character === '$' || (this.quote === '' && '<>'.includes(character)))) {
      this.enter(at, ')')
      return at + 2
    } else if (character === '"') this.quote = this.quote === '"' ? '' : '"'
    else if (this.quote === '') return this.plain(at, character, next)
    return at + 1
  }

  /** A command inside of another one runs, also between double quotes. */
  private enter(at: number, closer: string): void {
    if (this.open.length === 0) this.holes.push(at)
    this.open.push({ closer, quote: this.quote })
    this.quote = ''
  }

  private close(at: number): void {
    this.quote = this.open.pop()?.quote ?? ''
    if (this.open.length === 0) this.holes.push(at + 1)
  }

  private plain(at: number, character: string, next: string): number {
    if (character === "'") this.quote = "'"
    else if (character === '<' && next === '<') return this.hereDocument(at)
    else if (this.open.length > 0) {
      if (character === '(') this.enter(at, ')')
      else if (character === this.open.at(-1)?.closer) this.close(at)
    } else if (character === '>') this.redirect(at)
    else if (character === '|' && next !== '|') this.pipe(at)
    else if (';&|()'.includes(character) && !(character === '&' && (next === '>' || this.text[at - 1] === '>')))
      this.closePipeline(at)
    return at + 1
  }

  /** Output that is thrown away, shown, or joined with the other is not written anywhere, and what a command complains of is not its output. */
  private redirect(at: number): void {
    if (this.text[at - 1] === '2' && isBlank(this.text[at - 2])) return
    let to = at + 1
    while (isBlank(this.text[to]) || this.text[to] === '"') to++
    if (!NOWHERE.some((place) => this.text.startsWith(place, to))) this.writes = true
  }

  private pipe(at: number): void {
    this.pipeline.push(this.segment, at)
    this.segment = at + 1
    if (!SHOWING.has(nameOf(this.word(at + 1).text))) this.writes = true
  }

  private hereDocument(at: number): number {
    if (this.text[at + 2] === '<') return at + 3
    let from = at + 2
    while (' -\'"\\'.includes(this.text[from] ?? '.')) from++
    let to = from
    while (to < from + 100 && isWordCharacter(this.text.charCodeAt(to))) to++
    if (to > from) this.heredoc ??= { at, word: this.text.slice(from, to) }
    const quote = this.text[from - 1] ?? ''
    if ((quote === "'" || quote === '"') && this.text[to] === quote) to++
    return Math.max(to, at + 2)
  }

  private closePipeline(at: number): void {
    this.pipeline.push(this.segment, at)
    for (let index = 0; index < this.pipeline.length; index += 2)
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
    if (name === 'find' && FINDING.some((option) => this.holds(start, end, option))) return
    if (NAMING.has(name) && this.assigns(after)) return
    if (this.writes) this.kept.push(after, end)
    else this.pushAround(after, end)
  }

  /** What is told, without the substitutions in it. Segments ascend, so that no hole is looked at twice. */
  private pushAround(start: number, end: number): void {
    let from = start
    while ((this.holes[this.hole] ?? end) < end) {
      const open = this.holes[this.hole] ?? end
      if (open > from) this.told.push(from, open)
      from = Math.max(from, this.holes[this.hole + 1] ?? end)
      this.hole += 2
    }
    if (from < end) this.told.push(from, end)
  }

  private assigns(from: number): boolean {
    const first = this.word(from)
    return first.text === '=' || this.word(first.end).text === '='
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

/** Pairs of start and end, in order; answers the end of the one that holds `at`, for ascending `at`. */
export function ascending(pairs: readonly number[]): (at: number) => number | null {
  let index = 0
  return (at) => {
    while ((pairs[index + 1] ?? at + 1) <= at) index += 2
    const start = pairs[index]
    return start !== undefined && start <= at ? (pairs[index + 1] ?? null) : null
  }
}
