import type { Field, Machine, Scope } from '../commands/machine.ts'
import { doubted, type Frame, type Piece, type Status } from '../commands/outcome.ts'
import { TAKEN_OUTPUT, wholeOf } from './expand.ts'
import type { Taken } from './use.ts'

/** A command with its words, its input and where its output goes. */
export interface Call {
  readonly name: string
  readonly fields: readonly Field[]
  readonly words: readonly string[]
  readonly scope: Scope
}

export function mention(machine: Machine, field: Field, asString: Taken, asCommand: Taken): void {
  machine.record.say(field.text, asString, asCommand)
  machine.paint(field.start, field.end, asString)
}

export function mentionAll(machine: Machine, fields: readonly Field[], asString: Taken, asCommand: Taken): null {
  machine.record.say(fields.map((field) => field.text).join(' '), asString, asCommand)
  for (const field of fields) machine.paint(field.start, field.end, asString)
  return null
}

export const wordOf = (text: string): Field => ({ text, start: 0, end: 0, verbatim: null })

export const fieldsOf = (piece: Piece): Field[] =>
  piece.text
    .split(/\s+/u)
    .filter((text) => text !== '')
    .map((text) => ({ text, start: piece.start, end: piece.end, verbatim: null }))

/** The frame in which the text of a field is read as a script. */
export const frameOf = (machine: Machine, { verbatim, start, end }: Field): Frame =>
  verbatim !== null && 'shift' in machine.frame
    ? { shift: verbatim + machine.frame.shift }
    : wholeOf(machine.frame, start, end)

export const frameOfPiece = (piece: Piece): Frame =>
  piece.verbatim && 'shift' in piece.frame
    ? { shift: piece.start + piece.frame.shift }
    : wholeOf(piece.frame, piece.start, piece.end)

/** Pieces that come from one after the other are one script. */
export function joined(pieces: readonly Piece[]): readonly Piece[] {
  const [first] = pieces
  if (first === undefined || pieces.length === 1) return pieces
  return [
    {
      ...first,
      text: pieces.map((piece) => piece.text).join(''),
      end: pieces.at(-1)?.end ?? first.end,
      verbatim: false,
    },
  ]
}

/** Stands for the text of a file that this script did not write. */
export const contentOf = (machine: Machine, file: string, start: number): Piece => ({
  text: '',
  start,
  end: start,
  frame: machine.frame,
  verbatim: false,
  file,
})

/** What is read from a file: what this script wrote into it, or what stands for its text. */
export function textOf(machine: Machine, path: string, start = 0): readonly Piece[] {
  const known = machine.files.get(path) ?? [contentOf(machine, path, start)]
  return machine.files.isDoubtful(path) ? known.map(doubted) : known
}

/** Runs a script that comes as text, in the process of this one. */
export function runText(machine: Machine, text: string, frame: Frame, scope: Scope): Status {
  if (text.includes(TAKEN_OUTPUT)) machine.record.takesFrom.add('')
  return machine.deeper(() => machine.evaluate.text(machine, text, frame, { ...scope, input: [] }))
}
