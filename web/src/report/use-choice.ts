import { useEffect, useState } from 'preact/hooks'
import { ask, queryOf } from '../api.ts'
import type { GradeOverview } from '../api-types.ts'
import type { Choice } from '../ui/choose.tsx'
import { groupingOf } from './report-query.ts'

const SELECTED = ['judge', 'rubric', 'batch', 'agent', 'model', 'task'] as const

/**
 * Finds the choice that a report needs first; null: none. Undefined: not known yet. The service would refuse the report; the choice lists the
 * names beforehand.
 */
export function useChoice(query: URLSearchParams, overview: GradeOverview | null): Choice | null | undefined {
  const key = `${query}`
  const [found, setFound] = useState<{ readonly key: string; readonly choice: Choice | null } | null>(null)
  useEffect(() => {
    if (overview === null) return
    const stop = new AbortController()
    findChoice(query, overview, stop.signal).then(
      (choice) => setFound({ key, choice }),
      // The report itself says what is wrong.
      () => !stop.signal.aborted && setFound({ key, choice: null }),
    )
    return () => stop.abort()
  }, [key, overview])
  return found?.key === key ? found.choice : undefined
}

async function findChoice(
  query: URLSearchParams,
  { names }: GradeOverview,
  signal: AbortSignal,
): Promise<Choice | null> {
  // The overview cannot count by it: the service itself says what is to be chosen.
  if (query.get('variant')) return null
  const wanted = (['judge', 'rubric'] as const).filter(
    (name) => !query.get(name) && !(name === 'judge' && groupingOf(query) === 'judge'),
  )
  for (const name of wanted) {
    if (names[name].length < 2) continue
    const selected = Object.fromEntries(SELECTED.map((one) => [one, query.get(one)]))
    const options = await Promise.all(
      names[name].map(async (value) => {
        const asked = queryOf<'overviewGrades'>({ ...selected, [name]: value })
        return { value, grades: (await ask('overviewGrades', { query: asked }, signal)).total }
      }),
    )
    const fitting = options.filter(({ grades }) => grades > 0)
    if (fitting.length > 1) return { name, options: fitting }
  }
  return null
}
