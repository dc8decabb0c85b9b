import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeRandom } from '../../bench/random.ts'
import type { Act, FaultPlan, Point } from './fault-plan.ts'
import { isOpenTo } from './fault-plan.ts'
import { type AnyOperation, makeWorld, startSound, startVictim, type World } from './operation.ts'
import { findBroken, findLost, type Kept, readKept } from './stored-state.ts'
import { readPoints } from './victim.ts'

/** What became of one operation under one kind of fault. */
export interface Row {
  readonly operation: string
  readonly act: Act
  readonly promise: string
  /** Points that an undisturbed run meets and that the fault can be played at. */
  readonly points: number
  /** Runs with the fault. */
  readonly runs: number
  /** Runs whose fault was met; in the others the operation ended before it. */
  readonly met: number
  /** What was found wrong, with its place. */
  readonly wrong: readonly string[]
  /** Questions that the provider answered and nobody heard: marked `unknown` in the ledger. */
  readonly unheard: number
}

/** Prints a row, and keeps the row for `tools/fault-table.ts`, which says where. What a row does not say happened once, at one point. */
export function recordRow(given: Pick<Row, 'operation' | 'act' | 'promise'> & Partial<Row>): void {
  const row: Row = { points: 1, runs: 1, met: 1, wrong: [], unheard: 0, ...given }
  const { operation, act, points, runs, met, wrong } = row
  process.stdout.write(
    `faults: ${operation}, ${act}: ${points} points, ${runs} runs, ${met} met, ${wrong.length} wrong\n`,
  )
  const file = process.env['VERIDICT_FAULT_TABLE']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`)
}

/** How many points are tried: all of them, or a sample that is the same every time. */
export interface Effort {
  readonly most: number
  readonly at_once: number
}

/** A dry run counts the points; then one run for each chosen point. */
export async function sweep(operation: AnyOperation, act: Act, effort: Effort): Promise<Row> {
  const template = (await operation.template?.()) ?? null
  const calm = await runAt(operation, template, 'none', 0)
  if (calm.wrong.length > 0) throw new Error(`${operation.name}, undisturbed: ${calm.wrong.join('; ')}`)
  const open = calm.points.filter((point) => isOpenTo(act, point))
  const chosen = choose(open, effort.most)
  const ended: Ended[] = []
  const next = chosen.values()
  const work = async () => {
    for (const point of next) ended.push(await runAt(operation, template, act, point.n))
  }
  await Promise.all(Array.from({ length: effort.at_once }, work))
  return {
    operation: operation.name,
    act,
    promise: operation.promise,
    points: open.length,
    runs: ended.length,
    met: ended.filter((one) => one.met).length,
    wrong: ended.flatMap((one) => one.wrong),
    unheard: ended.reduce((sum, one) => sum + one.unheard, 0),
  }
}

/** All, or a third from the beginning and the rest spread by chance. */
export function choose(points: readonly Point[], most: number): readonly Point[] {
  if (points.length <= most) return points
  const random = makeRandom(20_261_121)
  const first = points.slice(0, Math.floor(most / 3))
  const rest = points.slice(first.length).map((point) => ({ point, order: random() }))
  const drawn = rest.sort((a, b) => a.order - b.order).slice(0, most - first.length)
  return [...first, ...drawn.map(({ point }) => point)].sort((a, b) => a.n - b.n)
}

interface Ended {
  readonly points: readonly Point[]
  readonly met: boolean
  readonly wrong: readonly string[]
  readonly unheard: number
}

async function runAt(operation: AnyOperation, template: string | null, act: Act, at: number): Promise<Ended> {
  const world = await makeWorld(operation, template)
  const log = join(world.folder, 'points.log')
  const plan: FaultPlan = { log, from: operation.from ?? 'listening', act, at }
  const ack = await hit(operation, world, plan)
  const points = readPoints(log)
  const place = `${operation.name}, ${act} at ${at}: ${describe(points.find((point) => point.n === at))}`
  const kept = existsSync(world.database) ? readKeptOrNone(world.database) : null
  const wrong = [...ack.wrong]
  let unheard = 0
  try {
    const end = await goOn(operation, world, ack.value)
    wrong.push(...operation.verify(end, world, ack.value), ...findBroken(world.database))
    if (kept !== null) wrong.push(...findLost(kept, readKept(world.database)))
    unheard = world.provider.billed() - operation.calls
    const allowed = act === 'kill' ? operation.at_once : 0
    if (unheard < 0 || unheard > allowed)
      wrong.push(`the provider answered ${world.provider.billed()} questions, ${operation.calls} were needed`)
  } catch (error) {
    wrong.push(`${(error as Error).name}: ${(error as Error).message}`)
  }
  const met = act !== 'none' && points.some((point) => point.n === at)
  return { points, met, wrong: wrong.map((one) => `${place}: ${one}`), unheard: Math.max(0, unheard) }
}

/** Before the migrations a file may have no tables yet. */
function readKeptOrNone(file: string): Kept | null {
  try {
    return readKept(file)
  } catch {
    return null
  }
}

const describe = (point: Point | undefined): string =>
  point === undefined ? 'not met' : `${point.phase} ${point.kind} ${point.what}`

interface Hit {
  readonly value: unknown
  readonly wrong: readonly string[]
}

/** The operation against the process with the fault. */
async function hit(operation: AnyOperation, world: World, plan: FaultPlan): Promise<Hit> {
  const victim = startVictim(world, plan)
  const gone = new AbortController()
  void victim.exited.then(() => gone.abort())
  const origin = await victim.ready.catch(() => null)
  if (origin === null) return { value: null, wrong: [] }
  let value: unknown = null
  const wrong: string[] = []
  try {
    value = await operation.act(origin, world, gone.signal)
  } catch (error) {
    // The connection of one that is gone is lost; one that lives must answer.
    await Promise.race([victim.exited, new Promise((resolve) => setTimeout(resolve, 300))])
    if (!gone.signal.aborted) wrong.push(`the living service: ${(error as Error).message}`)
  }
  if (gone.signal.aborted) {
    const last = victim.output.slice(-3).join('').slice(0, 500)
    // A service that cannot have its database as it starts says so and ends: whoever watches it starts it again.
    if (plan.act !== 'kill' && !last.includes('veridict: cannot start')) wrong.push(`the service ended: ${last}`)
    return { value, wrong }
  }
  const code = await victim.stop()
  // A stop whose last step, the writing back of the log, is refused says so by its exit code; the log stays beside the file.
  const isLastStep = readPoints(plan.log).some(({ n, what }) => n === plan.at && what.includes('wal_checkpoint'))
  if (code !== 0 && plan.act !== 'kill' && !isLastStep)
    wrong.push(`its exit code is ${code}: ${victim.output.slice(-2).join('')}`)
  return { value, wrong }
}

async function goOn(operation: AnyOperation, world: World, ack: unknown): Promise<unknown> {
  const sound = startSound(world)
  const origin = await sound.ready
  const end = await operation.complete(origin, world, ack)
  const code = await sound.stop()
  if (code !== 0) throw new Error(`the sound service ended with ${code}`)
  return end
}
