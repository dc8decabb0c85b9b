/** True and false where the script alone decides it. */
export type Status = boolean | null

/** How often a command fails: what looks at something sometimes; a test, or what may have been left before its end, often; `! make` mostly. */
export type Fails = 'rarely' | 'sometimes' | 'often' | 'mostly'

/** What a command came to. */
export interface Outcome {
  readonly status: Status
  readonly fails: Fails
}

export const SUCCESS: Outcome = { status: true, fails: 'rarely' }
export const OPEN: Outcome = { status: null, fails: 'often' }

/** How often `! command` fails. */
export const opposite = (fails: Fails): Fails => (fails === 'rarely' ? 'mostly' : fails === 'mostly' ? 'rarely' : fails)

const ORDER: readonly Fails[] = ['rarely', 'sometimes', 'often']

/** How often fails what may be either, or needs both; that it mostly does is not known any more. */
export const moreOften = (one: Fails, other: Fails): Fails =>
  one === 'mostly' || other === 'mostly' ? 'often' : (ORDER[Math.max(ORDER.indexOf(one), ORDER.indexOf(other))] ?? one)

/** A piece of output whose text is known, and where in the source it stands. */
export interface Piece {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly frame: Frame
  /** Its characters stand in the source one by one from `start` on. */
  readonly verbatim: boolean
  /** The file whose text it is, where only its name is known. */
  readonly file?: string
  /** `printed`: perhaps nothing prints it. `text`: a program on its way may have changed it. */
  readonly doubt?: 'printed' | 'text'
}

/** Stands for what a command prints of which nothing is known. */
export const UNKNOWN: Piece = {
  text: '',
  start: 0,
  end: 0,
  frame: { start: 0, end: 0 },
  verbatim: false,
  doubt: 'text',
}

export const isUnknownOutput = ({ text, file, doubt }: Piece): boolean =>
  text === '' && file === undefined && doubt !== undefined

export const doubted = (piece: Piece): Piece => ({ ...piece, doubt: piece.doubt ?? 'text' })

/** Whether all of the text, and nothing else, is there. */
export const isExact = (pieces: readonly Piece[]): boolean =>
  pieces.every(({ file, doubt }) => file === undefined && doubt === undefined)

/** Whether a text is known that may be another one, or not be there; what is not known at all does not count. */
export const isDoubtful = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ text, doubt }) => text !== '' && doubt !== undefined)

/** How positions of the text that is being read map to the source: shifted, or all of it one place. */
export type Frame = { readonly shift: number } | { readonly start: number; readonly end: number }
