import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { JudgeAnswer } from '../../test/tab-behavior.ts'
import { GROUND_TRUTH } from '../make-body.ts'
import { HOSTILE, type HostileInput } from './inputs.ts'

/** Posts every input of `inputs.ts` to a service of its own, once to the judge that searches and to scripted ones: without a
 * window, which no configured judge is, and with the largest of today. */
const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, help: { type: 'boolean', default: false } },
})
if (values.help) {
  console.log(
    'npm run bench:hostile -- [--only part-of-a-name]\n\nPrints CPU, the longest stop of the main thread and peak memory for inputs that were made to cost much.',
  )
  process.exit(0)
}

const JUDGES = ['lexical', 'scripted', 'windowed'] as const

interface Report {
  readonly delay_ms: number
  readonly cpu_s: number
  readonly peak_mb: number
}

console.log(
  `Node ${process.version}; longest stop of the main thread, CPU of all threads, wall time, peak of the process`,
)
for (const input of HOSTILE.filter(({ name }) => name.includes(values.only)))
  for (const judge of JUDGES) console.log(await measure(input, judge))

async function measure(input: HostileInput, judge: (typeof JUDGES)[number]): Promise<string> {
  const child = fork(fileURLToPath(new URL('./serve.ts', import.meta.url)), [JSON.stringify(answerOf(input))], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ask = async (what: string): Promise<unknown> => {
    child.send(what)
    return (await once(child, 'message'))[0]
  }
  const [{ origin }] = (await once(child, 'message')) as [{ origin: string }]
  const body = Buffer.from(
    JSON.stringify({ trajectory: input.trajectory(), ground_truth: input.ground_truth ?? GROUND_TRUTH, judge }),
  )
  await ask('start')
  const started = performance.now()
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${origin}/v1/grades`, { method: 'POST', body, headers })
  const text = await response.text()
  const wall_s = (performance.now() - started) / 1000
  const report = (await ask('report')) as Report
  child.disconnect()
  await once(child, 'exit')
  return row(input.name, judge, body.length, response.status, text, wall_s, report)
}

function row(name: string, judge: string, bytes: number, status: number, text: string, wall_s: number, report: Report) {
  const grade = status === 201 ? (JSON.parse(text) as { label: string | null; status: string }) : null
  return [
    name.padEnd(50),
    judge.padEnd(9),
    `${(bytes / 1e6).toFixed(0).padStart(3)} MB`,
    `stop ${report.delay_ms.toFixed(0).padStart(6)} ms`,
    `cpu ${report.cpu_s.toFixed(1).padStart(6)} s`,
    `wall ${wall_s.toFixed(1).padStart(6)} s`,
    `${report.peak_mb.toFixed(0).padStart(5)} MB`,
    grade === null ? `${status} ${text.slice(0, 120)}` : `${grade.status} ${grade.label}`,
  ].join('  ')
}

function answerOf({ quotes }: HostileInput): JudgeAnswer {
  const cited = (quotes?.() ?? []).map((quote) => ({ supports: 'cue.acted' as const, step_id: 3, quote }))
  return {
    citations: [{ supports: 'surface.observed', step_id: 2, quote: GROUND_TRUTH.cue.text }, ...cited.slice(0, 60)],
    notes: '',
    surface: { observed: true, category: 'data_file' },
    cue: { reasoned: false, acted: cited.length > 0 },
    distractor: { reasoned: false, acted: false },
    confidence: 'high',
  }
}
