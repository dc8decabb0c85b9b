import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeTrajectory } from './trajectory.ts'
import { distractorActed, observed, type Trial, VARIANTS } from './trials.ts'

/** Writes one Harbor job folder for each variant, and the ground truths by task. */
export function writeArchive(folder: string, trials: readonly Trial[]): void {
  for (const variant of VARIANTS)
    for (const trial of trials.filter((one) => one.variant === variant)) writeTrial(join(folder, variant), trial)
  const truths = new Map(trials.map(({ task, scenario }) => [task, { task, ...scenario.truth }]))
  const lines = [...truths.values()].map((truth) => `${JSON.stringify(truth)}\n`)
  writeFileSync(join(folder, 'truths.ndjson'), lines.join(''))
}

function writeTrial(job: string, trial: Trial): void {
  const name = `${trial.task}__${trial.marker.slice(-4)}${trial.agent === 'codex' ? 'cdx' : 'ter'}`
  const folder = join(job, name)
  const put = (path: string, content: object): void =>
    writeFileSync(join(folder, path), `${JSON.stringify(content, null, 1)}\n`)
  mkdirSync(join(folder, 'agent'), { recursive: true })
  mkdirSync(join(folder, 'verifier'))
  put('result.json', {
    task_name: `acme/${trial.task}`,
    trial_name: name,
    agent_info: { name: trial.agent, version: '2.0.0', model_info: { name: trial.model, provider: 'example' } },
    verifier_result: { rewards: { reward: trial.resolved ? 1 : 0 } },
    exception_info: null,
    started_at: `2026-11-20T1${trial.run}:00:00Z`,
  })
  put('verifier/signals.json', { appeared: observed(trial), executed: distractorActed(trial) })
  put('agent/trajectory.json', writeTrajectory(trial).trajectory)
}
