import { setTimeout as delay } from 'node:timers/promises'
import { sendBatch, waitForEnd } from '../batch-client.ts'
import { makeRandom } from '../random.ts'
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts'
import { type Claim, claim, eachOnce, readFacts, readResults } from './facts.ts'

export interface StormOptions extends ClusterOptions {
  readonly items: number
  readonly item_bytes: number
  /** Between two blows. */
  readonly every_ms: number
  /** How long a worker is stopped, in turns: shorter than a lease, and longer. */
  readonly pauses_ms: readonly number[]
  readonly seed: number
  readonly say: (line: string) => void
}

interface Blows {
  kills: number
  pauses: number
  /** Calls that were on their way when their process was hit: what may be paid for twice. */
  atRisk: number
}

/** A batch over several services and workers, with workers killed and paused at random; answers what held. */
export async function playStorm(options: StormOptions): Promise<Claim[]> {
  const { items, say } = options
  const cluster = await startCluster(options)
  try {
    const [first, ...others] = cluster.services
    const last = others.at(-1) ?? first
    if (first?.origin == null || last?.origin == null) throw new Error('a storm needs a service')
    const begun = Date.now()
    const { id: batch } = await sendBatch(first.origin, items, options.item_bytes, 'storm')
    say(
      `${items} items taken in after ${seconds(begun)} s, over ${options.services} services and ${options.workers} workers`,
    )
    const stopping = new AbortController()
    const storm = blow(cluster, options, stopping.signal)
    let shown = 0
    const ended = await waitForEnd(last.origin, batch, Math.max(900, items / 10), ({ counts }) => {
      if (Date.now() - shown < 10_000) return
      shown = Date.now()
      say(`  ${seconds(begun)} s: ${counts.graded} graded, ${counts.running} running, ${counts.pending} pending`)
    })
    stopping.abort()
    const blows = await storm
    say(`ended after ${seconds(begun)} s: ${blows.kills} workers killed, ${blows.pauses} stopped and continued`)
    const [facts, results, seen] = [
      await readFacts(cluster.postgres, batch),
      await readResults(last.origin, batch),
      await cluster.provider.seen(),
    ]
    const dead = cluster.services.filter((one) => one.exit() !== null)
    return [
      claim('every item ends with a grade', `${ended.counts.graded} of ${items}`, ended.counts.graded === items),
      eachOnce('each item once: in the results, and one grade for each question', items, facts, results),
      claim('every item was asked about', `${seen.items}`, seen.items === items),
      claim(
        'calls: one an item, and at most one more for each that was on its way when its process was hit',
        `${seen.calls} calls, ${seen.calls - items} more than items; ${blows.atRisk} were on their way`,
        seen.calls >= items && seen.calls - items <= blows.atRisk,
      ),
      claim(
        'every call is in the ledger',
        `${facts.calls} begun, ${facts.ok} answered, ${facts.unknown} unknown, ${facts.unused} answers came after another was used`,
        facts.calls >= seen.calls && facts.ok - facts.unused === items,
      ),
      claim(
        'calls at once over all processes: never above the limit',
        `${seen.most_at_once}; the limit is ${options.at_once}`,
        seen.most_at_once <= options.at_once,
      ),
      claim('services', `${dead.length} ended by themselves`, dead.length === 0),
    ]
  } finally {
    await cluster.end()
  }
}

/** Hits a worker now and then: killed (and another started), or stopped for a while. */
async function blow(cluster: Cluster, options: StormOptions, signal: AbortSignal): Promise<Blows> {
  const random = makeRandom(options.seed)
  const blows: Blows = { kills: 0, pauses: 0, atRisk: 0 }
  for (let round = 0; !signal.aborted; round++) {
    await delay(options.every_ms * (0.5 + random()), undefined, { signal }).catch(() => undefined)
    const alive = cluster.workers.filter((one) => one.exit() === null)
    const victim = alive[Math.floor(random() * alive.length)]
    if (signal.aborted || victim === undefined) continue
    // Stopped before it is counted, so that nothing begins in between.
    victim.signal('SIGSTOP')
    blows.atRisk += await cluster.provider.onTheWay(victim.name)
    if (round % 2 === 0) {
      victim.signal('SIGKILL')
      blows.kills++
      await cluster.addWorker()
    } else {
      const pause = options.pauses_ms[blows.pauses % options.pauses_ms.length] ?? 1000
      blows.pauses++
      await delay(pause)
      victim.signal('SIGCONT')
    }
  }
  return blows
}

const seconds = (begun: number): string => ((Date.now() - begun) / 1000).toFixed(0)
