import { err, type Issue, ok, type Result } from '../../domain/result.ts'
import type { Measure } from './measure.ts'

/** What a rater word means. The name of a judge may go on with `@` and a rubric. */
export interface RaterWord {
  readonly kind: 'judge' | 'samples' | 'human' | 'humans' | 'signals'
  readonly word: string
  readonly name: string
}

/**
 * Reads rater words; issues at `/stored/raters/{index}`.
 *
 * @param measured what the harness measures.
 */
export function parseRaters(
  words: readonly string[],
  measure: Measure,
  measured: readonly string[],
): Result<RaterWord[], Issue[]> {
  const issues: Issue[] = []
  const raters = words.flatMap((word, index) => {
    const rater = parseRater(word)
    const message = rater === null ? WANTED : rater.kind === 'signals' ? signalsFault(measure, measured) : null
    if (message !== null) issues.push({ path: `/stored/raters/${index}`, message })
    return rater === null ? [] : [rater]
  })
  return issues.length > 0 ? err(issues) : ok(raters)
}

const WANTED = 'must be judge:<name>, judge:<name>@<rubric>, samples:<name>, human:<name>, humans or signals'

function signalsFault({ word, measured_by }: Measure, measured: readonly string[]): string | null {
  if (measured_by !== null) return null
  const instead = measured.length > 0 ? `take the measure ${measured.join(' or ')}` : 'this rubric has no such claim'
  return `the harness measures no ${word}; ${instead}`
}

function parseRater(word: string): RaterWord | null {
  if (word === 'humans' || word === 'signals') return { kind: word, word, name: '' }
  const colon = word.indexOf(':')
  const kind = word.slice(0, Math.max(0, colon))
  const name = word.slice(colon + 1)
  const isNamed = kind === 'judge' || kind === 'samples' || kind === 'human'
  return isNamed && name !== '' ? { kind, word, name } : null
}

/** A judge’s name alone means it under whichever rubric. */
export const namesJudge = (
  name: string,
  { judge, rubric }: { readonly judge: string; readonly rubric: string },
): boolean => judge === name || `${judge}@${rubric}` === name
