import { type Call, frameOf, frameOfPiece, joined, mention, mentionAll, runText, wordOf } from '../syntax/call.ts'
import { readCode } from '../syntax/code.ts'
import { type Taken, weakest } from '../syntax/use.ts'
import { mayBeDry } from './command-kinds.ts'
import { INTERPRETERS, programOf } from './command-table.ts'
import { type Machine, SCREEN, type Scope } from './machine.ts'
import { doubted, type Frame, isDoubtful, isExact, type Piece, type Status } from './outcome.ts'
import { interpreterOf, programIn, shellProgram } from './program-words.ts'
import { takeFile, withArguments } from './set-variables.ts'

export function runShell(machine: Machine, call: Call): Status {
  const { words, fields, scope } = call
  const program = shellProgram(words)
  if (program.checksOnly) {
    for (const piece of scope.input) machine.tell(piece)
    return mentionAll(machine, fields, 'told', 'told')
  }
  const code = program.code[0]
  const rest = fields.filter((_, at) => at !== code)
  mentionAll(machine, rest, useOfWords(call), 'told')
  const script = code === undefined ? undefined : fields[code]
  return machine.process(() => {
    machine.stopsOnFailure = program.stopsOnFailure
    if (script !== undefined)
      return withArguments(machine, { words: words.slice((code ?? 0) + 2), scope }, () =>
        runText(machine, script.text, frameOf(machine, script), scope),
      )
    if (program.file !== null) runFile(machine, words[program.file] ?? '', call, program.file + 1)
    else runInput(machine, scope)
    return null
  }, 'exported')
}

/** A script that gets `--help` may only show what it does. */
const useOfWords = ({ name, words, scope }: Call): Taken =>
  weakest(mayBeDry(name, words, []) ? 'unsure' : 'done', scope.use)

/** A shell that reads its script from its input. */
export function runInput(machine: Machine, given: Scope): void {
  const { input } = given
  const scope = isExact(input) ? given : { ...given, use: 'unsure' as const }
  for (const piece of input)
    if (piece.file !== undefined && given.use === 'done') {
      machine.record.runs.add(piece.file)
      machine.record.takesFrom.add(piece.file)
    }
  runPieces(machine, input, isExact(input), () => {
    for (const piece of joined(input)) runText(machine, piece.text, frameOfPiece(piece), scope)
  })
}

/** Runs a script that is read from these pieces. */
function runPieces(machine: Machine, pieces: readonly Piece[], isSure: boolean, run: () => void): void {
  // What it was before it was changed tells nothing of what it is now.
  if (isDoubtful(pieces)) machine.record.addUnknown([])
  if (isSure) run()
  else machine.doubting(run)
}

/** Runs a file: what this script wrote into it is carried out now. */
export function runFile(machine: Machine, path: string, call: Call, next: number): void {
  const { name } = call
  const scope: Scope = machine.files.isDoubtful(path) ? { ...call.scope, use: 'unsure' } : call.scope
  if (call.scope.use === 'done') machine.record.runs.add(path)
  const words = call.words.slice(next - 1)
  if (next > 1)
    machine.record.addAs(programOf(path), {
      words,
      path: machine.pathOf(path),
      outputs: scope.out.paths,
      use: useOfWords(call),
      dry: false,
    })
  const pieces = machine.files.get(path)
  if (pieces === undefined) return
  for (const { file } of pieces) if (file !== undefined) machine.record.takesFrom.add(file)
  const [piece] = joined(pieces)
  if (piece === undefined) return
  const language = INTERPRETERS[name]?.language ?? interpreterOf(path, piece.text)?.language ?? null
  if (language !== null) {
    tellCode(machine, piece.text, language, scope, (use) => machine.paint(piece.start, piece.end, use, piece.frame))
    return
  }
  runPieces(machine, pieces, !machine.files.isDoubtful(path), () =>
    withArguments(machine, { words: call.words.slice(next), scope }, () =>
      runText(machine, piece.text, frameOfPiece(piece), scope),
    ),
  )
}

export function runInterpreter(machine: Machine, call: Call): Status {
  const { name, words, fields, scope } = call
  const language = INTERPRETERS[name]?.language ?? 'python'
  const program = programIn(name, words)
  const rest = fields.filter((_, at) => !program.code.includes(at))
  mentionAll(machine, rest, useOfWords(call), 'unsure')
  if (name === 'perl' && words.some((word) => /^-[a-z]*i/u.test(word))) return editInPlace(machine, call, program.code)
  for (const at of program.code) {
    const field = fields[at]
    if (field !== undefined)
      tellCode(machine, field.text, language, scope, (use) => machine.paint(field.start, field.end, use))
  }
  const readsCode = words.slice(1, program.file ?? undefined).includes('-')
  if (program.file !== null && !readsCode) runFile(machine, words[program.file] ?? '', call, program.file + 1)
  else if (program.code.length === 0)
    for (const piece of joined(scope.input))
      tellCode(machine, piece.text, language, isDoubtful(scope.input) ? { ...scope, use: 'unsure' } : scope, (use) =>
        machine.paint(piece.start, piece.end, use, piece.frame),
      )
  return null
}

/** Code that runs: what it holds is done, but for comments, what it prints, and commands that it does not start. */
function tellCode(machine: Machine, text: string, language: string, scope: Scope, paint: (use: Taken) => void): void {
  if (!machine.spend(1, text.length)) return
  const code = readCode(text, language)
  const done = weakest('done', scope.use)
  machine.record.say(code.live, done, 'unsure')
  machine.record.say(code.doubtful, 'unsure', 'unsure')
  machine.record.say(code.told, 'told', 'told')
  const isTaken = scope.out.pieces !== null || scope.out.flow === 'kept'
  // Of several texts it may print only one, and other code may print more.
  const isOnly = code.printed.length === 1 && code.live === '' && code.doubtful === ''
  for (const one of isTaken ? code.printed : []) {
    const piece: Piece = { text: `${one}\n`, start: 0, end: 0, frame: { start: 0, end: 0 }, verbatim: false }
    machine.emit(isOnly ? piece : doubted(piece), scope)
  }
  if (code.printed.length === 0) machine.emitUnknown(scope)
  const isLive = code.live.trim() !== '' || (isTaken && code.printed.length > 0)
  paint(isLive ? done : code.doubtful.trim() === '' ? 'told' : 'unsure')
  for (const { command, sure } of code.commands) {
    const frame: Frame = { start: 0, end: 0 }
    const inner: Scope = { ...scope, out: SCREEN, use: sure ? scope.use : 'unsure' }
    machine.process(() => {
      if (typeof command === 'string') return runText(machine, command, frame, inner)
      const run = (): Status => machine.evaluate.fields(machine, command.map(wordOf), { ...inner, input: [] })
      return machine.deeper(() => machine.within(frame, run))
    }, 'exported')
  }
}

export function runSourced(machine: Machine, call: Call): Status {
  mentionAll(machine, call.fields, weakest('done', call.scope.use), 'told')
  takeFile(machine, call.words[1] ?? '')
  machine.calls++
  machine.leaving(['return'], () => runFile(machine, call.words[1] ?? '', call, 2))
  machine.calls--
  if (machine.halt === 'return') machine.halt = null
  return null
}

/** `sed -i` and `perl -pi`: what is looked for is taken away, what replaces it is written. */
export function editInPlace(machine: Machine, call: Call, scripts: readonly number[]): Status {
  const { fields, scope, words } = call
  const done = weakest('done', scope.use)
  // With `-n` Perl writes what its code prints.
  const isCode = call.name === 'perl' && words.some((word) => /^-[a-z]*n/u.test(word))
  for (const word of words) machine.files.doubt(word)
  const target = words.at(-1) ?? null
  for (const [at, field] of fields.entries()) {
    if (!scripts.includes(at) || isCode) {
      mention(machine, field, isCode ? 'unsure' : done, 'told')
      continue
    }
    const { searched, written } = sedSides(field.text)
    for (const text of searched) machine.record.say(text, 'told', 'told')
    machine.paint(field.start, field.end, written.length > 0 ? done : 'told')
    const old = searched.map((text) => (text.startsWith('^') ? text.slice(1) : text)).join('\n')
    if (written.length > 0) machine.sayChanged(target, written.join('\n'), old, scope.use)
  }
  return null
}

/** What a sed script looks for, and what it puts into the text. */
interface SedSides {
  readonly searched: readonly string[]
  readonly written: readonly string[]
}

/** Reads addresses, `s`, `y`, `a`, `i` and `c`; linear. What it does not know it passes over. */
const sedSides = (script: string): SedSides => new SedScan(script).read()

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
