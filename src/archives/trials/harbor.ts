import { parseJson } from '../../domain/text/exact-json.ts'
import { isRecord, type Json } from '../../formats/common/reading.ts'
import { find, findFile, findFolder, nameIn, type Place, relativeNames } from '../unpack/place.ts'
import { readJson, readText } from '../unpack/text.ts'
import { cutText, recordAt, rewardsIn, type TrialFacts, textAt } from './trial-facts.ts'

/** A result of a trial with a long traceback is still small. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024

/** What Harbor says of a folder, where the folder is one of its trials; else null. */
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

/** The trial's result or configuration, not the job's: both stand in files of the same names. */
function asTrial(value: unknown): Json | null {
  if (!isRecord(value) || 'n_total_trials' in value || 'job_name' in value) return null
  return typeof value['trial_name'] === 'string' || typeof value['task_name'] === 'string' ? value : null
}

/** A trial of which only the agent's and the verifier's folders were kept. */
async function looksStripped(folder: Place): Promise<boolean> {
  if ((await findFile(folder, 'agent', 'trajectory.json')) !== null) return true
  const parts = [await findFolder(folder, 'agent'), await findFolder(folder, 'verifier')]
  if (parts.every((part) => part !== null)) return true
  const steps = await findFolder(folder, 'steps')
  return steps !== null && (await find(folder, 'trial.log')) !== null
}

const lastName = (path: string | null): string | null => path?.split('/').findLast((name) => name !== '') ?? null

/** `<task, cut to 32>__<7 characters>`: as good as the whole name only where nothing was cut. */
function taskOfFolder(name: string): string | null {
  const at = name.lastIndexOf('__')
  return at > 0 && at < 32 && name.length - at === 9 ? name.slice(0, at) : null
}

const distinct = (names: readonly (string | null)[]): string[] => [
  ...new Set(names.filter((name): name is string => name !== null && name !== '')),
]

/**
 * The result's rewards, else those of the verifier's files: `reward.json`, and for `reward` itself, where that has none, `reward.txt`, as Harbor
 * reads them (`verifier/verifier.py`; its older versions read `reward.txt` alone where both are there).
 */
async function rewardsOf(folder: Place, told: Json | null): Promise<Record<string, number | boolean>> {
  if (told !== null) return rewardsIn(told)
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
  const said = Object.entries(texts).flatMap(([key, text]) => (text === null ? [] : [[key, cutText(text)] as const]))
  const reward = rewards['reward']
  return { ...Object.fromEntries(said), ...(reward !== undefined && { reward }) }
}

/** One step of a trial of several: its own rewards and exception, where the trial's result tells them. */
export async function stepFacts(trial: Place, step: Place, name: string, facts: TrialFacts): Promise<TrialFacts> {
  const result = await readJson(await findFile(trial, 'result.json'), MAX_RESULT_BYTES)
  const told = isRecord(result) && Array.isArray(result['step_results']) ? result['step_results'] : []
  const own = told.find((one) => textAt(one, 'step_name') === name)
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

/** Names of trials that a job's result tells, so that a trial whose folder is gone is not lost. */
export async function trialsToldBy(job: Place): Promise<string[]> {
  const result = await readJson(await findFile(job, 'result.json'), MAX_RESULT_BYTES)
  const evals = Object.values(recordAt(result, 'stats', 'evals') ?? {})
  const names = evals.flatMap((one) => [
    ...Object.values(recordAt(one, 'reward_stats') ?? {}).flatMap((values) => namesIn(values)),
    ...namesIn(recordAt(one, 'exception_stats')),
  ])
  const listed = isRecord(result) && Array.isArray(result['trial_results']) ? result['trial_results'] : []
  const results = listed.flatMap((one: unknown) => textAt(one, 'trial_name') ?? [])
  // A name that no folder can have is no trial's.
  return [...new Set([...names, ...results])].filter((name) => relativeNames(name)?.length === 1)
}

const namesIn = (byValue: unknown): string[] =>
  isRecord(byValue)
    ? Object.values(byValue).flatMap((names) =>
        Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [],
      )
    : []
