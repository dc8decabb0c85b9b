import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createLane, type Lane, type LaneSettings } from '../../src/asking/lane/lane.ts'
import type { SharedLimits } from '../../src/asking/shared/shared-limits.ts'
import { systemClock } from '../../src/boot/clock.ts'
import type { JudgeReply } from '../../src/ports/judge-ports.ts'
import { openSharedLimits } from '../../src/storage/postgres/cluster/shared-limits.ts'
import { replyOf } from '../grading/harness.ts'
import { SETTINGS } from './postgres-settings.ts'
import { describePostgres } from './postgres-tools.ts'

const GOOD = replyOf('{}')
const CALL_MS = 1_000
const SLOW = { timeout: 90_000 }
const CALLER = fileURLToPath(new URL('shared-limits-caller.ts', import.meta.url))

/** Everything that calls the judge goes through here, whichever process it is of. */
function countedJudge() {
  let inFlight = 0
  let most = 0
  let calls = 0
  let reply: () => JudgeReply = () => GOOD
  return {
    async ask(ms: number): Promise<JudgeReply> {
      inFlight += 1
      calls += 1
      most = Math.max(most, inFlight)
      const its = reply()
      await delay(ms)
      inFlight -= 1
      return its
    },
    says(next: () => JudgeReply) {
      reply = next
    },
    calls: () => calls,
    most: () => most,
    inFlight: () => inFlight,
  }
}

interface Instance {
  readonly lane: Lane
  /** Batches stop; what is in flight ends. */
  drain(): Promise<void>
  /** As a process does that is stopped: it gives back what it has. */
  close(): Promise<void>
  /** As a process does that is killed: nobody says anything. */
  die(): void
  readonly kinds: Map<string, number>
}

/** Takes the first of the children and sends it a signal; one that was only stopped comes back as the last. */
async function disturb(children: ChildProcess[], signal: NodeJS.Signals, ms: number): Promise<void> {
  const child = children.shift()
  if (child === undefined) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await delay(ms)
  if (signal !== 'SIGSTOP') return void (await gone)
  child.kill('SIGCONT')
  children.push(child)
}

describePostgres('a judge that processes of one PostgreSQL share', (tools) => {
  /** A migrated schema, and processes that each come with connections of their own. */
  async function openCluster(settings: LaneSettings) {
    const { server, newSchema, open } = tools()
    const schema = newSchema()
    const stores = await open(schema)
    const judge = countedJudge()
    const opened: SharedLimits[] = []
    /** `lag`: how long its looks are held up on the way back, in milliseconds. */
    function start(lag: () => number = () => 0): Instance {
      const real = openSharedLimits(server.url, schema, SETTINGS)
      opened.push(real)
      const limits: SharedLimits = {
        async look(name, look) {
          const view = await real.look(name, look)
          await delay(lag())
          return view
        },
        close: () => real.close(),
      }
      const elapsed = () => performance.now()
      const lane = createLane(settings, systemClock, { judge: 'j', limits, call_ms: CALL_MS, elapsed })
      const kinds = new Map<string, number>()
      const going = new Set<Promise<void>>()
      let stopped = false
      const fill = () => {
        while (!stopped && going.size < lane.wanted('a')) {
          const call: Promise<void> = lane
            .call('a', () => judge.ask(5 + Math.random() * 40))
            .then(({ kind }) => {
              kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
              going.delete(call)
              fill()
            })
          going.add(call)
        }
      }
      const end = lane.onChange(fill)
      fill()
      return {
        lane,
        kinds,
        async drain() {
          stopped = true
          end()
          await Promise.all(going)
        },
        async close() {
          lane.close()
          await real.close()
        },
        die() {
          stopped = true
          end()
          lane.close()
        },
      }
    }
    return {
      server,
      schema,
      judge,
      start,
      async end(instances: readonly Instance[]) {
        await Promise.all(instances.map((instance) => instance.drain()))
        await Promise.all(instances.map((instance) => instance.close()))
        await Promise.all(opened.map((limits) => limits.close()))
        await stores.close()
      },
      readState: async () => {
        const [row] = await server.query(`SELECT state FROM "${schema}".judges`)
        return JSON.parse(String(row?.['state'])) as { shares: Record<string, { held: number }> }
      },
    }
  }

  test('takes no more calls at once than its limit, while processes come, lag, leave and die', SLOW, async () => {
    const limit = 12
    const { judge, start, end, readState } = await openCluster({ initial: limit, min: limit, max: limit })
    const living = [start(), start(() => Math.random() * 300), start()]
    for (let round = 0; round < 8; round++) {
      await delay(700)
      const first = living.shift()
      if (round % 3 === 2) first?.die()
      else {
        await first?.drain()
        await first?.close()
      }
      living.push(start(() => Math.random() * 20 * round))
      if (round === 5) living.push(start(() => 1500))
    }
    await delay(2_000)
    expect(judge.most()).toBeLessThanOrEqual(limit)
    expect(judge.calls()).toBeGreaterThan(2_000)
    await Promise.all(living.map((instance) => instance.drain()))
    // Also those that came when the dead and the slow still held most of it.
    for (const { kinds } of living) expect([...kinds.keys()]).toEqual(['called'])
    await Promise.all(living.map((instance) => instance.close()))
    // Those that died last still hold theirs: to all appearances their process lives.
    expect(Object.keys((await readState()).shares).length).toBeGreaterThan(0)
    expect(judge.inFlight()).toBe(0)
    await end([])
  })

  test('takes no more from real processes, of which some are killed, stopped for a while or ended', SLOW, async () => {
    const limit = 10
    const { server, schema, judge, end, readState } = await openCluster({ initial: limit, min: limit, max: limit })
    const web = createServer((_, answer) => void judge.ask(5 + Math.random() * 40).then(() => answer.end()))
    web.listen(0, '127.0.0.1')
    await once(web, 'listening')
    const { port } = web.address() as AddressInfo
    const run = () =>
      spawn(process.execPath, [CALLER, server.url, schema, `${port}`, `${limit}`], {
        stdio: ['ignore', 'inherit', 'inherit'],
      })
    const untilShared = async (by: number) => {
      for (let tries = 0; tries < 150; tries++) {
        const { shares } = await readState().catch(() => ({ shares: {} }))
        if (Object.values<{ held: number }>(shares).filter(({ held }) => held > 0).length === by) return
        await delay(100)
      }
    }
    const children = [run(), run(), run()]
    try {
      for (const end of ['SIGSTOP', 'SIGKILL', 'SIGTERM', 'SIGSTOP', 'SIGKILL'] as const) {
        // Else the one that is stopped may be the only one that has anything.
        await untilShared(3)
        const calls = judge.calls()
        await disturb(children, end, 1_500)
        expect(judge.calls()).toBeGreaterThan(calls)
        if (end !== 'SIGSTOP') children.push(run())
      }
      await untilShared(3)
      const ends = children.map((child) => once(child, 'exit'))
      for (const child of children) child.kill('SIGTERM')
      expect(await Promise.all(ends)).toEqual(Array(3).fill([0, null]))
    } finally {
      for (const child of children) child.kill('SIGKILL')
    }
    expect((await readState()).shares).toEqual({})
    expect(judge.most()).toBeLessThanOrEqual(limit)
    expect(judge.calls()).toBeGreaterThan(1_000)
    web.closeAllConnections()
    web.close()
    await end([])
  })

  test('pauses, goes out, is tried once and is mended for all of them', SLOW, async () => {
    const { judge, start, end } = await openCluster({ initial: 15, min: 15, max: 15 })
    const instances = [start(), start(), start()]
    const kinds = () => instances.map(({ lane }) => lane.state().kind)
    const until = async (kind: string) => {
      for (let tries = 0; tries < 40 && kinds().some((it) => it !== kind); tries++) await delay(50)
      expect(kinds()).toEqual([kind, kind, kind])
    }
    await delay(1_000)
    let once = true
    judge.says(() => (once ? replyOf({ fail: 'rate_limited', retry_after_s: 4 }) : GOOD))
    await delay(30)
    once = false
    await until('paused')
    // What was in flight ends.
    await delay(100)
    const paused = judge.calls()
    await delay(1_000)
    expect(judge.calls()).toBe(paused)
    await delay(2_500)
    await until('open')
    expect(judge.calls()).toBeGreaterThan(paused)

    judge.says(() => replyOf({ fail: 'authentication' }))
    await until('out')
    await delay(100)
    const out = judge.calls()
    const most = judge.most()
    // Single requests try it, one at a time over all of them, and each of those that waited shares its fate.
    const peak = { now: 0, most: 0 }
    const tries = instances.flatMap(({ lane }) =>
      Array.from({ length: 4 }, () =>
        lane.call(null, async () => {
          peak.now += 1
          peak.most = Math.max(peak.most, peak.now)
          const reply = await judge.ask(300)
          peak.now -= 1
          return reply
        }),
      ),
    )
    await Promise.all(tries)
    expect(peak.most).toBe(1)
    expect(judge.calls() - out).toBeLessThanOrEqual(3)
    expect(judge.most()).toBe(most)

    judge.says(() => GOOD)
    instances[0]?.lane.resume()
    const singles = await Promise.all(instances.map(({ lane }) => lane.call(null, () => judge.ask(10))))
    expect(singles.map(({ kind }) => kind)).toEqual(['called', 'called', 'called'])
    await until('open')
    await end(instances)
    expect(judge.most()).toBeLessThanOrEqual(15)
  })

  test('fails nothing while the database is away', SLOW, async () => {
    const { server, judge, start, end } = await openCluster({ initial: 6, min: 6, max: 6 })
    const instances = [start(), start()]
    await delay(1_500)
    await server.kill()
    const away = judge.calls()
    await delay(5_000)
    const back = judge.calls()
    // What they were given lasts longer than that.
    expect(back - away).toBeGreaterThan(200)
    await server.start()
    await delay(3_000)
    expect(judge.calls() - back).toBeGreaterThan(100)
    for (const { kinds } of instances) expect([...kinds.keys()]).toEqual(['called'])
    expect(judge.most()).toBeLessThanOrEqual(6)
    await end(instances)
  })

  test('comes back from a process of this machine that is gone, and from a state that cannot be read', async () => {
    const { server, schema, judge, start, end, readState } = await openCluster({ initial: 3, min: 3, max: 3 })
    const dead = start()
    await delay(300)
    dead.die()
    await delay(100)
    await server.query(`UPDATE "${schema}".judges SET state = replace(state, ':${process.pid}:', ':2147483647:')`)
    const alive = start()
    await delay(500)
    expect(alive.lane.state().limit).toBe(3)
    await server.query(`UPDATE "${schema}".judges SET state = '{"version":99,"shares":7}'`)
    const calls = judge.calls()
    await delay(1_500)
    expect(judge.calls()).toBeGreaterThan(calls)
    await end([alive])
    expect((await readState()).shares).toEqual({})
  })
})
