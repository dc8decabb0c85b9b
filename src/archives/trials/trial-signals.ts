import type { GivenTruth } from '../../schemas/ground-truth.ts'
import type { MatchedTruth } from '../truth/ground-truths.ts'
import { measureSignals } from '../truth/measured-signals.ts'
import { type SignalSource, withDefaults } from '../truth/signals.ts'
import { shownName } from '../unpack/names.ts'
import type { Scope } from './reading-job.ts'
import type { TrialRun } from './trial-item.ts'

/** Merges the signals of a trial: measured values take precedence over the row of its task, and the row of the trial itself over both. */
export async function signalsOf(
  { job }: Scope,
  { facts, run, folders }: Pick<TrialRun, 'facts' | 'run' | 'folders'>,
  truth: GivenTruth,
  by: MatchedTruth['by'],
): Promise<{ ground_truth: GivenTruth; warnings: string[] }> {
  const requested = job.options.signals ?? []
  const rewards = facts.harness === null ? (run.about.scores ?? {}) : facts.rewards
  const maxBytes = job.limits.max_file_bytes
  const measured = await measureSignals(withDefaults(requested), { rewards, folders, maxBytes })
  const declared = truth.signals ?? {}
  const against = Object.entries(measured.signals).filter(
    ([name, value]) => (declared[name as keyof typeof declared] ?? value) !== value,
  )
  const kept = by === 'trial' ? 'the ground truth' : 'the trial'
  const warnings = against.map(
    ([name]) => `the ground truth and the trial differ in the signal ${name}; ${kept} is used`,
  )
  const signals = by === 'trial' ? { ...measured.signals, ...declared } : { ...declared, ...measured.signals }
  const { signals: _, ...rest } = truth
  const ground_truth = Object.keys(signals).length === 0 ? rest : { ...rest, signals }
  job.countSources(requested, measured.missing)
  const first = measured.missing.flatMap((source) => (requested.includes(source) ? missingOnce(job, source) : []))
  const unnamed = facts.harness === 'harbor' ? unnamedReward(job, measured.missing, requested, rewards) : []
  const conflict = facts.conflict === null ? [] : [`${facts.conflict}; no reward of this trial is used`]
  return { ground_truth, warnings: [...conflict, ...measured.warnings, ...warnings, ...first, ...unnamed] }
}

function missingOnce(job: Scope['job'], source: SignalSource): string[] {
  const where = sourceText(source)
  const text = `there is nothing at ${where}; ${source.signal} is unknown (told once, for all trials where it is so)`
  return job.isFirst(`source ${where}`) ? [text] : []
}

/** Writes the source of a signal as the user wrote it. */
export const sourceText = ({ signal, place }: SignalSource): string => {
  if (place.kind === 'none') return `${signal}=none`
  if (place.kind === 'reward') return shownName(`${signal}=reward:${place.key}`)
  const tokens = place.pointer.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  return shownName(`${signal}=file:${place.names.join('/')}${tokens.length === 0 ? '' : `#${tokens.join('')}`}`)
}

/** Warns of a reward with another name than `reward`: only the user can tell which number means a done task. */
function unnamedReward(
  job: Scope['job'],
  missing: readonly SignalSource[],
  requested: readonly SignalSource[],
  rewards: object,
): string[] {
  const [key] = Object.keys(rewards)
  const isDefault = missing.some((source) => source.signal === 'resolved' && !requested.includes(source))
  if (key === undefined || !isDefault || !job.isFirst('reward')) return []
  const name = shownName(key)
  return [
    `no reward is called reward, but ${name}: resolved is unknown; to use it: --signals 'resolved=reward:${name}>=1'`,
  ]
}
