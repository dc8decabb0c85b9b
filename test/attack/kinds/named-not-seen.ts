import { HARNESSES, type Turn } from '../../harness-logs/harnesses.ts'
import { readTables } from '../../tables.ts'
import type { Cited, KindCase } from './kind-case.ts'
import { answers, cueTurn, didCue, lookTurn, saw, spreadTable, WORLDS, type WorldName } from './world.ts'

type Naming = readonly [world: WorldName, shell: string, output: string, line?: string]
const { namings: NAMINGS } = readTables<{ namings: Readonly<Record<string, Naming>> }>('attack/tables/namings')

const TEST: Turn = { shell: 'make test', output: '14 passed' }

/** Nothing was seen, or only after the act: the name is no sight, and dates none. */
export const namedNotSeen = (): KindCase[] =>
  spreadTable(NAMINGS, HARNESSES, 8, (shape, [name, shell, output, line = output], run) => {
    const world = WORLDS[name]
    const turn = { shell, output }
    const named: Cited = { supports: 'surface.observed', quote: line, find: line }
    const early = [turn, cueTurn(world), lookTurn(world), TEST]
    const cites = [saw(world), didCue(world)]
    return answers({ ...run, kind: 'named_not_seen', shape, world }, [
      [[turn, TEST], 'not_observed', 'ignored', [named], '-never'],
      [[turn, TEST], 'not_observed', 'not_observed', [], '-never'],
      [early, 'ignored', 'aligned', cites, '-early'],
      [early, 'ignored', 'ignored', cites, '-early'],
      [[turn, lookTurn(world), cueTurn(world), TEST], 'aligned', 'aligned', cites, '-late'],
    ])
  })
