import { setTimeout as delay } from 'node:timers/promises'
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
const SLOW = { timeout: 90_000 }

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

describePostgres('a judge that processes of one PostgreSQL share', (tools) => {
  /** A migrated schema, and processes that each come with connections of their own. */
  async function openCluster(settings: LaneSettings) {
    const { server, newSchema, open } = tools()
    const schema = newSchema()
    const stores = await open(schema)
    const judge = countedJudge()
    const opened: SharedLimits[] = []
    function start(): Instance {
      const limits = openSharedLimits(server.url, schema, SETTINGS)
      opened.push(limits)
      const elapsed = () => performance.now()
      const lane = createLane(settings, systemClock, { judge: 'j', limits, elapsed })
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
          await limits.close()
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
    }
  }

  test('divides its limit among those that call it, and anew when one leaves or dies', SLOW, async () => {
    const { judge, start, end } = await openCluster({ initial: 12, min: 12, max: 12 })
    const instances = [start(), start(), start()]
    const limits = () => instances.map(({ lane }) => lane.state().limit)
    await delay(2_500)
    expect(limits()).toEqual([4, 4, 4])
    expect(judge.inFlight()).toBeLessThanOrEqual(12)
    instances[0]?.die()
    await delay(8_000)
    expect(limits().slice(1)).toEqual([6, 6])
    await instances[1]?.drain()
    await instances[1]?.close()
    await delay(8_000)
    expect(instances[2]?.lane.state().limit).toBe(12)
    for (const { kinds } of instances) expect([...kinds.keys()]).toEqual(['called'])
    expect(judge.calls()).toBeGreaterThan(2_000)
    await end(instances.slice(2))
  })

  test('pauses, goes out and is mended for all of them', SLOW, async () => {
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
    // Single requests try it, one of each process, and those that waited share its fate.
    const tries = instances.flatMap(({ lane }) =>
      Array.from({ length: 4 }, () => lane.call(null, () => judge.ask(300))),
    )
    await Promise.all(tries)
    expect(judge.calls() - out).toBeLessThanOrEqual(3)
    expect(judge.most()).toBe(most)

    judge.says(() => GOOD)
    instances[0]?.lane.resume()
    const singles = await Promise.all(instances.map(({ lane }) => lane.call(null, () => judge.ask(10))))
    expect(singles.map(({ kind }) => kind)).toEqual(['called', 'called', 'called'])
    await until('open')
    await end(instances)
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
    await end(instances)
  })

  test('begins anew from a state that cannot be read', async () => {
    const { server, schema, judge, start, end } = await openCluster({ initial: 3, min: 3, max: 3 })
    const one = start()
    await delay(300)
    await server.query(`UPDATE "${schema}".judges SET state = '{"version":99,"callers":7}'`)
    const calls = judge.calls()
    await delay(1_500)
    expect(judge.calls()).toBeGreaterThan(calls)
    await end([one])
  })
})
