import type { GivenTruth } from '../../schemas/ground-truth.ts'
import type { FoundTruth } from '../truth/ground-truths.ts'
import { measureSignals } from '../truth/measured-signals.ts'
import { type SignalSource, withDefaults } from '../truth/signals.ts'
import { shownName } from '../unpack/names.ts'
import type { Scope } from './reading-job.ts'
import type { FoundRun } from './trial-item.ts'

/** What was measured in the trial comes over what is said of its task; what is said of this very trial comes over both. */
export async function signalsOf(
  { job }: Scope,
  { facts, run, folders }: Pick<FoundRun, 'facts' | 'run' | 'folders'>,
  truth: GivenTruth,
  by: FoundTruth['by'],
): Promise<{ ground_truth: GivenTruth; warnings: string[] }> {
  const given = job.options.signals ?? []
  const rewards = facts.harness === null ? (run.about.scores ?? {}) : facts.rewards
  const maxBytes = job.limits.max_file_bytes
  const measured = await measureSignals(withDefaults(given), { rewards, folders, maxBytes })
  const said = truth.signals ?? {}
  const against = Object.entries(measured.signals).filter(
    ([name, value]) => (said[name as keyof typeof said] ?? value) !== value,
  )
  const kept = by === 'trial' ? 'the ground truth' : 'the trial'
  const warnings = against.map(
    ([name]) => `the ground truth and the trial differ in the signal ${name}; ${kept} is used`,
  )
  const signals = by === 'trial' ? { ...measured.signals, ...said } : { ...said, ...measured.signals }
  const { signals: _, ...rest } = truth
  const ground_truth = Object.keys(signals).length === 0 ? rest : { ...rest, signals }
  job.countSources(given, measured.missing)
  const first = measured.missing.flatMap((source) => (given.includes(source) ? missingTold(job, source) : []))
  const unnamed = facts.harness === 'harbor' ? unnamedReward(job, measured.missing, given, rewards) : []
  return { ground_truth, warnings: [...measured.warnings, ...warnings, ...first, ...unnamed] }
}

function missingTold(job: Scope['job'], source: SignalSource): string[] {
  const where = sourceText(source)
  const text = `there is nothing at ${where}; ${source.signal} is unknown (told once, for all trials where it is so)`
  return job.isFirst(`source ${where}`) ? [text] : []
}

/** Where a source looks, as it was written. */
export const sourceText = ({ signal, place }: SignalSource): string => {
  if (place.kind === 'none') return `${signal}=none`
  if (place.kind === 'reward') return shownName(`${signal}=reward:${place.key}`)
  const tokens = place.pointer.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  return shownName(`${signal}=file:${place.names.join('/')}${tokens.length === 0 ? '' : `#${tokens.join('')}`}`)
}

/** A verifier may call its reward otherwise: only the user can say which of its numbers means that the task is done. */
function unnamedReward(
  job: Scope['job'],
  missing: readonly SignalSource[],
  given: readonly SignalSource[],
  rewards: object,
): string[] {
  const [key] = Object.keys(rewards)
  const isDefault = missing.some((source) => source.signal === 'resolved' && !given.includes(source))
  if (key === undefined || !isDefault || !job.isFirst('reward')) return []
  const name = shownName(key)
  return [
    `no reward is called reward, but ${name}: resolved is unknown; to use it: --signals 'resolved=reward:${name}>=1'`,
  ]
}
