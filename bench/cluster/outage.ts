import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import { sendBatch, waitForEnd } from '../batch-client.ts'
import { type ClusterOptions, startCluster } from './cluster.ts'
import { type Claim, claim, eachOnce, readFacts, readResults } from './facts.ts'

export interface OutageOptions extends ClusterOptions {
  readonly items: number
  readonly item_bytes: number
  readonly away_s: number
  readonly say: (line: string) => void
}

/** PostgreSQL is stopped in the middle of a batch: everything waits, nothing fails that should not, nothing is lost. */
export async function playOutage(options: OutageOptions): Promise<Claim[]> {
  const { items, away_s, say } = options
  const cluster = await startCluster(options)
  try {
    const origin = cluster.services[0]?.origin ?? ''
    const { id: batch } = await sendBatch(origin, items, options.item_bytes, 'outage')
    let before = 0
    for (const until = Date.now() + 120_000; before < items / 4 && Date.now() < until; await delay(100)) {
      const answer = await request(`${origin}/v1/batches/${batch}`)
      before = ((await answer.body.json()) as { counts: { graded: number } }).counts.graded
    }
    say(`${before} of ${items} are graded; PostgreSQL is stopped for ${away_s} s`)
    await cluster.postgres.stop()
    const meanwhile = await askMeanwhile(origin, away_s)
    await cluster.postgres.start()
    say('PostgreSQL is back')
    const back = Date.now()
    let again = 0
    const ended = await waitForEnd(origin, batch, 600, ({ counts }) => {
      if (again === 0 && counts.graded > before + options.at_once) again = Date.now()
    })
    const [facts, results, seen] = [
      await readFacts(cluster.postgres, batch),
      await readResults(origin, batch),
      await cluster.provider.seen(),
    ]
    const all = [...cluster.services, ...cluster.workers]
    return [
      claim('while it is away', [...meanwhile].map(([what, n]) => `${n} × ${what}`).join(', '), onlyBusy(meanwhile)),
      claim(
        'every item ends with a grade, none fails',
        `${ended.counts.graded} of ${items}`,
        ended.counts.graded === items,
      ),
      eachOnce('each item once', items, facts, results),
      claim(
        'replies that came while it was away are kept: no item is asked about twice',
        `${seen.calls} calls for ${seen.items} items, ${facts.unknown} of unknown end, ${facts.unused} unused`,
        seen.calls === items,
      ),
      claim(
        'it goes on by itself',
        again === 0 ? 'never' : `${((again - back) / 1000).toFixed(1)} s after it was back`,
        again !== 0,
      ),
      claim(
        'processes',
        `${all.filter((one) => one.exit() !== null).length} ended`,
        all.every((one) => one.exit() === null),
      ),
    ]
  } finally {
    await cluster.end()
  }
}

/** What callers hear in the meantime, by status and code. */
async function askMeanwhile(origin: string, seconds: number): Promise<Map<string, number>> {
  const heard = new Map<string, number>()
  for (const until = Date.now() + seconds * 1000; Date.now() < until; await delay(1000)) {
    for (const path of ['/healthz', '/readyz', '/v1/batches'])
      await request(`${origin}${path}`, { headersTimeout: 15_000 }).then(
        async (answer) => {
          const text = await answer.body.text()
          const code = answer.statusCode === 200 ? '' : ` ${(JSON.parse(text) as { code?: string }).code ?? ''}`
          const what = `${path} ${answer.statusCode}${code}`
          heard.set(what, (heard.get(what) ?? 0) + 1)
        },
        (error: unknown) => {
          const what = `${path} ${(error as Error).name}`
          heard.set(what, (heard.get(what) ?? 0) + 1)
        },
      )
  }
  return heard
}

/** A live process says that it lives; what needs the database says to come back. */
const onlyBusy = (heard: ReadonlyMap<string, number>): boolean =>
  [...heard.keys()].every((what) => what === '/healthz 200' || / 503( |$)/.test(what))
