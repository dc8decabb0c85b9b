import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { remote } from '../../src/client/index.ts'
import { GROUND_TRUTH, TRAJECTORY } from '../grading/harness.ts'
import { noPython, shown } from './run-python.ts'
import { runService } from './running-service.ts'

/** The highest a process has been is read there: what the system counts for a child begins with what its parent had. */
const noProc = !existsSync('/proc/self/status')
if (noProc) process.stdout.write('the memory of clients is not measured: there is no /proc\n')

/** 100 MB in all. */
const ITEMS = 4000
const ITEM_BYTES = 25_000
/** What a process may grow by, in megabytes: a third of what it sends, and what its runtime takes for itself. */
const MOST_MB = 34

const ITEM = JSON.stringify({ trajectory: TRAJECTORY, ground_truth: GROUND_TRUTH, judge: 'lexical' })

const UPLOAD = `
import { readFileSync } from 'node:fs'
import { remote } from './src/client/index.ts'
const client = remote(process.env.ORIGIN)
const item = ${ITEM}
function* read(count) {
  for (let at = 0; at < count; at++) {
    const text = at + ' ' + 'x'.repeat(${ITEM_BYTES})
    yield { ...item, trajectory: { steps: [{ actor: 'user', text }, ...item.trajectory.steps] } }
  }
}
const rss = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
await client.cancel((await client.createBatch(read(400))).id)
const before = rss()
const { id, counts } = await client.createBatch(read(${ITEMS}))
console.log(JSON.stringify([id, counts.total, Math.round(rss() - before)]))
`

const node = (origin: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], ORIGIN: origin }
    execFile(process.execPath, ['--input-type=module', '-e', UPLOAD], { env }, (error, out, err) =>
      error === null ? resolve(out) : reject(new Error(err)),
    )
  })

test.skipIf(noProc)('a batch of 100 MB is sent by TypeScript without holding it', { timeout: 180_000 }, async () => {
  const { origin } = await runService()
  const [id, total, grown] = JSON.parse(await node(origin)) as [string, number, number]
  process.stdout.write(`TypeScript: ${total} items of ${ITEM_BYTES} bytes, grown by ${grown} MB\n`)
  await remote(origin).cancel(id)
  expect(total).toBe(ITEMS)
  expect(grown).toBeLessThan(MOST_MB)
})

test.skipIf(noProc || noPython !== null)('and by Python', { timeout: 180_000 }, async () => {
  const { origin } = await runService()
  const program = `
item = json.loads(os.environ["ITEM"])
def read(count):
    for at in range(count):
        first = {"actor": "user", "text": str(at) + " " + "x" * ${ITEM_BYTES}}
        yield dict(item, trajectory={"steps": [first, *item["trajectory"]["steps"]]})
rss = lambda: int(__import__("pathlib").Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
client.cancel_batch(client.batch(read(400))["id"])
before = rss()
batch = client.batch(read(${ITEMS}))
show([batch["counts"]["total"], round(rss() - before)])
client.cancel_batch(batch["id"])`
  const [[total, grown]] = (await shown(origin, program, { env: { ITEM } })) as [[number, number]]
  process.stdout.write(`Python: ${total} items of ${ITEM_BYTES} bytes, grown by ${grown} MB\n`)
  expect(total).toBe(ITEMS)
  expect(grown).toBeLessThan(MOST_MB)
})
