import { parseJson } from '../../domain/text/exact-json.ts'
import { isRecord, type Json } from '../../formats/common/reading.ts'
import { find, findFile, findFolder, nameIn, type Place, relativeNames } from '../unpack/place.ts'
import { readJson, readText } from '../unpack/text.ts'
import { cutText, recordAt, rewardsIn, type TrialFacts, textAt } from './trial-facts.ts'

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
  const rewards = await rewardsOf(folder, recordAt(result, 'verifier_result', 'rewards'))
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
    more: moreOf(result, config, rewards),
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

/**
 * Returns the result's rewards, else those of the verifier's files: `reward.json`, and for a missing `reward` the number in `reward.txt`,
 * as Harbor reads them (`verifier/verifier.py`; its older versions read only `reward.txt` where both exist).
 */
async function rewardsOf(folder: Place, declared: Json | null): Promise<Record<string, number | boolean>> {
  if (declared !== null) return rewardsIn(declared)
  const rewards = rewardsIn(await readJson(await findFile(folder, 'verifier', 'reward.json'), MAX_RESULT_BYTES))
  if (rewards['reward'] !== undefined) return rewards
  const text = await findFile(folder, 'verifier', 'reward.txt')
  const read = text === null ? null : await readText(text, 4096)
  const reward = read?.kind === 'read' ? parseJson(read.text.trim()) : undefined
  return typeof reward === 'number' ? { ...rewards, reward } : rewards
}

function moreOf(
  result: Json | null,
  config: Json | null,
  rewards: Readonly<Record<string, number | boolean>>,
): Record<string, string | number | boolean> {
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
  const reward = rewards['reward']
  return { ...Object.fromEntries(members), ...(reward !== undefined && { reward }) }
}

/** Reads one step of a trial of several steps: its own rewards and exception, where the trial's result has them. */
export async function stepFacts(trial: Place, step: Place, name: string, facts: TrialFacts): Promise<TrialFacts> {
  const result = await readJson(await findFile(trial, 'result.json'), MAX_RESULT_BYTES)
  const steps = isRecord(result) && Array.isArray(result['step_results']) ? result['step_results'] : []
  const own = steps.find((entry) => textAt(entry, 'step_name') === name)
  const rewards = await rewardsOf(step, recordAt(own, 'verifier_result', 'rewards'))
  const exception = textAt(own, 'exception_info', 'exception_type')
  const { reward: _, exception: __, ...more } = facts.more
  const reward = rewards['reward']
  return {
    ...facts,
    trials: facts.trials.flatMap((trialName) => [`${trialName}/${name}`, trialName]),
    rewards,
    more: {
      ...more,
      step: cutText(name),
      ...(exception !== null && { exception: cutText(exception) }),
      ...(reward !== undefined && { reward }),
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
