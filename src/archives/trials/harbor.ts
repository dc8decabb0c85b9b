import { lstat } from 'node:fs/promises'
import { parseJson } from '../../domain/text/json.ts'
import { isRecord, type Json } from '../../formats/common/reading.ts'
import { find, findFile, findFolder, nameIn, type Place, readJson, readText, relativeNames } from '../unpack/place.ts'
import { cutText, NO_FACTS, recordAt, rewardsIn, type TrialFacts, textAt } from './trial-facts.ts'

/** Bounds the files of a trial, which are small even with a long traceback. */
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
  const tasks = [task, lastName(task), textAt(config, 'task', 'name'), lastName(taskPath), taskOfFolder(folderName)]
  const info = recordAt(result, 'agent_info')
  const { rewards, conflict } = await rewardsOf(folder, result)
  return {
    ...NO_FACTS,
    harness: 'harbor',
    tasks: distinct(tasks),
    trials: distinct([textAt(result, 'trial_name'), textAt(config, 'trial_name'), folderName]),
    agent: textAt(info, 'name') ?? textAt(config, 'agent', 'name'),
    model: textAt(info, 'model_info', 'name') ?? lastName(textAt(config, 'agent', 'model_name')),
    startedAt: textAt(result, 'started_at'),
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

/** Reads the rewards of a trial or step; old results have a single reward beside the verifier's name. */
function rewardsOf(folder: Place, result: unknown): Promise<TrialRewards> {
  const verified = isRecord(result) ? result['verifier_result'] : undefined
  // Since Harbor 0.26 the result itself says that its rewards are of no use.
  if (isRecord(result) && result['reward_valid'] === false) return Promise.resolve({ rewards: {}, conflict: null })
  const single = rewardsIn(verified)
  const declared = recordAt(verified, 'rewards') ?? ('reward' in single || verified === null ? single : null)
  return readRewards(folder, declared, textAt(result, 'verifier', 'started_at'))
}

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
      ...{ ...more, step: cutText(name), ...(exception !== null && { exception: cutText(exception) }) },
      ...rewardFacts(rewards, conflict),
    },
  }
}

/** Lists the trials that a job's result names, so that a trial without a folder is reported. */
export async function trialsNamedBy(job: Place): Promise<string[]> {
  const result = await readJson(await findFile(job, 'result.json'), MAX_RESULT_BYTES)
  const evals = Object.values(recordAt(result, 'stats', 'evals') ?? {})
  const names = evals.flatMap((entry) => {
    const { reward_stats, exception_stats } = recordAt(entry) ?? {}
    return [...(isRecord(reward_stats) ? Object.values(reward_stats) : []), exception_stats].flatMap(namesIn)
  })
  const listed = isRecord(result) && Array.isArray(result['trial_results']) ? result['trial_results'] : []
  const results = listed.flatMap((trial: unknown) => textAt(trial, 'trial_name') ?? [])
  // A name that no folder can have belongs to no trial.
  return [...new Set([...names, ...results])].filter((name) => relativeNames(name)?.length === 1)
}

const namesIn = (byValue: unknown): string[] => {
  const lists = isRecord(byValue) ? Object.values(byValue).filter((names) => Array.isArray(names)) : []
  return lists.flat().filter((name) => typeof name === 'string')
}

type Rewards = Readonly<Record<string, number | boolean>>

interface TrialRewards {
  /** The rewards by name; empty where the files of the trial contradict each other. */
  readonly rewards: Rewards
  /** The reason why no reward is used; null: the rewards agree. */
  readonly conflict: string | null
}

/** Some file systems keep times by two seconds. */
const GRACE_MS = 2000
const SCORE = /^[\w.-]{1,100}: (-?\d+(?:\.\d+)?)$/u

/**
 * Reads the rewards of a trial as Harbor does: those of the result, else of `verifier/reward.json`, and for a missing `reward` the number in
 * `verifier/reward.txt`. An agent in shared mode can write both files. So no reward is used where result, files and the verifier's log differ, or where a file
 * is older than the verifier's run. `verifierStart`: the time in the result, with its zone.
 */
async function readRewards(folder: Place, declared: Json | null, verifierStart: string | null): Promise<TrialRewards> {
  const files = await Promise.all(['reward.json', 'reward.txt', 'test-stdout.txt'].map((name) => read(folder, name)))
  const [json, text, log] = files.map((file) => file?.text ?? '')
  const stored = rewardsOfText(json ?? '')
  const values = Object.entries({
    'result.json': rewardsIn(declared)['reward'],
    'reward.json': stored['reward'],
    'reward.txt': rewardsOfText(text ?? '')['reward'],
  }).filter(([, reward]) => reward !== undefined)
  const start = verifierStart !== null && /(?:Z|[+-]\d\d:?\d\d)$/u.test(verifierStart) ? Date.parse(verifierStart) : NaN
  // Harbor writes the result behind the verifier's run: where the result is older too, an archive gave all files one time.
  const isDated = (await writtenMs(await findFile(folder, 'result.json'))) + GRACE_MS >= start
  const old = files.slice(0, 2).find((file) => isDated && file !== null && file.writtenMs + GRACE_MS < start)
  const logged = loggedReward(log ?? '')
  const isOne = new Set(values.map(([, reward]) => Number(reward))).size < 2
  const told = [...values, ...(logged === null ? [] : [['test-stdout.txt', logged]])]
  if (!isOne || (logged !== null && values.some(([, reward]) => !isRounded(reward, logged))))
    return refused(`the rewards differ: ${told.map((one) => one.join(' ')).join(', ')}`)
  if (old) return refused(`verifier/${old.name} is older than the verifier's run`)
  const [[name, found] = []] = values
  const given = rewardsIn(declared)
  if (declared !== null && Object.keys(given).length === 0 && name !== undefined)
    return refused(`result.json has no reward, and verifier/${name} has ${found}`)
  if (declared !== null) return { rewards: given, conflict: null }
  const reward = found ?? (logged === null ? undefined : Number(logged))
  return { rewards: { ...stored, ...(reward !== undefined && { reward }) }, conflict: null }
}

const refused = (conflict: string): TrialRewards => ({ rewards: {}, conflict })

async function read(folder: Place, name: string) {
  const place = await findFile(folder, 'verifier', name)
  if (place === null) return null
  const [content, written] = await Promise.all([readText(place, MAX_RESULT_BYTES), writtenMs(place)])
  return content.kind === 'read' ? { name, text: content.text, writtenMs: written } : null
}

/** Returns the time of a file's last change, in milliseconds since 1970; infinite where it is not known. */
const writtenMs = async (place: Place | null): Promise<number> =>
  (place && (await lstat(place.path).catch(() => null)))?.mtimeMs ?? Infinity

/** Reads rewards by name, or a single number, which is the reward. */
function rewardsOfText(text: string): Rewards {
  const value = parseJson(text.trim())
  return typeof value === 'number' ? rewardsIn({ reward: value }) : rewardsIn(value)
}

/** Tells whether a reward is the logged one, to the digits of the log. */
function isRounded(reward: unknown, logged: string): boolean {
  const digits = logged.split('.')[1]?.length ?? 0
  return Number(reward).toFixed(digits) === Number(logged).toFixed(digits)
}

/** Finds the reward, as it is written, among the scores with which a verifier's log ends; null: none. */
function loggedReward(log: string): string | null {
  const lines = log.trimEnd().split('\n')
  for (let score = SCORE.exec(lines.pop() ?? ''); score !== null; score = SCORE.exec(lines.pop() ?? ''))
    if (score[0].startsWith('reward: ')) return score[1] ?? null
  return null
}
