import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { measureBare } from './batch-ceilings.ts'
import { AT_ONCE, type Run, runBatch, trialLines } from './batch-run.ts'
import { bestOf, endsOf, HEAD, rowOf } from './batch-table.ts'
import { measureLexicalLoop } from './lexical-loop.ts'

/** Batches end to end: the service as a process of its own against a provider of fixed latency. Nothing here gates a test. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    quick: { type: 'boolean', default: false },
    latency: { type: 'string', multiple: true, default: ['200', '50'] },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(
    [
      'npm run bench:batch -- [--quick] [--rounds 2] [--latency 200 --latency 50] [--profile folder]',
      '',
      'Takes batches of 10,000 and 2,000 generated trials in and grades them, 64 at once, and prints what that takes over the ideal',
      '(items ÷ 64 × latency); then 2,000 with the lexical judge. --quick: 640 and 128 items, 200 lexical, one round.',
      '--profile: one run of the smaller size at the last latency, whose CPU profile the service leaves in the folder.',
    ].join('\n'),
  )
  process.exit(0)
}

const rounds = values.quick ? 1 : Number(values.rounds)
const sizes = values.quick ? [640, 128] : [10_000, 2_000]
const lexicalItems = values.quick ? 200 : 2_000
const latencies = values.latency.map(Number)

const say = (line = '') => console.log(line)
const load = () => loadavg()[0]?.toFixed(1) ?? '?'

say(`Node ${process.version}, ${cpus().length} cores, best of ${rounds}, load of the machine at the start ${load()}.`)
say(
  `Each run: a fresh service (node src/server.ts, own database, concurrency fixed at ${AT_ONCE}) and a fresh provider, processes`,
)
say(
  'of their own. CPU: user and system time of the service, from /proc. Peak: VmHWM, which counts the mapped database file;',
)
say('anonymous: the most of RssAnon, seen every 100 ms.')

if (values.profile !== undefined) {
  const run = await runBatch({ items: sizes.at(-1) ?? 0, latency_ms: latencies.at(-1) ?? 50, profile: values.profile })
  say(`profiled: ${run.grading_cpu_ms.toFixed(2)} ms CPU an item; the profile is in ${values.profile}`)
  process.exit(0)
}

async function measureLatency(latency: number): Promise<void> {
  const bareItems = AT_ONCE * (values.quick ? 4 : 32)
  const bare = await measureBare(bareItems, latency)
  say(`\nA provider that takes ${latency} ms`)
  say(
    `  ceiling: undici alone, ${bareItems} bodies of the same size, ${AT_ONCE} at once: ${bare.over_ideal.toFixed(3)}x of the ideal, ${bare.cpu_ms.toFixed(2)} ms CPU an item`,
  )
  say(`  ${HEAD}`)
  const runs = new Map<number, Run[]>(sizes.map((items) => [items, []]))
  for (let round = 0; round < rounds; round++)
    for (const items of sizes) {
      const run = await runBatch({ items, latency_ms: latency })
      runs.get(items)?.push(run)
      say(`  ${rowOf(items, latency, run)}   load ${load()}`)
    }
  if (rounds > 1) for (const [items, all] of runs) say(`  ${rowOf(items, latency, bestOf(all))}   best of ${rounds}`)
}

async function measureLexical(): Promise<void> {
  say('\nThe lexical judge, which asks nobody')
  const runs: Run[] = []
  let loop = 0
  for (let round = 0; round < rounds; round++) {
    loop = Math.max(loop, await measureLexicalLoop(trialLines(lexicalItems)))
    runs.push(await runBatch({ items: lexicalItems, latency_ms: null }))
  }
  const run = bestOf(runs)
  const graded = lexicalItems / run.grading_s
  const whole = lexicalItems / (run.grading_s + run.intake_s)
  say(`  ceiling: parse, read, judge and check in a bare loop: ${loop.toFixed(0)} items/s`)
  say(
    `  grading of the batch: ${graded.toFixed(0)} items/s (${(graded / loop).toFixed(2)}x), ${run.grading_cpu_ms.toFixed(2)} ms CPU an item`,
  )
  say(
    `  with its intake:      ${whole.toFixed(0)} items/s (${(whole / loop).toFixed(2)}x), ${run.intake_cpu_ms.toFixed(2)} ms more CPU an item`,
  )
  say(
    `  peak ${run.peak_mb.toFixed(0)} MB, anonymous ${run.anonymous_mb.toFixed(0)} MB; ${endsOf(run)}; load ${load()}`,
  )
}

for (const latency of latencies) await measureLatency(latency)
await measureLexical()
