/** A value as both databases have it: whole numbers are bigint, others number. */
export type Value = string | number | bigint | Uint8Array | null
/** A row by the names of its columns. */
export type Row = Readonly<Record<string, Value>>

/** What one statement writes, and what is held in memory at once; one row may be larger. */
export const CHUNK_BYTES = 4 * 1024 * 1024
export const CHUNK_ROWS = 2_000

/** About how much a row holds. */
export function sizeOf(row: Row): number {
  let bytes = 0
  for (const value of Object.values(row)) {
    if (typeof value === 'string') bytes += value.length
    else if (value instanceof Uint8Array) bytes += value.length
    else bytes += 8
  }
  return bytes
}
