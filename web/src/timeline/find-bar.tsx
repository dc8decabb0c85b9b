import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Step } from '../types.ts'
import { useShortcuts } from '../ui/keyboard.ts'
import { formatCount } from '../words.ts'
import type { Span } from './cut-text.ts'
import type { StepLoader } from './step-loader.ts'

export interface Finding {
  readonly hits: readonly Hit[]
  readonly current: Hit | null
}

const NOTHING: Finding = { hits: [], current: null }
const PAUSE_MS = 150

/** The search in all loaded steps: the search of the browser sees the steps on the screen alone. */
export function FindBar(props: {
  readonly loader: StepLoader
  readonly loaded: number
  readonly onFind: (finding: Finding) => void
}) {
  const { loader, loaded, onFind } = props
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('')
  const [wanted, setWanted] = useState('')
  const [at, setAt] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => {
      setWanted(typed)
      setAt(0)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const hits = useMemo(() => findText(loader.at, loader.count, wanted), [loader, loaded, wanted])
  const current = hits[at] ?? null
  useEffect(() => onFind(hits.length === 0 ? NOTHING : { hits, current }), [hits, current])
  const go = (by: number) => hits.length > 0 && setAt((at + by + hits.length) % hits.length)
  useShortcuts([
    { key: '/', what: 'search in the trajectory', run: () => field.current?.focus() },
    { key: 'f', what: 'next place that was found', run: () => go(1) },
    { key: 'F', what: 'place before that was found', run: () => go(-1) },
  ])
  return (
    <search class="find">
      <label htmlFor="find" class="unseen">
        Search in the trajectory
      </label>
      <input
        id="find"
        ref={field}
        type="search"
        placeholder="Search in the trajectory"
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1)
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <button type="button" disabled={hits.length === 0} onClick={() => go(-1)}>
        Before
      </button>
      <button type="button" disabled={hits.length === 0} onClick={() => go(1)}>
        Next
      </button>
      <output aria-live="polite">
        {wanted !== '' &&
          (hits.length === 0
            ? 'not found'
            : `${formatCount(at + 1)} of ${formatCount(hits.length)}${hits.length === MOST_HITS ? ' or more' : ''}`)}
        {wanted !== '' && loaded < loader.count && `, in the ${formatCount(loaded)} steps that are loaded`}
      </output>
    </search>
  )
}

/** A place of the searched text. */
export interface Hit extends Span {
  readonly index: number
  readonly part: number
}

const MOST_HITS = 2000

/** Finds a text in the loaded steps, in any case, in order; at most `MOST_HITS` places. */
function findText(at: (index: number) => Step | undefined, count: number, wanted: string): Hit[] {
  if (wanted === '') return []
  // The pattern is a literal, with every special character escaped: no search can backtrack.
  const pattern = new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi')
  const hits: Hit[] = []
  for (let index = 0; index < count; index++) {
    for (const [part, { text }] of (at(index)?.parts ?? []).entries()) {
      for (const match of text.matchAll(pattern)) {
        hits.push({ index, part, start: match.index, end: match.index + match[0].length })
        if (hits.length === MOST_HITS) return hits
      }
    }
  }
  return hits
}
