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
}

/** How positions of the text that is being read map to the source: shifted, or all of it one place. */
export type Frame = { readonly shift: number } | { readonly start: number; readonly end: number }
