import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import { sendBatch, waitForEnd } from '../batch-client.ts'
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts'
import { type Claim, claim, countCalls, countSent, eachOnce, readFacts, readMoney, readResults } from './facts.ts'
import { forward, makeNetwork, type Network } from './network.ts'

export interface PartitionOptions extends Omit<ClusterOptions, 'services' | 'workers'> {
  readonly items: number
  readonly item_bytes: number
  /** How long a worker is cut from PostgreSQL. */
  readonly away_s: number
  readonly say: (line: string) => void
}

/**
 * PostgreSQL and two workers, each in a network namespace. One worker is cut from PostgreSQL in the middle of its calls and comes back, PostgreSQL is restarted,
 * and the other worker is killed; answers what held.
 */
export async function playPartition(options: PartitionOptions): Promise<Claim[]> {
  const network = makeNetwork()
  const leave = () => process.exit(130)
  process.once('SIGINT', leave).once('SIGTERM', leave)
  try {
    return await play(network, options)
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave)
    network.remove()
  }
}

async function play(network: Network, options: PartitionOptions): Promise<Claim[]> {
  const { items, away_s, say } = options
  const cluster = await startCluster({ ...options, services: 1, workers: 0, database: network.add() })
  const provider = await forward(network.provider, Number(new URL(cluster.provider.origin).port))
  try {
    const origin = cluster.services[0]?.origin ?? ''
    const { id: batch } = await sendBatch(origin, items, options.item_bytes, 'partition')
    const addWorker = async () => {
      const namespace = network.add().name
      return { namespace, member: await cluster.addWorker({ namespace, provider: provider.origin }) }
    }
    const cutOff = await addWorker()
    const [cutProcess = ''] = await processesAfter(cluster, 1)
    const killed = await addWorker()
    const killedProcess = (await processesAfter(cluster, 2)).find((name) => name !== cutProcess) ?? ''
    await untilGraded(origin, batch, items / 10)
    network.cut(cutOff.namespace)
    // Transactions that were on their way have ended by then.
    await delay(500)
    const atCut = await countSent(cluster.postgres, cutProcess)
    say(`${cutOff.member.name} is cut from PostgreSQL for ${away_s} s, with ${atCut} calls in flight`)
    await delay(away_s * 1000)
    network.join(cutOff.namespace)
    const joined = new Date()
    const before = await untilGraded(origin, batch, 0)
    say(`it is back; ${before} of ${items} are graded`)
    const again = await untilBegun(cluster, cutProcess, joined)
    await untilGraded(origin, batch, before + items / 10)
    await cluster.postgres.stop()
    await cluster.postgres.start()
    await untilBegun(cluster, killedProcess, new Date())
    // Stopped before it is counted, so that nothing begins in between.
    killed.member.signal('SIGSTOP')
    await delay(500)
    const atKill = await countSent(cluster.postgres, killedProcess)
    killed.member.signal('SIGKILL')
    const left = items - (await untilGraded(origin, batch, 0))
    say(`PostgreSQL was restarted; ${killed.member.name} is killed with ${atKill} calls in flight, ${left} items open`)
    const ended = await waitForEnd(origin, batch, 900)
    const [facts, results, seen, money] = [
      await readFacts(cluster.postgres, batch),
      await readResults(origin, batch),
      await cluster.provider.seen(),
      await readMoney(cluster.postgres, batch),
    ]
    const extra = seen.calls - items
    const others = [...cluster.services, cutOff.member].filter((one) => one.exit() !== null)
    return [
      claim(
        'the blows fall in the middle of the batch, on calls in flight',
        `${atCut} at the cut, ${atKill} at the kill, ${left} items open after it`,
        atCut > 0 && atKill > 0 && left > 0,
      ),
      claim('every item ends with a grade', `${ended.counts.graded} of ${items}`, ended.counts.graded === items),
      eachOnce('each item once', items, facts, results),
      claim(
        'calls paid twice: at most those in flight at the cut and the kill',
        `${extra} of ${atCut + atKill}`,
        extra >= 0 && extra <= atCut + atKill,
      ),
      claim(
        'every call is in the ledger with its reply or as unknown',
        `${seen.calls} calls; ${facts.ok} replies, ${facts.unused} of them unused, ${facts.unknown} unknown`,
        facts.ok + facts.unknown >= seen.calls && facts.ok - facts.unused === items && money.sent === 0,
      ),
      claim(
        'the bounds of unknown calls stay counted, and nothing stays reserved',
        `${money.unknown_calls} calls, $${money.uncertain_usd.toFixed(4)} of $${money.bounds_usd.toFixed(4)}, reserved $${money.reserved_usd.toFixed(4)}`,
        money.unknown_calls === facts.unknown &&
          Math.abs(money.uncertain_usd - money.bounds_usd) < 1e-6 &&
          Math.abs(money.reserved_usd) < 1e-6,
      ),
      claim('the worker that was cut off calls again', `${again.toFixed(1)} s after it was back`, again < 120),
      claim('services and the worker that was cut off', `${others.length} ended`, others.length === 0),
    ]
  } finally {
    provider.close()
    await cluster.end()
  }
}

/** Waits until so many processes have made calls; returns their names. */
async function processesAfter({ postgres }: Cluster, count: number): Promise<string[]> {
  for (const until = Date.now() + 60_000; Date.now() < until; await delay(100)) {
    const rows = await postgres.query('SELECT DISTINCT process FROM veridict.attempts')
    if (rows.length >= count) return rows.map(({ process }) => String(process))
  }
  throw new Error(`no ${count} processes have made calls within a minute`)
}

/** Waits until a process begins a call; returns the seconds, at most 120. */
async function untilBegun({ postgres }: Cluster, process: string, after: Date): Promise<number> {
  const seconds = () => (Date.now() - after.getTime()) / 1000
  while (seconds() < 120 && (await countCalls(postgres, process, after)) === 0) await delay(200)
  return seconds()
}

/** Waits until so many items are graded; returns their number. */
async function untilGraded(origin: string, batch: string, count: number): Promise<number> {
  let graded = -1
  for (const until = Date.now() + 300_000; Date.now() < until; await delay(100)) {
    const answer = await request(`${origin}/v1/batches/${batch}`)
    const { counts } = (await answer.body.json()) as { counts?: { graded: number } }
    graded = counts?.graded ?? graded
    if (graded >= count) return graded
  }
  throw new Error(`${graded} items are graded after 300 s, ${count} were expected`)
}
