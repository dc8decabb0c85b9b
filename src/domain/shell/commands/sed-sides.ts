/** What a sed script looks for, and what it puts into the text. */
interface SedSides {
  readonly searched: readonly string[]
  readonly written: readonly string[]
}

/** Reads addresses, `s`, `y`, `a`, `i` and `c`; linear. What it does not know it passes over. */
export const sedSides = (script: string): SedSides => new SedScan(script).read()

class SedScan {
  private readonly searched: string[] = []
  private readonly written: string[] = []
  private at = 0
  private readonly script: string

  constructor(script: string) {
    this.script = script
  }

  read(): SedSides {
    while (this.at < this.script.length) this.step(this.script[this.at++] ?? '')
    return { searched: this.searched, written: this.written.map(withoutEscapes) }
  }

  private step(character: string): void {
    if (character === '/') this.searched.push(this.field('/'))
    else if (character === '\\') this.searched.push(this.field(this.script[this.at++] ?? ''))
    else if (character === 's' || character === 'y') this.substitution()
    else if (character === 'a' || character === 'i' || character === 'c') {
      this.skip('\\ \n\t')
      this.written.push(this.line())
    } else if (character === '#') this.line()
  }

  private substitution(): void {
    const delimiter = this.script[this.at++] ?? ''
    this.searched.push(this.field(delimiter))
    this.written.push(this.field(delimiter))
    while (this.at < this.script.length && !';}\n'.includes(this.script[this.at] ?? '')) this.at++
  }

  private field(delimiter: string): string {
    let text = ''
    while (this.at < this.script.length && this.script[this.at] !== delimiter) {
      if (this.script[this.at] === '\\' && this.script[this.at + 1] === delimiter) this.at++
      else if (this.script[this.at] === '\\') text += this.script[this.at++]
      text += this.script[this.at++] ?? ''
    }
    this.at++
    return text
  }

  private skip(characters: string): void {
    while (this.at < this.script.length && characters.includes(this.script[this.at] ?? '')) this.at++
  }

  private line(): string {
    const start = this.at
    const end = this.script.indexOf('\n', start)
    this.at = end === -1 ? this.script.length : end
    return this.script.slice(start, this.at)
  }
}

const withoutEscapes = (text: string): string =>
  text.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\/', '/').replaceAll('\\&', '&')
