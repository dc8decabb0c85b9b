import { isRecord } from '../../formats/common/reading.ts'
import { findFile, type Place } from '../unpack/place.ts'
import { readJson } from '../unpack/text.ts'
import { cutText, rewardsIn, type TrialFacts, textAt } from './trial-facts.ts'

const MAX_RESULT_BYTES = 16 * 1024 * 1024

/**
 * Reads the facts of a Terminal-Bench 1 trial from its folder (`<run>/<task>/<trial>/results.json`); null for any other folder. `reward` is
 * 1 for a resolved task; each test is a reward `tests.<name>`.
 */
export async function terminalBenchFacts(folder: Place, run: RunFacts | null): Promise<TrialFacts | null> {
  const result = await readJson(await findFile(folder, 'results.json'), MAX_RESULT_BYTES)
  if (!isRecord(result) || typeof result['task_id'] !== 'string' || !('is_resolved' in result)) return null
  const task = result['task_id']
  const trial = textAt(result, 'trial_name')
  const tests = isRecord(result['parser_results']) ? Object.entries(result['parser_results']) : []
  const resolved = result['is_resolved']
  const failure = textAt(result, 'failure_mode')
  return {
    harness: 'terminal-bench',
    tasks: [task],
    trials: trial === null ? [] : [trial],
    agent: textAt(result, 'agent_name') ?? run?.agent ?? null,
    model: textAt(result, 'model_name') ?? run?.model ?? null,
    startedAt: textAt(result, 'trial_started_at'),
    runIndex: attemptOf(trial),
    instruction: textAt(result, 'instruction'),
    conflict: null,
    rewards: {
      ...rewardsIn(result),
      ...Object.fromEntries(tests.map(([name, outcome]) => [`tests.${name}`, outcome === 'passed' ? 1 : 0])),
      ...(typeof resolved === 'boolean' && { reward: resolved ? 1 : 0 }),
    },
    more: failure === null || failure === 'none' || failure === 'unset' ? {} : { exception: cutText(failure) },
  }
}

/** Facts of a run's folder that hold for all trials below it. */
export interface RunFacts {
  readonly agent: string | null
  readonly model: string | null
}

export async function runFactsIn(folder: Place): Promise<RunFacts | null> {
  const metadata = await readJson(await findFile(folder, 'run_metadata.json'), MAX_RESULT_BYTES)
  return isRecord(metadata) ? { agent: textAt(metadata, 'agent_name'), model: textAt(metadata, 'model_name') } : null
}

/** Returns the index of an attempt from `<task>.<k>-of-<n>.<run>`, numbered from 1: no other harness numbers its attempts. */
function attemptOf(trial: string | null): number | null {
  const part = trial?.split('.').find((piece) => piece.includes('-of-'))
  const [number] = part?.split('-of-') ?? []
  const attempt = number === undefined || number.length > 6 ? Number.NaN : Number(number)
  return Number.isInteger(attempt) && attempt > 0 ? attempt - 1 : null
}
