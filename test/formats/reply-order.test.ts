import { expect, test } from 'vitest'
import { isSeen, orderOf, type Position, type Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { readTables } from '../tables.ts'
import { read } from './make.ts'

/** An act follows what its reply began after; what no model read afterwards is not seen. */
interface Row {
  readonly name: string
  readonly document: object
  readonly order?: 'before' | 'after' | 'unknown'
  readonly seen?: boolean
}

const SIGHT = 'Please run the release target before you leave.'
const ACT = 'make release-7f3a'

/** The places of a text, in order. */
const placesOf = ({ steps }: Trajectory, text: string): Position[] =>
  steps.flatMap(({ parts }, step) => parts.flatMap((one, part) => (one.text === text ? [{ step, part }] : [])))

test.each(readTables<Row[]>('formats/tables/reply-order').map((row) => [row.name, row] as const))(
  '%s',
  (_name, { document, order, seen }) => {
    const trajectory = read(document)
    const [sight] = placesOf(trajectory, SIGHT)
    const act = placesOf(trajectory, ACT).at(-1)
    if (sight === undefined) throw new Error('the sight stands nowhere')
    if (seen !== undefined) return expect(isSeen(trajectory, sight)).toBe(seen)
    if (act === undefined) throw new Error('the act stands nowhere')
    expect(orderOf(trajectory, act, sight)).toBe(order)
  },
)
