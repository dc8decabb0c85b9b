import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { runScript, UsageError } from '../tools/command-line.ts'
import { measureCosts, measureScaling, renderScaling, renderTables } from './cluster/costs.ts'
import type { Claim } from './cluster/facts.ts'
import { playOutage } from './cluster/outage.ts'
import { playPartition } from './cluster/partition.ts'
import { playStorm } from './cluster/storm.ts'

/** Several services and workers on one PostgreSQL. Exits with 1 where something that is promised did not hold. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    items: { type: 'string' },
    away: { type: 'string', default: '120' },
    latency: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '2' },
    fsync: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const HELP = `npm run cluster -- storm|outage|partition|scaling|costs [--items N] [--seed 1] [--rounds 2] [--away 120] [--latency 500] [--fsync]

Processes of their own on loopback: a PostgreSQL (from a package), a played provider that counts, services and workers.
  storm    3 services, 4 workers, a batch of 10,000; every few seconds a worker is killed (and another started) or stopped for
           3 or 15 seconds. Shows that each item is graded once, and how many calls were made.
  outage   PostgreSQL is stopped for 30 s in the middle of a batch.
  partition  PostgreSQL and two workers, each in a network namespace (Linux, root): one worker is cut off for --away seconds and comes back,
           PostgreSQL is restarted, the other worker is killed.
  scaling  items a second with 1, 2 and 4 workers, the best of the rounds: bound by what a worker may have in flight (calls of --latency ms), and bound by the
           processors of this machine.
  costs    processor time, commits, log and stored bytes of one item in each part of the way.
--fsync: commits wait for the disk; without it they cost what they cost in memory.`

const say = (line: string) => console.log(line)
const BYTES = 8000

const items = (count: number): number => Number(values.items ?? count)
const common = { item_bytes: BYTES, fsync: values.fsync, say }

const PLAYS: Readonly<Record<string, () => Promise<Claim[]>>> = {
  storm: () => {
    const blows = { every_ms: 4000, pauses_ms: [3000, 15_000], seed: Number(values.seed) }
    const size = { services: 3, workers: 4, latency_ms: 500, at_once: 128 }
    return playStorm({ ...common, ...blows, ...size, items: items(10_000) })
  },
  outage: () =>
    playOutage({ ...common, services: 1, workers: 2, latency_ms: 500, at_once: 64, items: items(3000), away_s: 30 }),
  partition: () => {
    // A call in flight is lost after 50 s, within the time of the cut.
    const settings = { retry: { call_timeout_ms: 20_000 }, judges: { openai: { price: { input: 2, output: 10 } } } }
    const away_s = Number(values.away)
    return playPartition({ ...common, settings, latency_ms: 2000, at_once: 24, items: items(2500), away_s })
  },
}

const MEASUREMENTS: Readonly<Record<string, () => Promise<void>>> = {
  async costs() {
    const shared = { items: items(4000), item_bytes: 20_000, fsync: values.fsync }
    say('64 calls at once, 500 ms a call:')
    await measureCosts({ ...shared, latency_ms: 500, at_once: 64 }, say)
    say('256 calls at once, 50 ms a call:')
    say(renderTables(await measureCosts({ ...shared, latency_ms: 50, at_once: 256 }, say)))
  },
  async scaling() {
    const shared = { workers: [1, 2, 4], item_bytes: BYTES, rounds: Number(values.rounds), fsync: values.fsync }
    const latency_ms = Number(values.latency)
    say(`Bound by what a worker may have in flight (16, at ${latency_ms} ms a call):`)
    const paced = { ...shared, items: items(1200), latency_ms, at_once: 512, most_in_flight: 16 }
    say(renderScaling(await measureScaling(paced, say)))
    say('Bound by this machine (256 calls at once, 50 ms a call):')
    const full = { ...shared, items: items(4000), latency_ms: 50, at_once: 256, most_in_flight: null }
    say(renderScaling(await measureScaling(full, say)))
  },
}

async function main(): Promise<boolean> {
  const [scenario] = positionals
  if (values.help || scenario === undefined) {
    say(HELP)
    return true
  }
  say(`Node ${process.version}, ${cpus().length} cores, load at the start ${(loadavg()[0] ?? 0).toFixed(1)}`)
  const [play, measure] = [PLAYS, MEASUREMENTS].map((of) => (Object.hasOwn(of, scenario) ? of[scenario] : undefined))
  const claims = await play?.()
  if (claims === undefined) {
    if (measure === undefined)
      throw new UsageError(`there is no ${scenario}: storm, outage, partition, scaling or costs`)
    await measure()
    return true
  }
  say(claims.map(({ claim: text, found, holds }) => `${holds ? 'holds' : 'FAILS'}  ${text}: ${found}`).join('\n'))
  return claims.every(({ holds }) => holds)
}

await runScript(async () => ((await main()) ? 0 : 1))
