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
