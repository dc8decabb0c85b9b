/** A value as both databases have it: whole numbers are bigint, others number. */
export type Value = string | number | bigint | Uint8Array | null
/** A row by the names of its columns. */
export type Row = Readonly<Record<string, Value>>
