import { useMemo } from 'preact/hooks'
import { HostileText } from '../text/hostile-text.tsx'
import type { CheckedCitation, Step } from '../types.ts'
import { formatCount } from '../words.ts'
import type { Hit } from './find-bar.tsx'
import { citationMarks, type Mark } from './marks.ts'
import { PartView } from './part-view.tsx'

export interface StepRowProps {
  readonly step: Step
  readonly index: number
  readonly count: number
  readonly citations: readonly CheckedCitation[]
  /** What was searched for, in this step. */
  readonly hits: readonly Hit[]
  readonly current: Hit | null
  readonly toolsFolded: boolean
}

/** One step with all its parts. */
export function StepRow(props: StepRowProps) {
  const { step, index, count, citations, hits, current, toolsFolded } = props
  const marks = useMemo(
    () =>
      step.parts.map((part, number) => [...citationMarks(step, part, citations), ...foundMarks(hits, number, current)]),
    [step, citations, hits, current],
  )
  return (
    <article
      class="step"
      id={`step-${step.id}`}
      aria-labelledby={`step-title-${step.id}`}
      aria-posinset={index + 1}
      aria-setsize={count}
      tabIndex={-1}
    >
      <header>
        <h3 id={`step-title-${step.id}`}>
          <a href={`#step-${step.id}`}>Step {step.id}</a>
        </h3>
        {step.name !== null && (
          <span class="aside">
            <HostileText text={step.name} />
          </span>
        )}
        {step.copied && <span class="aside">repeated from an earlier segment</span>}
        <span class="aside place">
          {formatCount(index + 1)} of {formatCount(count)}
        </span>
      </header>
      {step.parts.length === 0 && <p class="empty">This step has no text.</p>}
      {step.parts.map((part, number) => (
        <PartView key={number} part={part} marks={marks[number] ?? []} toolsFolded={toolsFolded} />
      ))}
    </article>
  )
}

const foundMarks = (hits: readonly Hit[], part: number, current: Hit | null): Mark[] =>
  hits.flatMap((hit) =>
    hit.part === part ? [{ kind: 'found' as const, start: hit.start, end: hit.end, current: hit === current }] : [],
  )
