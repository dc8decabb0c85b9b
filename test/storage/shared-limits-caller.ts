import { Agent, request } from 'node:http'
import { createLane } from '../../src/asking/lane/lane.ts'
import { systemClock } from '../../src/boot/clock.ts'
import type { JudgeReply } from '../../src/ports/judge-ports.ts'
import { openSharedLimits } from '../../src/storage/postgres/cluster/shared-limits.ts'
import { replyOf } from '../grading/harness.ts'
import { SETTINGS } from './postgres-settings.ts'

/** Run by itself: calls a judge as often as it may, until it is killed, or gives back what it has on SIGTERM. */
const [url, schema, port, most] = process.argv.slice(2)
if (most === undefined || url === undefined || schema === undefined)
  throw new Error('usage: shared-limits-caller.ts <database> <schema> <port> <limit>')
const limits = openSharedLimits(url, schema, SETTINGS)
const elapsed = () => performance.now()
const settings = { initial: Number(most), min: Number(most), max: Number(most) }
const lane = createLane(settings, systemClock, { judge: 'j', limits, call_ms: 1_000, elapsed })
const agent = new Agent({ keepAlive: true })
let open = 0
let stopping = false

const ask = () =>
  new Promise<JudgeReply>((resolve, reject) => {
    const call = request({ port, host: '127.0.0.1', agent }, (answer) => {
      answer.resume()
      answer.once('end', () => resolve(replyOf('{}')))
    })
    call.once('error', reject)
    call.end()
  })

function fill(): void {
  for (; !stopping && open < lane.wanted('a'); open++)
    void lane.call('a', ask).then(() => {
      open -= 1
      fill()
      if (stopping && open === 0) void leave()
    })
}

async function leave(): Promise<void> {
  lane.close()
  await limits.close()
  agent.destroy()
  process.exit(0)
}

lane.onChange(fill)
process.once('SIGTERM', () => {
  stopping = true
  if (open === 0) void leave()
})
fill()
