import type {
  Assignment,
  ParameterDefaultOperation,
  ParameterExpansionPart,
  ParsedScript,
  ProcessSubstitutionPart,
  Word,
  WordPart,
} from 'unbash'
import type { Field, Flow, Machine, Scope } from '../commands/machine.ts'
import { type Frame, isExact, type Piece } from '../commands/outcome.ts'
import { isUnknown } from './word-match.ts'

/** Stands for what a substitution prints; its commands are read by themselves. */
export const UNKNOWN_OUTPUT = '$(…)'
/** The same for what is taken out of a file, or made from another text: it may be the instruction. */
export const TAKEN_OUTPUT = '$(<…)'

/** The pieces of a word while it is put together: an unquoted variable may end one field and begin the next. */
class Fields {
  readonly done: string[] = []
  private current: string | null = null

  add(text: string): void {
    this.current = (this.current ?? '') + text
  }

  /** Values that stand as fields of their own, the first joined to what is before, the last to what follows; an empty one is none. */
  addAll(values: readonly string[]): void {
    for (const [index, value] of values.entries()) {
      if (index > 0) this.close()
      if (value !== '') this.add(value)
    }
  }

  close(): void {
    if (this.current !== null) this.done.push(this.current)
    this.current = null
  }
}

/** The fields of a word after quotes, variables of this script, braces and known substitutions; what is not known stays as written. */
export function expandWord(machine: Machine, word: Word, scope: Scope, flow: Flow): Field[] {
  const { pos: start, end } = word
  if (word.parts === undefined) {
    const text = machine.spend(0, word.value.length + COST_OF_WORD) ? word.value : word.text
    return [{ text, start, end, verbatim: text === word.text ? start : null }]
  }
  const only = word.parts.length === 1 ? word.parts[0] : undefined
  if (only?.type === 'SingleQuoted' && machine.spend(0, only.value.length))
    return [{ text: only.value, start, end, verbatim: start + 1 }]
  const fields = new Fields()
  expandParts(machine, word.parts, fields, { scope, flow, quoted: false })
  fields.close()
  const plain = only?.type === 'DoubleQuoted' && only.text === `"${fields.done[0] ?? ''}"` ? start + 1 : null
  return fields.done.map((text) => ({ text, start, end, verbatim: plain }))
}

/** A word as one string. */
export const expandToText = (machine: Machine, word: Word, scope: Scope, flow: Flow = 'shown'): string =>
  expandWord(machine, word, scope, flow)
    .map((field) => field.text)
    .join(' ')

/** The text of a here-document’s body. */
export function expandBody(machine: Machine, parts: readonly WordPart[], scope: Scope): string {
  const fields = new Fields()
  expandParts(machine, parts, fields, { scope, flow: 'acted', quoted: true })
  fields.close()
  return fields.done.join(' ')
}

const COST_OF_WORD = 8

interface Place {
  readonly scope: Scope
  readonly flow: Flow
  readonly quoted: boolean
}

function expandParts(machine: Machine, parts: readonly WordPart[], fields: Fields, place: Place): void {
  for (const part of parts) {
    if (machine.exceeded) return
    expandPart(machine, part, fields, place)
  }
}

function expandPart(machine: Machine, part: WordPart, fields: Fields, place: Place): null {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return addText(machine, fields, part.value)
    case 'DoubleQuoted':
    case 'LocaleString':
      if (!isEmptyList(machine, part.parts)) fields.add('')
      expandParts(machine, part.parts, fields, { ...place, quoted: true })
      return null
    case 'SimpleExpansion':
      return addVariable(machine, fields, part.text.slice(1), part.text, place.quoted)
    case 'ParameterExpansion':
      return addParameter(machine, fields, part, place)
    case 'CommandExpansion': {
      const text = part.script === undefined ? null : capture(machine, part, part.script, place.scope, place.flow)
      if (text === null) return addText(machine, fields, UNKNOWN_OUTPUT)
      return place.quoted ? addText(machine, fields, text) : addSplit(machine, fields, text)
    }
    case 'ProcessSubstitution':
      return addText(machine, fields, fileOf(machine, part, place))
    case 'BraceExpansion':
      return addFields(machine, fields, expandBraces(part.text))
    default:
      return addText(machine, fields, part.text)
  }
}

function addText(machine: Machine, fields: Fields, text: string): null {
  if (machine.spend(0, text.length)) fields.add(text)
  return null
}

function addFields(machine: Machine, fields: Fields, values: readonly string[]): null {
  if (machine.spend(0, values.join('').length)) fields.addAll(values)
  return null
}

function addSplit(machine: Machine, fields: Fields, text: string): null {
  if (machine.spend(0, text.length))
    fields.addAll(text.split(/[ \t\n]+/u).filter((one, index) => one !== '' || index === 0))
  return null
}

/** `"$@"` and `"${a[@]}"` of nothing are no word. */
function isEmptyList({ variables }: Machine, [part, ...more]: readonly WordPart[]): boolean {
  if (part === undefined || more.length > 0) return false
  if (part.type === 'SimpleExpansion') return part.text === '$@' && variables.get('@')?.length === 0
  const isList = part.type === 'ParameterExpansion' && part.index?.text === '@' && part.operation === undefined
  return isList && part.prefix === undefined && variables.get(part.parameter)?.length === 0
}

function addVariable(machine: Machine, fields: Fields, name: string, source: string, quoted: boolean): null {
  const values = machine.variables.get(name)
  if (values === undefined) return addText(machine, fields, source)
  if (name === '@' && quoted) return addFields(machine, fields, values)
  const text = values.join(' ')
  return quoted ? addText(machine, fields, text) : addSplit(machine, fields, text)
}

function addParameter(machine: Machine, fields: Fields, part: ParameterExpansionPart, place: Place): null {
  const { operation } = part
  if (part.prefix !== undefined || (operation !== undefined && operation.type !== 'Default'))
    return addText(machine, fields, part.text)
  const { parameter: name, index } = part
  const values = machine.variables.get(name)
  const text = operation === undefined ? null : otherText(machine, name, operation, values, place)
  if (text !== null) return place.quoted ? addText(machine, fields, text) : addSplit(machine, fields, text)
  if (values === undefined) return addText(machine, fields, part.text)
  if (index?.text === '@' || index?.text === '*') return addFields(machine, fields, values)
  if (index !== undefined) return addText(machine, fields, values[Number(index.text)] ?? part.text)
  return addVariable(machine, fields, name, part.text, place.quoted)
}

/** `${x:-other}`, `${x:+other}`: what stands for the variable; null: its own value. One that the script never sets is taken to be empty for the first. */
function otherText(
  machine: Machine,
  name: string,
  { operator, operand }: ParameterDefaultOperation,
  values: readonly string[] | undefined,
  { scope, flow }: Place,
): string | null {
  const { variables } = machine
  const isKnown = values !== undefined || !variables.has(name)
  variables.takeForEmpty(name)
  const asksForText = operator.startsWith(':')
  const isEmpty = values === undefined || (asksForText && values.join('') === '')
  if (!isKnown || operator.endsWith('?') || (asksForText && values?.some(isUnknown))) return null
  if (operator.endsWith('+'))
    return values === undefined ? null : isEmpty ? '' : expandToText(machine, operand, scope, flow)
  if (!isEmpty) return null
  const text = expandToText(machine, operand, scope, flow)
  if (operator.endsWith('=')) variables.set(name, [text], scope.use === 'done')
  return text
}

/** `<(…)` is a file that holds what its commands print. */
function fileOf(machine: Machine, part: ProcessSubstitutionPart, { scope, flow }: Place): string {
  const path = `/dev/fd/${63 + machine.files.size}`
  if (part.script === undefined) return path
  const pieces = capturePieces(machine, part, part.script, scope, part.operator === '<' ? flow : 'shown')
  machine.files.set(path, pieces)
  return path
}

/** What a substitution prints, where the script tells; its commands run in any case. */
function capture(
  machine: Machine,
  part: { readonly pos: number; readonly end: number },
  script: ParsedScript,
  scope: Scope,
  flow: Flow,
): string | null {
  const pieces = capturePieces(machine, part, script, scope, flow)
  // What is taken out of a file may be the instruction itself.
  for (const { file } of pieces) if (file !== undefined && file !== '') machine.record.takesFrom.add(file)
  if (pieces.some((piece) => piece.file !== undefined)) return TAKEN_OUTPUT
  if (!isExact(pieces)) for (const { text } of pieces) machine.record.say(text, 'unsure', 'unsure')
  if (pieces.length === 0 || !isExact(pieces)) return null
  if (flow === 'shown') for (const piece of pieces) machine.tell(piece)
  const text = pieces.map((piece) => piece.text).join('')
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

function capturePieces(
  machine: Machine,
  part: { readonly pos: number; readonly end: number },
  script: ParsedScript,
  scope: Scope,
  flow: Flow,
): readonly Piece[] {
  const pieces: Piece[] = []
  const frame = script.source === undefined ? machine.frame : wholeOf(machine.frame, part.pos, part.end)
  const inner: Scope = { ...scope, out: { flow, paths: [], pieces }, input: [] }
  machine.captured = machine.process(() => {
    // Its failures end it only where it says so itself.
    machine.stopsOnFailure = false
    machine.isCondition = false
    return machine.deeper(() => machine.within(frame, () => machine.evaluate.script(machine, script, inner)))
  })
  return pieces
}

/** The place of a text whose characters do not stand in the source one by one. */
export const wholeOf = (frame: Frame, start: number, end: number): Frame =>
  'shift' in frame ? { start: start + frame.shift, end: end + frame.shift } : frame

/** `a{b,c}` without nesting; others stay as they are. */
function expandBraces(text: string): string[] {
  const inner = text.slice(1, -1)
  if (inner.includes('{') || inner.includes('$') || inner.includes("'") || inner.includes('"')) return [text]
  const values = inner.split(',')
  return values.length > 1 && values.length <= 64 ? values : [text]
}

/** Which of its values a variable has may be a guess: each may be the command, or the string, that is asked for. */
function setVariable({ variables, record }: Machine, name: string, values: readonly string[], isSure: boolean): void {
  for (const one of isSure ? [] : [variables.get(name) ?? [], values]) record.say(one.join(' '), 'unsure', 'unsure')
  variables.set(name, values, isSure)
}

/** Sets what an assignment sets; answers its text. */
export function assign(machine: Machine, assignment: Assignment, scope: Scope): Field {
  const { value, name, pos: start, end } = assignment
  const guesses = machine.variables.guesses
  const values =
    value.type === 'ArrayValue'
      ? value.elements.flatMap((element) => expandWord(machine, element, scope, 'shown').map((field) => field.text))
      : [expandToText(machine, value, scope)]
  const before = assignment.append === true ? (machine.variables.get(name) ?? []) : []
  const joined = value.type === 'ArrayValue' ? [...before, ...values] : [[...before, ...values].join('')]
  if (machine.spend(0, joined.join('').length))
    setVariable(machine, name, joined, scope.use === 'done' && machine.variables.guesses === guesses)
  return { text: `${name}=${values.join(' ')}`, start, end, verbatim: null }
}
