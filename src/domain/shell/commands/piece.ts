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
