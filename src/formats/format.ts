import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Json, Reading } from './common/reading.ts'

export type ReadDocument = Pick<Trajectory, 'format' | 'agent' | 'steps'>

/**
 * One trajectory format. A document is one JSON object; a file that is an array or JSON lines becomes `{"records": […]}` before
 * (`open-documents.ts`), and a file that holds many runs becomes many documents.
 */
export interface Format {
  /** Said to people: `claude-code`, `inspect`. */
  readonly name: string
  /** A cheap look at the members, never at a file name. The first format of the table that recognizes a document reads it. */
  recognizes(document: Json): boolean
  /** Errors and warnings go to `reading`; a part's `path` is a JSON pointer into the document. */
  read(reading: Reading, document: Json): ReadDocument
}

/** A list of a document, and where it stands. */
export interface ListIn {
  readonly list: readonly unknown[]
  readonly path: string
}

/** The first of some members of a document that holds a list of the kind; null: none does. */
export function listIn(
  document: Json,
  names: readonly string[],
  isKind: (list: readonly unknown[]) => boolean,
): ListIn | null {
  for (const name of names) {
    const list = document[name]
    if (Array.isArray(list) && isKind(list)) return { list, path: `/${name}` }
  }
  return null
}

/** One run that a file holds, as a document for `readTrajectory`, with what the file says about it. */
export interface FoundRun {
  /** What tells it from the other runs of its file: a sample id, an epoch, an index. Empty where the file holds one run. */
  readonly name: string
  readonly document: Record<string, unknown>
  readonly about?: RunAbout
}

export interface OpenedDocument extends Required<FoundRun> {
  /** What of the file was left out. Empty where nothing was. */
  readonly warnings: readonly string[]
}

/** What the file says of its run. Absent: it does not say. */
export interface RunAbout {
  readonly task?: string
  readonly agent?: string
  readonly model?: string
  readonly run_index?: number
  /** What the user asked, where the file says so outside of the steps. */
  readonly instruction?: string
  /** Numbers by name, as the harness wrote them: `reward`, `accuracy`. */
  readonly scores?: Readonly<Record<string, number>>
  /** For the metadata of its trial: what names the run where it came from, so that its grade finds back there. */
  readonly origin?: Readonly<Record<string, string | number>>
}
