import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Json, Reading } from './common/reading.ts'
import { isEmpty } from './common/session.ts'

export type ReadDocument = Pick<Trajectory, 'format' | 'agent' | 'steps'>

/** A trajectory format of one JSON object; `open-documents.ts` makes `{"records": […]}` of an array or JSON lines, and several documents of several runs. */
export interface Format {
  /** The name that messages show: `claude-code`, `inspect`. */
  readonly name: string
  /** Recognizes a document cheaply by its members, never by a file name; the first such format of the table reads the document. */
  recognizes(document: Json): boolean
  /** Reads a document. Errors and warnings go to `reading`; the `path` of a part is a JSON pointer into the document. */
  read(reading: Reading, document: Json): ReadDocument
  /** Splits a file of many runs, each with the facts about it; null where the file is of another kind. A document of many runs is refused. */
  split?(root: Json): readonly FileRun[] | null
  /** True where the reader itself tells which subagents the document holds: a trace, or a harness that names them. */
  readonly holdsSubagents?: true
}

/** A list of a document, and its path. */
export type ListIn = { readonly list: readonly unknown[]; readonly path: string }

/** Returns the first named member that holds a list of the kind; null where none does. */
export function listIn(document: Json, names: readonly string[], isKind: (list: ListIn['list']) => boolean) {
  const lists = names.map((name) => ({ list: document[name], path: `/${name}` }))
  return lists.find((item): item is ListIn => Array.isArray(item.list) && isKind(item.list)) ?? null
}

/** Groups the rows of a list by their run, in order of the first rows; an odd row, and a row without an id, stay beside the row before them. */
export function groupRows(list: readonly unknown[], isRow: (row: unknown) => row is Json, idOf: (row: Json) => string) {
  let id = list.filter(isRow).map(idOf).find(Boolean) ?? ''
  const groups = Map.groupBy(list, (row) => {
    if (isRow(row)) id = idOf(row) || id
    return id
  })
  return [...groups]
}

/** A run of a file, as a document for `readTrajectory`, with the file's facts about it. */
export interface FileRun {
  /** The run's name within its file: a sample id, an epoch, an index. Empty for the only run of a file. */
  readonly name: string
  readonly document: Record<string, unknown>
  readonly about?: RunAbout
}

export interface OpenedDocument extends Required<FileRun> {
  /** Warnings about the parts of the file that were left out. Empty where all was read. */
  readonly warnings: readonly string[]
}

/** The file's facts about its run; a fact that the file omits is absent. */
export interface RunAbout {
  readonly task?: string
  readonly agent?: string
  readonly model?: string
  readonly run_index?: number
  /** The end of the run, as the harness names it: `exit_cost`, `max_steps`, `message_limit`. */
  readonly ended_by?: string
  /** The user's request, where the file holds it outside of the steps. */
  readonly instruction?: string
  /** Numbers by name, as the harness wrote them: `reward`, `accuracy`. */
  readonly scores?: Readonly<Record<string, number>>
  /** Ids of the run at its source, for the metadata of its trial, so that its grade can be matched there. */
  readonly origin?: Readonly<Record<string, string | number>>
}

/** Returns the facts that are known: neither null nor empty. */
export const factsOf = (facts: { readonly [K in keyof RunAbout]: RunAbout[K] | null }): RunAbout =>
  Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== null && fact !== '' && !isEmpty(fact)))
