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

/** Search in all loaded steps. The browser’s own search only sees the steps that are on the screen. */
export function FindBar(props: {
  readonly loader: StepLoader
  readonly loaded: number
  readonly onFind: (finding: Finding) => void
}) {
  const { loader, loaded, onFind } = props
  const field = useRef<HTMLInputElement>(null)
  const [wanted, setWanted] = useState('')
  const [at, setAt] = useState(0)
  const hits = useMemo(() => findText(loader.at, loader.count, wanted), [loader, loaded, wanted])
  const current = hits[at] ?? null
  useEffect(() => onFind(hits.length === 0 ? NOTHING : { hits, current }), [hits, current])
  const go = (by: number) => hits.length > 0 && setAt((at + by + hits.length) % hits.length)
  useShortcuts([
    { key: '/', what: 'search in the trajectory', run: () => field.current?.focus() },
    { key: 'n', what: 'next place that was found', run: () => go(1) },
    { key: 'N', what: 'place before that was found', run: () => go(-1) },
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
        onInput={debounced((text) => {
          setWanted(text)
          setAt(0)
        })}
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

let timer: ReturnType<typeof setTimeout> | undefined

/** Typing is searched for once it rests. */
const debounced =
  (run: (text: string) => void) =>
  (event: { readonly currentTarget: HTMLInputElement }): void => {
    const { value } = event.currentTarget
    clearTimeout(timer)
    timer = setTimeout(() => run(value), PAUSE_MS)
  }

/** Where something that was searched for stands. */
export interface Hit extends Span {
  readonly index: number
  readonly part: number
}

export const MOST_HITS = 2000

/** All places of a text in the loaded steps, whatever its case, in order; at most `MOST_HITS`. */
export function findText(at: (index: number) => Step | undefined, count: number, wanted: string): Hit[] {
  if (wanted === '') return []
  // A literal: every character that means something to a pattern is escaped, so that nothing can backtrack.
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
