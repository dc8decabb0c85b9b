/** Span that the collector decoded from the bytes of protobuf: https://github.com/open-telemetry/opentelemetry-proto, trace v1. */
export interface ReceivedSpan {
  readonly trace: string
  readonly id: string
  readonly parent: string
  readonly name: string
  /** Span kind: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  /** Status code: 0 unset, 2 error. */
  readonly status: number
  readonly status_message: string
  /** Events of the span, which are deprecated: Veridict sends none. */
  readonly events: number
  readonly resource: Readonly<Record<string, unknown>>
}

/** Record of the signal logs (logs v1 of the same protocol) with the name of an event; `id`: the span in which it happened. */
export type ReceivedEvent = Pick<ReceivedSpan, 'trace' | 'id' | 'name' | 'attributes' | 'resource'>

type Field = bigint | Buffer

/** Reads the fields of a message, by field number; a repeated field has several values. */
function fieldsOf(bytes: Buffer): Map<number, Field[]> {
  const fields = new Map<number, Field[]>()
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error('the message breaks off')
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Error('the message breaks off')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const wire = tag & 7
    const value = wire === 0 ? varint() : take(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint()))
    const number = tag >> 3
    fields.set(number, [...(fields.get(number) ?? []), value])
  }
  return fields
}

const messages = (fields: Map<number, Field[]>, number: number): Map<number, Field[]>[] =>
  (fields.get(number) ?? []).map((value) => fieldsOf(value as Buffer))
const text = (fields: Map<number, Field[]>, number: number): string =>
  ((fields.get(number)?.[0] as Buffer) ?? '').toString()
const hex = (fields: Map<number, Field[]>, number: number): string =>
  ((fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0)).toString('hex')
const int = (fields: Map<number, Field[]>, number: number): number => Number((fields.get(number)?.[0] as bigint) ?? 0n)

function attributesOf(fields: Map<number, Field[]>, number: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(fields, number).map((pair) => {
      const [value] = messages(pair, 2)
      return [text(pair, 1), value === undefined ? null : anyValue(value)]
    }),
  )
}

function anyValue(value: Map<number, Field[]>): unknown {
  if (value.has(1)) return text(value, 1)
  if (value.has(2)) return int(value, 2) === 1
  if (value.has(3)) return int(value, 3)
  const double = value.get(4)?.[0]
  if (double instanceof Buffer) return double.readDoubleLE()
  throw new Error(`an attribute of another kind: ${[...value.keys()].join()}`)
}

/** Reads all records of an export request: of each resource, of each scope. Requests of spans and of logs have the same outer messages. */
function recordsOf<T>(body: Buffer, read: (record: Map<number, Field[]>, resource: Record<string, unknown>) => T): T[] {
  return messages(fieldsOf(body), 1).flatMap((ofResource) => {
    const resource = attributesOf(messages(ofResource, 1)[0] ?? new Map(), 1)
    return messages(ofResource, 2).flatMap((ofScope) => messages(ofScope, 2).map((record) => read(record, resource)))
  })
}

/** Reads an ExportTraceServiceRequest. */
export const decodeSpans = (body: Buffer): ReceivedSpan[] =>
  recordsOf(body, (span, resource) => {
    const status = messages(span, 15)[0] ?? new Map<number, Field[]>()
    return {
      trace: hex(span, 1),
      id: hex(span, 2),
      parent: hex(span, 4),
      name: text(span, 5),
      kind: int(span, 6),
      attributes: attributesOf(span, 9),
      status: int(status, 3),
      status_message: text(status, 2),
      events: messages(span, 11).length,
      resource,
    }
  })

/** Reads an ExportLogsServiceRequest. */
export const decodeEvents = (body: Buffer): ReceivedEvent[] =>
  recordsOf(body, (record, resource) => ({
    name: text(record, 12),
    trace: hex(record, 9),
    id: hex(record, 10),
    attributes: attributesOf(record, 6),
    resource,
  }))
