import { lstat } from 'node:fs/promises'
import { parseJson } from '../../domain/text/exact-json.ts'
import type { Json } from '../../formats/common/reading.ts'
import { findFile, type Place } from '../unpack/place.ts'
import { readText } from '../unpack/text.ts'
import { rewardsIn } from './trial-facts.ts'

type Rewards = Readonly<Record<string, number | boolean>>

export interface TrialRewards {
  /** The rewards by name; empty where the files of the trial contradict each other. */
  readonly rewards: Rewards
  /** The reason why no reward is used; null: the rewards agree. */
  readonly conflict: string | null
}

const MOST_BYTES = 4 * 1024 * 1024
/** Some file systems keep times by two seconds. */
const GRACE_MS = 2000
const SCORE = /^[\w.-]{1,100}: (-?\d+(?:\.\d+)?)$/u

/**
 * Reads the rewards of a trial as Harbor does: those of the result, else of `verifier/reward.json`, and for a missing `reward` the number in
 * `verifier/reward.txt`. An agent in shared mode can write both files. So no reward is used where result, files and the verifier's log differ, or where a file
 * is older than the verifier's run. `verifierStart`: the time in the result, with its zone.
 */
export async function readRewards(
  folder: Place,
  declared: Json | null,
  verifierStart: string | null,
): Promise<TrialRewards> {
  const files = await Promise.all(['reward.json', 'reward.txt', 'test-stdout.txt'].map((name) => read(folder, name)))
  const [json, text, log] = files.map((file) => file?.text ?? '')
  const stored = rewardsOfText(json ?? '')
  const values = [
    { name: 'result.json', reward: rewardsIn(declared)['reward'] },
    { name: 'reward.json', reward: stored['reward'] },
    { name: 'reward.txt', reward: rewardsOfText(text ?? '')['reward'] },
    { name: 'test-stdout.txt', reward: loggedReward(log ?? '') },
  ].filter(({ reward }) => reward !== undefined)
  const start = verifierStart !== null && /(?:Z|[+-]\d\d:?\d\d)$/u.test(verifierStart) ? Date.parse(verifierStart) : NaN
  const old = files.slice(0, 2).find((file) => file !== null && file.writtenMs + GRACE_MS < start)
  const isOne = new Set(values.map(({ reward }) => Number(reward))).size < 2
  if (!isOne) return refused(`the rewards differ: ${values.map(({ name, reward }) => `${name} ${reward}`).join(', ')}`)
  if (old) return refused(`verifier/${old.name} is older than the verifier's run`)
  const reward = values[0]?.reward
  if (declared !== null) return { rewards: rewardsIn(declared), conflict: null }
  return { rewards: { ...stored, ...(reward !== undefined && { reward }) }, conflict: null }
}

const refused = (conflict: string): TrialRewards => ({ rewards: {}, conflict })

async function read(folder: Place, name: string) {
  const place = await findFile(folder, 'verifier', name)
  if (place === null) return null
  const [content, stats] = await Promise.all([readText(place, MOST_BYTES), lstat(place.path).catch(() => null)])
  return content.kind === 'read' ? { name, text: content.text, writtenMs: stats?.mtimeMs ?? Infinity } : null
}

/** Reads rewards by name, or a single number, which is the reward. */
function rewardsOfText(text: string): Rewards {
  const value = parseJson(text.trim())
  return typeof value === 'number' ? rewardsIn({ reward: value }) : rewardsIn(value)
}

/** Finds the reward among the scores with which a verifier's log ends; undefined: none. */
function loggedReward(log: string): number | undefined {
  const lines = log.trimEnd().split('\n')
  for (let score = SCORE.exec(lines.pop() ?? ''); score !== null; score = SCORE.exec(lines.pop() ?? ''))
    if (score[0].startsWith('reward: ')) return Number(score[1])
  return undefined
}
