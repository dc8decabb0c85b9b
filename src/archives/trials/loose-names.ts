import { dirname, resolve } from 'node:path'
import type { Place } from '../unpack/place.ts'

/** Only what is an ending: `x.rerun-2.json` is another run than `x.json`. The longer ones first. */
const ENDINGS = [
  ...['.trajectory.json', '.traj.json', '.chat.json', '.rollout.jsonl'],
  ...['.json', '.jsonl', '.ndjson', '.traj', '.eval', '.txt'],
]
const PACKINGS = ['.tar.gz', '.tgz', '.tar.zst', '.tar', '.zip', '.gz', '.zst']

/** Names that say nothing of which run it is: that of the folder around them does. */
const COMMON = new Set(['trajectory', 'agent', 'artifacts'])

/** A loose file may be named by its name, with or without its ending; a run of several in a file also by its own. */
export function trialNames(place: Place, run: string): string[] {
  const [file = '', ...around] = place.shown.split(/[/!]/).reverse()
  const endings = ENDINGS.filter((ending) => file.length > ending.length && file.endsWith(ending))
  const stems = endings.map((ending) => file.slice(0, -ending.length)).reverse()
  const [stem = file] = stems
  const folder = COMMON.has(stem) ? folderOf(place, around) : null
  const names = [...(folder === null ? [] : [folder]), ...(stems.length === 0 ? [] : [stem]), file, ...stems]
  return [...new Set(run === '' ? names : [`${file}#${run}`, run])]
}

/** The nearest name around a file that tells something; of the real path where the path as given has none. */
function folderOf({ path, shown }: Place, around: readonly string[]): string | null {
  const real = shown.includes('!') ? [] : dirname(resolve(path)).split('/').reverse()
  const given = around.every((name) => name === '.' || name === '..' || COMMON.has(name)) ? real : around
  for (const name of given) {
    if (name === '' || name === '.' || name === '..') continue
    const packing = PACKINGS.find((ending) => name.endsWith(ending))
    const unpacked = packing === undefined ? name : name.slice(0, -packing.length)
    const ending = ENDINGS.find((one) => unpacked.endsWith(one))
    const stem = ending === undefined ? unpacked : unpacked.slice(0, -ending.length)
    if (stem !== '' && !COMMON.has(stem)) return stem
  }
  return null
}
