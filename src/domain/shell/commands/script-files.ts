import { normalPath } from '../../acts/mentions.ts'
import type { Write } from '../syntax/record.ts'
import type { Taken } from '../syntax/use.ts'
import { isDoubtful, type Piece } from './outcome.ts'

interface Content {
  readonly pieces: Piece[]
  readonly writes: Write[]
  /** What changes it may not run, or is not followed: it is not known whether this is its text. */
  doubtful: boolean
}

/** The files whose text a script wrote. */
export class ScriptFiles {
  private readonly contents = new Map<string, Content>()

  get size(): number {
    return this.contents.size
  }

  get(path: string): readonly Piece[] | undefined {
    return this.contents.get(normalPath(path))?.pieces
  }

  isDoubtful(path: string): boolean {
    return this.contents.get(normalPath(path))?.doubtful === true
  }

  set(path: string, pieces: readonly Piece[]): void {
    this.contents.set(normalPath(path), { pieces: [...pieces], writes: [], doubtful: isDoubtful(pieces) })
  }

  /** Adds to the end. */
  append(path: string, piece: Piece, write: Write): void {
    const content = this.open(path)
    content.pieces.push(piece)
    content.writes.push(write)
    if (write.use !== 'done' || piece.doubt !== undefined) content.doubtful = true
  }

  /** Empties the file, as `>` does before anything is written. */
  replace(path: string, use: Taken): void {
    if (this.forget(path, use)) this.open(path)
  }

  /** False: it may not happen, so that the text is in doubt. */
  forget(path: string, use: Taken): boolean {
    if (use !== 'done') {
      this.doubt(path)
      return false
    }
    const key = normalPath(path)
    for (const write of this.contents.get(key)?.writes ?? []) write.replaced = true
    this.contents.delete(key)
    return true
  }

  doubt(path: string): void {
    const content = this.contents.get(normalPath(path))
    if (content !== undefined) content.doubtful = true
  }

  /** Those in a folder, or that a pattern may name. */
  *among(start: string): Generator<string> {
    const prefix = normalPath(start)
    for (const path of this.contents.keys()) if (path.startsWith(prefix)) yield path
  }

  private open(path: string): Content {
    const key = normalPath(path)
    const known = this.contents.get(key)
    if (known !== undefined) return known
    const content = { pieces: [], writes: [], doubtful: false }
    this.contents.set(key, content)
    return content
  }
}
