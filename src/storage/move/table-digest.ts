import { createHash } from 'node:crypto'
import type { MovedTable, Row, Value } from './moved-tables.ts'

/** Rows, and a digest that is the same in whatever order they come: each order of both databases is one. */
export interface Totals {
  readonly rows: number
  /** The sum of the SHA-256 of all rows modulo 2^256, in hex. */
  readonly digest: string
}

const MODULUS = 1n << 256n
const KIND = { nothing: 0, integer: 1, real: 2, text: 3, bytes: 4 } as const

/** Adds up the rows of a table, in any order. */
export function createAdder({ columns }: Pick<MovedTable, 'columns'>) {
  let [rows, sum] = [0, 0n]
  const names = Object.keys(columns)
  return {
    add(row: Row): void {
      const hash = createHash('sha256')
      for (const name of names) {
        const part = render(row[name] ?? null)
        hash.update(part.head)
        hash.update(part.body)
      }
      rows += 1
      sum = (sum + BigInt(`0x${hash.digest('hex')}`)) % MODULUS
    },
    totals: (): Totals => ({ rows, digest: sum.toString(16).padStart(64, '0') }),
  }
}

/** Its kind and its length stand before a value: no two rows have the same bytes. */
function render(value: Value): { head: Buffer; body: Uint8Array } {
  const [kind, body] = renderBody(value)
  const head = Buffer.allocUnsafe(7)
  head.writeUInt8(kind, 0)
  head.writeUIntBE(body.length, 1, 6)
  return { head, body }
}

function renderBody(value: Value): [kind: number, body: Uint8Array] {
  if (value === null) return [KIND.nothing, new Uint8Array()]
  if (typeof value === 'bigint') return [KIND.integer, Buffer.from(value.toString())]
  if (typeof value === 'string') return [KIND.text, Buffer.from(value)]
  if (typeof value !== 'number') return [KIND.bytes, value]
  const eight = Buffer.allocUnsafe(8)
  eight.writeDoubleBE(value)
  return [KIND.real, eight]
}
