import type { TrialItem } from '../archives/trials/reading-job.ts'
import { textOfAnchor } from '../domain/anchors/anchors.ts'
import { normalizeGroundTruth } from '../domain/cache-key.ts'
import { firstMedia } from '../domain/evidence/observations.ts'
import { createMarkerSearch } from '../domain/markers/marker-search.ts'
import { count } from '../domain/words.ts'
import { instructionsOf } from '../schemas/trial.ts'
import { clip } from './output/text.ts'

const MOST_NAMED = 4
/** In a single run nothing tells a misspelt string from an instruction that the run never showed. */
const LEAST_RUNS = 2
/** Runs in which a string is searched. */
const MOST_RUNS = 20

/** Watches for strings of ground truths that stand in no run: a misspelt text or anchor finds nothing, and can change a label. */
export function watchSpelling() {
  const strings = new Map<string, { readonly name: string; runs: number; isFound: boolean }>()
  return {
    /** Searches a run that can be searched whole, and that a harness did not measure as blind. A found string is not searched for again, nor any in more than twenty runs. */
    look({ request: { ground_truth }, trajectory }: Extract<TrialItem, { kind: 'trial' }>): void {
      if (trajectory === null || trajectory.unread.records > 0 || firstMedia(trajectory) !== null) return
      if (ground_truth.signals?.appeared === false) return
      const texts = trajectory.steps.flatMap(({ parts }) => parts.map(({ text }) => text))
      for (const [of, { text, anchors = [], action_anchors = [] }] of instructionsOf(
        normalizeGroundTruth(ground_truth),
      ))
        for (const string of new Set([text, ...anchors, ...action_anchors.map(textOfAnchor)])) {
          const name = `“${clip(string, 60)}” of the ${of}`
          const known = strings.get(`${of} ${string}`) ?? { name, runs: 0, isFound: false }
          strings.set(`${of} ${string}`, known)
          if (known.isFound || known.runs === MOST_RUNS) continue
          known.runs++
          known.isFound = texts.some((text) => text.includes(string)) || isIn(texts, string)
        }
    },
    /** Renders the strings that stand nowhere; empty where each stands in some run. */
    text(): string {
      const missing = [...strings.values()].filter(({ isFound, runs }) => !isFound && runs >= LEAST_RUNS)
      if (missing.length === 0) return ''
      const named = missing
        .slice(0, MOST_NAMED)
        .map(({ name, runs }) => `${name} stands in none of ${count(runs, 'searched run')}`)
      const more = missing.length > MOST_NAMED ? `, and ${missing.length - MOST_NAMED} more` : ''
      return `warning  check the spelling: ${named.join('; ')}${more}`
    },
  }
}

/** Searches as the evidence gate does, through line breaks and escapes. */
function isIn(texts: readonly string[], string: string): boolean {
  const search = createMarkerSearch([string])
  return texts.some((text) => search(text).length > 0)
}
