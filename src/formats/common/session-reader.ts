import type { ListIn, ReadDocument } from '../format.ts'
import { own, type ToolTable } from '../tools/tool-table.ts'
import { type Json, objectsIn, type Reading } from './reading.ts'
import { asList, Session } from './session.ts'

/** The readers of a harness's records by type; `bookkeeping`: the record holds nothing that the agent said, did or saw. */
export type RecordTable = Readonly<Record<string, ((record: Json, path: string) => void) | 'bookkeeping'>>

/** Reads the log of one harness, a list of records, into the steps of a session. */
export abstract class SessionReader extends Session {
  readonly harness: string
  model: string | null = null

  constructor(reading: Reading, harness: string, tools: ToolTable) {
    super(reading, tools)
    this.harness = harness
  }

  abstract record(record: Json, path: string): void

  /** Reads all records. `what`: the noun of a record in the error for an item that is no object. */
  readAll({ list, path }: ListIn, what: string): ReadDocument {
    for (const [record, at] of objectsIn(this.reading, list, path, what)) this.record(record, at)
    return this.ended(path)
  }

  ended(path: string): ReadDocument {
    return { format: this.harness, agent: { name: this.harness, model: this.model }, steps: this.finish(path) }
  }

  /** Reads a record by its type; a record of a type that the table lacks counts as unread. */
  protected byType(table: RecordTable, what: string, record: Json, path: string, type = record['type']): void {
    const read = typeof type === 'string' ? own(table, type) : undefined
    if (read === undefined) this.reading.unreadRecord(path, what, type, record)
    else if (read === 'bookkeeping') this.reading.leaveOut(path)
    else read(record, path)
  }
}

/** Returns the list of a document under a name; an empty list for another value. */
export const listAt = (document: Json, name: string): ListIn => ({ list: asList(document[name]), path: `/${name}` })
