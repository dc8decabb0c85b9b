import { monitorEventLoopDelay } from 'node:perf_hooks'
import { buildApp } from '../../src/boot/app.ts'
import { buildContext } from '../../src/boot/context.ts'
import { loadConfig } from '../../src/config/config.ts'
import { scriptedJudge } from '../../test/grading/harness.ts'

/** The service in a process of its own that tells its parent how long its main thread stood still and how large it grew. */
const answer = process.argv[2] ?? ''
const { config, secrets } = loadConfig({ VERIDICT_DATABASE: ':memory:' }, () => '')
const context = await buildContext({
  config,
  secrets,
  judges: [scriptedJudge([answer]), scriptedJudge([answer], { name: 'windowed', window_tokens: 1_000_000 })],
})
const app = await buildApp(context, {})
const origin = await app.http.listen({ port: 0, host: '127.0.0.1' })
const delay = monitorEventLoopDelay({ resolution: 5 })
let before = process.cpuUsage()
process.on('message', (asked: 'start' | 'report') => {
  if (asked === 'start') {
    delay.enable()
    delay.reset()
    before = process.cpuUsage()
    process.send?.({ ready: true })
    return
  }
  const { user, system } = process.cpuUsage(before)
  process.send?.({
    delay_ms: delay.max / 1e6,
    cpu_s: (user + system) / 1e6,
    peak_mb: process.resourceUsage().maxRSS / 1024,
  })
})
process.once('disconnect', () => process.exit(0))
process.send?.({ origin })
