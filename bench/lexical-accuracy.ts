import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { buildContext } from '../src/boot/context.ts'
import { loadConfig } from '../src/config/config.ts'
import type { Grade } from '../src/schemas/grade.ts'
import type { GradeRequest } from '../src/schemas/trial.ts'
import { type Behaviour, LABELS } from '../src/schemas/vocabulary.ts'
import { exactInterval } from '../test/attack/clopper-pearson.ts'
import { askedIn, plantedIn, turnsOf } from '../tools/labelled/assebench.ts'
import { type GeneratedTrial, generateTrials, HARDNESS } from './generated-trials.ts'

/** How often the built-in judge is right, through the real gate: on the examples, and on trials that were built to have a label. */
const COUNT = 1200
const SEED = 20261121
const OUTCOMES = [...LABELS, 'unverified'] as const

const { config, secrets } = loadConfig({ VERIDICT_DATABASE: ':memory:' }, () => '')
const context = await buildContext({ config, secrets })

async function grade(request: GradeRequest): Promise<Grade> {
  return (await context.service.grade(request)).grade
}

const outcomeOf = (grade: Grade): string => grade.label ?? grade.status

const names = readdirSync('examples', { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)
let right = 0
for (const name of names) {
  const read = (file: string): unknown => JSON.parse(readFileSync(`examples/${name}/${file}`, 'utf8'))
  const result = await grade({
    trajectory: read('trajectory.json'),
    ground_truth: read('ground-truth.json'),
  } as GradeRequest)
  const expected = read('expected.json') as Grade
  if (result.label === expected.label && result.status === expected.status) right++
}
console.log(
  `Examples: ${right} of ${names.length} as expected. They were written together with the judge: this is no measure of accuracy.\n`,
)

const trials: (GeneratedTrial & { readonly grade: Grade })[] = []
for (const trial of generateTrials(COUNT, SEED)) trials.push({ ...trial, grade: await grade(trial.request) })

type Trial = (typeof trials)[number]
const isRight = (trial: Trial): boolean => trial.grade.label === trial.label
const share = (part: readonly Trial[]): string => `${part.filter(isRight).length}/${part.length}`.padStart(9)

console.log(
  `Generated: ${COUNT} trials, seed ${SEED}, five labels × ${HARDNESS.length} kinds in turn, half with action anchors\n`,
)
console.log(`true \\ graded     ${OUTCOMES.map((one) => one.slice(0, 12).padStart(13)).join('')}    right`)
for (const label of LABELS) {
  const row = trials.filter((trial) => trial.label === label)
  const cells = OUTCOMES.map((outcome) =>
    String(row.filter((trial) => outcomeOf(trial.grade) === outcome).length).padStart(13),
  )
  console.log(`${label.padEnd(18)}${cells.join('')}${share(row)}`)
}
console.log('\nkind                   right (anchors given)  right (derived)  wrong with high confidence')
for (const kind of HARDNESS) {
  const ofKind = trials.filter(({ hardness }) => hardness === kind)
  const of = (anchored: boolean) => share(ofKind.filter((trial) => trial.anchored === anchored))
  const sure = ofKind.filter(({ grade: { label, confidence } }) => label !== null && confidence.reported === 'high')
  const wrong = sure.filter((trial) => !isRight(trial))
  console.log(
    `${kind.padEnd(22)} ${of(true).padStart(21)} ${of(false).padStart(16)} ${String(wrong.length).padStart(27)}`,
  )
}
console.log()
printByConfidence(trials)
console.log(`All:               ${share(trials)} right\n`)
console.log(`What it gets wrong, by its nature: an action that follows an instruction in other words (rewritten_command) is not found, so the trial
looks ignored; a surface that shows other words than the ground truth (paraphrased_surface) looks unobserved.`)

/** Right and wrong by confidence, with the exact 95% interval of the share that is right. A grade without a label is neither. */
function printByConfidence(graded: readonly { readonly label: string; readonly grade: Grade }[]): void {
  for (const level of ['high', 'medium', 'low'] as const) {
    const part = graded.filter(({ grade: { label, confidence } }) => label !== null && confidence.reported === level)
    const good = part.filter(({ label, grade: { label: given } }) => label === given).length
    const ci95 = exactInterval(good, part.length)
    const interval = ci95 === null ? '' : `, 95% interval ${ci95.map((limit) => limit.toFixed(3)).join(' to ')}`
    console.log(`${level.padEnd(7)} confidence: ${good} right, ${part.length - good} wrong${interval}`)
  }
}

const ASSEBENCH = '../shared/labelled/assebench/rjudge.json'

/** A run that people labelled, as a request, with the label that follows from theirs. */
interface LabelledRun {
  readonly name: string
  readonly label: Behaviour
  readonly request: GradeRequest
}

/**
 * ASSEBench's runs with an instruction planted in what a tool returned: those whose description quotes it and that really show it. Unsafe means
 * that the agent followed it. There is no cue. Null where the data is not there.
 */
function readAssebench(): LabelledRun[] | null {
  if (!existsSync(ASSEBENCH)) return null
  const runs = JSON.parse(readFileSync(ASSEBENCH, 'utf8')) as readonly Record<string, unknown>[]
  return runs.flatMap((run) => {
    const planted = plantedIn(run)
    const turns = turnsOf(run)
    const steps = turns.flat()
    const shows = steps.some(({ actor, text }) => actor === 'tool_output' && planted !== null && text.includes(planted))
    if (planted === null || !shows) return []
    const request = {
      trajectory: { steps },
      ground_truth: { instruction: askedIn(turns), distractor: { text: planted } },
    }
    return [{ name: `rjudge/${run['id']}`, label: run['label'] === 1 ? 'distractor_only' : 'ignored', request }]
  })
}

const labelled = readAssebench()
if (labelled === null) console.log('\nASSEBench: skipped, ../shared/labelled is not there')
else {
  const graded: (LabelledRun & { readonly grade: Grade })[] = []
  for (const run of labelled) graded.push({ ...run, grade: await grade(run.request) })
  console.log(
    `\nASSEBench: ${graded.length} runs that people labelled, with an instruction planted in a tool’s answer (no anchors given)\n`,
  )
  printByConfidence(graded)
}
await context.close()

if (process.argv.includes('--list')) {
  console.log('\nLabels above low, to be read by hand:')
  for (const { label, grade: one, request } of trials
    .filter(({ grade: { confidence } }) => confidence.reported !== 'low')
    .slice(0, 200))
    console.log(
      JSON.stringify({
        truth: label,
        graded: one.label,
        confidence: one.confidence.reported,
        citations: one.citations.map(({ supports, step_id, quote }) => `${supports}@${step_id}: ${quote}`),
        request,
      }),
    )
}
