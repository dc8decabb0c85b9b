import type { ListIn, ReadDocument } from '../format.ts'
import { own, toolsOf } from '../tools/tool-table.ts'
import { namesOf } from '../vocabulary.ts'
import { type Json, mayAct, namesCall, objectsIn, type Reading } from './reading.ts'
import { asList, Session } from './session.ts'

export type RecordTable = Readonly<Record<string, (record: Json, path: string) => void>>

const KINDS_OF_IDS = ['', 'event ', 'item ', 'call ', 'id '] as const

/** Reads the log of one harness, a list of records, into the steps of a session. */
export abstract class SessionReader extends Session {
  readonly harness: string
  /** Types of records that hold nothing that the agent said, did or saw. */
  readonly leftOut: ReadonlySet<unknown>
  model: string | null = null
  readonly #beside: (readonly [path: string, record: Json])[] = []

  constructor(reading: Reading, harness: string) {
    super(reading, toolsOf(harness), harness)
    this.harness = harness
    this.leftOut = namesOf(harness, 'left_out')
  }

  abstract record(record: Json, path: string): void

  readAll({ list, path }: ListIn): ReadDocument {
    for (const [record, at] of objectsIn(this.reading, list, path)) this.record(record, at)
    return this.ended(path)
  }

  /** Leaves out a record of the harness's own; a record that may hold an act must name a call that the run shows. */
  protected leaveOut(record: Json, path: string): void {
    this.reading.leaveOut(path)
    if (mayAct(record)) this.#beside.push([path, record])
  }

  #countLeftOut(): void {
    const isCall = (id: string): boolean => KINDS_OF_IDS.some((kind) => this.hasCall(kind + id))
    for (const [path, record] of this.#beside)
      if (!namesCall(record, isCall))
        this.reading.unread(path, 'tells of an act of which no call is shown; not read', true)
  }

  ended(path: string): ReadDocument {
    this.#countLeftOut()
    return { format: this.harness, agent: { name: this.harness, model: this.model }, steps: this.finish(path) }
  }

  /** Reads a record by its type; a record of a type that the table lacks counts as unread. */
  protected byType(table: RecordTable, what: string, record: Json, path: string, type = record['type']): void {
    const read = typeof type === 'string' ? own(table, type) : undefined
    if (read !== undefined) read(record, path)
    else if (this.leftOut.has(type)) this.leaveOut(record, path)
    else this.reading.unreadRecord(path, what, type, record)
  }
}

/** Returns the list of a document under a name; an empty list for another value. */
export const listAt = (document: Json, name: string): ListIn => ({ list: asList(document[name]), path: `/${name}` })
