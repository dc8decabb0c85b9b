import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { hrefOf, navigate, type Place, readPlace, usePlace } from '../location.ts'
import type { CheckedCitation, TrajectorySummary } from '../types.ts'
import { useShortcuts } from '../ui/keyboard.ts'
import { recall, remember } from '../ui/memory.ts'
import { Trouble } from '../ui/parts.tsx'
import { formatCount } from '../words.ts'
import { bringIntoSight, type ShownBy } from './bring-into-sight.ts'
import { FindBar, type Finding, type Hit } from './find-bar.tsx'
import { firstEvidence, readAnchor } from './marks.ts'
import { StepRow } from './part-view.tsx'
import { createStepLoader, type StepLoader } from './step-loader.ts'

interface TimelineProps {
  readonly summary: TrajectorySummary
  readonly citations: readonly CheckedCitation[]
  /** Whether an address without a fragment opens the first evidence. */
  readonly fromEvidence?: boolean
}

const NO_HITS: readonly Hit[] = []
const ROW_ESTIMATE = 160
const OVERSCAN = 6

/** A trajectory of any length: the page has the steps around the screen, and loads the others meanwhile. */
export function Timeline({ summary, citations, fromEvidence = false }: TimelineProps) {
  const place = usePlace()
  const box = useRef<HTMLDivElement>(null)
  const { loader, loaded } = useSteps(summary)
  const [toolsFolded, foldTools] = useFoldedTools()
  const [finding, setFinding] = useState<Finding>({ hits: NO_HITS, current: null })
  const hitsOf = useMemo(() => Map.groupBy(finding.hits, (hit) => hit.index), [finding.hits])
  const rows = useVirtualizer<HTMLDivElement, HTMLElement>({
    count: loader.count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_ESTIMATE,
    overscan: OVERSCAN,
  })
  const items = rows.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => loader.want(first, last), [loader, first, last])

  const show = useCallback(
    (indexOf: () => number | null, wanted: string, by: ShownBy) => {
      const rowTop = () => {
        const index = indexOf()
        return index === null ? null : (rows.getOffsetForIndex(index, 'start')?.[0] ?? 0)
      }
      if (box.current !== null) bringIntoSight({ box: box.current, rowTop, wanted, by })
    },
    [rows],
  )
  useAnchor(place, citations, loader, show, fromEvidence)
  const { current } = finding
  useEffect(() => {
    if (current !== null) show(() => current.index, '[data-found="current"]', 'search')
  }, [current && `${current.index} ${current.part} ${current.start}`])

  return (
    <div class="timeline">
      <div class="timeline-bar">
        <FindBar loader={loader} loaded={loaded} onFind={setFinding} />
        <button type="button" aria-pressed={toolsFolded} onClick={foldTools}>
          Fold tool output
        </button>
        <JumpBar first={summary.first_step} last={summary.last_step} />
      </div>
      <Progress loader={loader} loaded={loaded} />
      <div
        ref={box}
        class="steps"
        role="feed"
        aria-label="Steps of the trajectory"
        aria-busy={loaded < loader.count}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must reach a box that scrolls
        tabIndex={0}
      >
        <div class="steps-length" style={{ height: `${rows.getTotalSize()}px` }}>
          <div class="steps-shown" style={{ top: `${items[0]?.start ?? 0}px` }}>
            {items.map((item) => {
              const step = loader.at(item.index)
              return (
                <div key={item.key} data-index={item.index} ref={rows.measureElement} class="row">
                  {step === undefined ? (
                    <p class="waiting row-waiting">Loading step {formatCount(item.index + 1)}…</p>
                  ) : (
                    <StepRow
                      step={step}
                      index={item.index}
                      count={loader.count}
                      citations={citations}
                      hits={hitsOf.get(item.index) ?? NO_HITS}
                      current={current?.index === item.index ? current : null}
                      toolsFolded={toolsFolded}
                    />
                  )}
                </div>
              )
            })}
          </div>
        </div>
      </div>
    </div>
  )
}

type Show = (indexOf: () => number | null, wanted: string, by: ShownBy) => void

/** Goes to the step or the citation of the address; without either to the first evidence, if the page opens there. */
function useAnchor(
  { hash, again }: Place,
  citations: readonly CheckedCitation[],
  loader: StepLoader,
  show: Show,
  fromEvidence: boolean,
): void {
  useEffect(() => {
    const named = readAnchor(hash)
    const anchor = named ?? (fromEvidence ? firstEvidence(citations) : null)
    if (anchor === null) return
    const step = 'step' in anchor ? anchor.step : citations[anchor.citation]?.step_id
    if (step === undefined) return
    show(
      () => loader.indexOf(step),
      'step' in anchor ? `#step-${step}` : `[data-citations~="${anchor.citation + 1}"]`,
      named === null ? 'page' : 'link',
    )
  }, [hash, again, loader])
}

function useSteps(summary: TrajectorySummary): { loader: StepLoader; loaded: number } {
  const [, update] = useState(0)
  const loader = useMemo(() => createStepLoader(summary, () => update((turn) => turn + 1)), [summary])
  useEffect(() => () => loader.close(), [loader])
  return { loader, loaded: loader.loaded() }
}

function Progress({ loader, loaded }: { readonly loader: StepLoader; readonly loaded: number }) {
  const trouble = loader.trouble()
  if (trouble !== null)
    return (
      <>
        <Trouble what="some steps" message={trouble} />
        <button type="button" onClick={() => loader.retry()}>
          Try again
        </button>
      </>
    )
  if (loaded === loader.count) return null
  return (
    <p class="aside timeline-progress">
      {formatCount(loaded)} of {formatCount(loader.count)} steps are loaded
    </p>
  )
}

/** A field for the number of a step, which becomes the address. */
function JumpBar({ first, last }: { readonly first: number; readonly last: number }) {
  const field = useRef<HTMLInputElement>(null)
  useShortcuts([{ key: 'g', what: 'go to a step by its number', run: () => field.current?.focus() }])
  return (
    <form
      class="jump"
      onSubmit={(event) => {
        event.preventDefault()
        const step = Number(field.current?.value)
        const { path, query } = readPlace()
        if (Number.isInteger(step)) navigate(hrefOf(path, query, `#step-${step}`))
      }}
    >
      <label htmlFor="jump">Step</label>
      <input id="jump" ref={field} type="number" min={first} max={last} placeholder={`${first}–${last}`} required />
      <button type="submit">Go</button>
    </form>
  )
}

const KEY = 'veridict.tool-output'

/** Tells whether tool output is folded, in all trajectories of the browser. */
function useFoldedTools(): readonly [boolean, () => void] {
  const [folded, setFolded] = useState(() => recall(KEY) === 'folded')
  const change = () => {
    remember(KEY, folded ? 'open' : 'folded')
    setFolded(!folded)
  }
  useShortcuts([{ key: 'o', what: 'fold or unfold all tool output', run: change }])
  return [folded, change]
}
