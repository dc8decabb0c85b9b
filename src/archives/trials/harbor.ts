import { isRecord, type Json } from '../../formats/common/reading.ts'
import { find, findFile, findFolder, nameIn, type Place, relativeNames } from '../unpack/place.ts'
import { readJson } from '../unpack/text.ts'
import { readRewards, type TrialRewards } from './harbor-rewards.ts'
import { cutText, recordAt, type TrialFacts, textAt } from './trial-facts.ts'

/** Bounds a trial's result, which is small even with a long traceback. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024

/** Reads Harbor's facts of a trial from its folder; null for any other folder. */
export async function harborFacts(folder: Place): Promise<TrialFacts | null> {
  const result = asTrial(await readJson(await findFile(folder, 'result.json'), MAX_RESULT_BYTES))
  const config =
    asTrial(await readJson(await findFile(folder, 'config.json'), MAX_RESULT_BYTES)) ?? recordAt(result, 'config')
  if (result === null && config === null && !(await looksStripped(folder))) return null
  const folderName = nameIn(folder)
  const task = textAt(result, 'task_name')
  const taskPath =
    textAt(result, 'task_id', 'path') ?? textAt(config, 'task', 'path') ?? textAt(result, 'task_id', 'name')
  const trials = [textAt(result, 'trial_name'), textAt(config, 'trial_name'), folderName]
  const info = recordAt(result, 'agent_info')
  const { rewards, conflict } = await rewardsOf(folder, result)
  return {
    harness: 'harbor',
    tasks: distinct([
      task,
      lastName(task),
      textAt(config, 'task', 'name'),
      lastName(taskPath),
      taskOfFolder(folderName),
    ]),
    trials: distinct(trials),
    agent: textAt(info, 'name') ?? textAt(config, 'agent', 'name'),
    model: textAt(info, 'model_info', 'name') ?? lastName(textAt(config, 'agent', 'model_name')),
    startedAt: textAt(result, 'started_at'),
    runIndex: null,
    instruction: null,
    rewards,
    conflict,
    more: { ...moreOf(result, config), ...rewardFacts(rewards, conflict) },
  }
}

/** Returns a trial's result or configuration; null for a job's, which is in a file of the same name. */
function asTrial(value: unknown): Json | null {
  if (!isRecord(value) || 'n_total_trials' in value || 'job_name' in value) return null
  return typeof value['trial_name'] === 'string' || typeof value['task_name'] === 'string' ? value : null
}

/** Recognizes a trial with only the folders of its agent and verifier. */
async function looksStripped(folder: Place): Promise<boolean> {
  if ((await findFile(folder, 'agent', 'trajectory.json')) !== null) return true
  const parts = [await findFolder(folder, 'agent'), await findFolder(folder, 'verifier')]
  if (parts.every((part) => part !== null)) return true
  const steps = await findFolder(folder, 'steps')
  return steps !== null && (await find(folder, 'trial.log')) !== null
}

const lastName = (path: string | null): string | null => path?.split('/').findLast((name) => name !== '') ?? null

/** Returns the task from a folder name `<task, cut to 32>__<7 characters>`; null where the task's name may be cut. */
function taskOfFolder(name: string): string | null {
  const at = name.lastIndexOf('__')
  return at > 0 && at < 32 && name.length - at === 9 ? name.slice(0, at) : null
}

const distinct = (names: readonly (string | null)[]): string[] => [
  ...new Set(names.filter((name): name is string => name !== null && name !== '')),
]

const rewardsOf = (folder: Place, result: unknown): Promise<TrialRewards> =>
  readRewards(folder, recordAt(result, 'verifier_result', 'rewards'), textAt(result, 'verifier', 'started_at'))

/** The reward for the metadata of a trial, or the flag of a trial whose rewards contradict each other. */
const rewardFacts = ({ reward }: TrialRewards['rewards'], conflict: string | null) => ({
  ...(reward !== undefined && { reward }),
  ...(conflict !== null && { conflicting_reward: true }),
})

function moreOf(result: Json | null, config: Json | null): Record<string, string> {
  const jobFolder = lastName(textAt(config, 'trials_dir'))
  const texts = {
    job: jobFolder,
    dataset: textAt(result, 'source') ?? textAt(config, 'task', 'source'),
    agent_version: textAt(result, 'agent_info', 'version'),
    provider: textAt(result, 'agent_info', 'model_info', 'provider'),
    exception: textAt(result, 'exception_info', 'exception_type'),
    started_at: textAt(result, 'started_at'),
  }
  const members = Object.entries(texts).flatMap(([key, text]) => (text === null ? [] : [[key, cutText(text)] as const]))
  return Object.fromEntries(members)
}

/** Reads one step of a trial of several steps: its own rewards and exception, where the trial's result has them. */
export async function stepFacts(trial: Place, step: Place, name: string, facts: TrialFacts): Promise<TrialFacts> {
  const result = await readJson(await findFile(trial, 'result.json'), MAX_RESULT_BYTES)
  const steps = isRecord(result) && Array.isArray(result['step_results']) ? result['step_results'] : []
  const own = steps.find((entry) => textAt(entry, 'step_name') === name)
  const { rewards, conflict } = await rewardsOf(step, own)
  const exception = textAt(own, 'exception_info', 'exception_type')
  const { reward: _, exception: __, conflicting_reward: ___, ...more } = facts.more
  return {
    ...facts,
    trials: facts.trials.flatMap((trialName) => [`${trialName}/${name}`, trialName]),
    rewards,
    conflict,
    more: {
      ...more,
      step: cutText(name),
      ...(exception !== null && { exception: cutText(exception) }),
      ...rewardFacts(rewards, conflict),
    },
  }
}

/** Lists the trials that a job's result names, so that a trial without a folder is reported. */
export async function trialsNamedBy(job: Place): Promise<string[]> {
  const result = await readJson(await findFile(job, 'result.json'), MAX_RESULT_BYTES)
  const evals = Object.values(recordAt(result, 'stats', 'evals') ?? {})
  const names = evals.flatMap((entry) => [
    ...Object.values(recordAt(entry, 'reward_stats') ?? {}).flatMap((values) => namesIn(values)),
    ...namesIn(recordAt(entry, 'exception_stats')),
  ])
  const listed = isRecord(result) && Array.isArray(result['trial_results']) ? result['trial_results'] : []
  const results = listed.flatMap((trial: unknown) => textAt(trial, 'trial_name') ?? [])
  // A name that no folder can have belongs to no trial.
  return [...new Set([...names, ...results])].filter((name) => relativeNames(name)?.length === 1)
}

const namesIn = (byValue: unknown): string[] =>
  isRecord(byValue)
    ? Object.values(byValue).flatMap((names) =>
        Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [],
      )
    : []
