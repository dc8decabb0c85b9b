import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { usePlace } from '../location.ts'
import { HostileCode, HostileText, Segments } from '../text/hostile-text.tsx'
import { visibleText } from '../text/visible-text.ts'
import type { Act, CheckedCitation, Part, Step } from '../types.ts'
import { ActorBadge } from '../ui/parts.tsx'
import { ACT_OUTCOME_WORDS, ACT_ROLE_WORDS, formatCount, holds, plural, spaced } from '../words.ts'
import { chunkText, cutText, HEAD, type Piece, splitAtMarks } from './cut-text.ts'
import type { Hit } from './find-bar.tsx'
import { citationAnchor, citationMarks, isSought, type Mark } from './marks.ts'

interface PartViewProps {
  readonly part: Part
  readonly marks: readonly Mark[]
  /** Whether tool output without a mark is folded. */
  readonly toolsFolded?: boolean
}

/** A part of a step: its actor, its name in the source, and its text, with marks for citations and searched text. */
export function PartView({ part, marks, toolsFolded = false }: PartViewProps) {
  const [whole, setWhole] = useState(false)
  const [folded, setFolded] = useFolding(marks, toolsFolded && part.actor === 'tool_output')
  const { length } = part.text
  const spans = useMemo(() => (whole ? chunkText(part.text) : cutText(length, marks)), [whole, part.text, marks])
  const long = length > HEAD
  return (
    <section class="part" data-actor={part.actor}>
      <header>
        <ActorBadge actor={part.actor} />
        {part.name !== '' && <HostileCode class="aside" text={part.name} />}
        {part.media && <span class="aside">a picture or a sound: nobody can search it</span>}
        {part.act && <ActView act={part.act} />}
        {(long || folded) && <span class="aside">{plural(length, 'character')}</span>}
        <button type="button" class="quiet" aria-expanded={!folded} onClick={() => setFolded(!folded)}>
          {folded ? 'Unfold' : 'Fold'}
        </button>
      </header>
      {!folded && (
        <pre class="hostile hostile-block" dir="ltr">
          {spans.map((span, index) => (
            <span key={span.start} class={whole ? 'chunk' : undefined}>
              {index > 0 && !whole && <Gap chars={span.start - (spans[index - 1]?.end ?? 0)} />}
              <Marked text={part.text} pieces={splitAtMarks(span, marks)} marks={marks} />
            </span>
          ))}
          {(spans.at(-1)?.end ?? 0) < length && <Gap chars={length - (spans.at(-1)?.end ?? 0)} />}
        </pre>
      )}
      {!folded && long && (whole || spans.length > 1 || (spans[0]?.end ?? 0) < length) && (
        <button type="button" class="more" onClick={() => setWhole(!whole)}>
          {whole ? 'Show less' : `Show all ${plural(length, 'character')}`}
        </button>
      )}
    </section>
  )
}

/** Tells whether a part is folded: by its reader, until all are folded or unfolded. The aim of a link or a search is never folded. */
function useFolding(marks: readonly Mark[], byDefault: boolean): readonly [boolean, (folded: boolean) => void] {
  const [own, setOwn] = useState<boolean | null>(null)
  const { hash, again } = usePlace()
  const sought = isSought(marks, hash)
  useEffect(() => setOwn(null), [byDefault])
  useEffect(() => {
    if (sought) setOwn(null)
  }, [sought, hash, again])
  return [own ?? (byDefault && marks.length === 0), setOwn]
}

const Gap = ({ chars }: { readonly chars: number }) => (
  <span class="gap">… {plural(chars, 'character')} not shown …</span>
)

interface MarkedProps {
  readonly text: string
  readonly pieces: readonly Piece[]
  readonly marks: readonly Mark[]
}

const Marked = ({ text, pieces, marks }: MarkedProps) => (
  <>
    {pieces.map((piece) => {
      const content = <Segments segments={visibleText(text, piece.start, piece.end)} />
      const over = piece.over.flatMap((number) => marks[number] ?? [])
      return over.length === 0 ? content : <MarkedPiece key={piece.start} piece={piece} over={over} content={content} />
    })}
  </>
)

interface MarkedPieceProps {
  readonly piece: Piece
  readonly over: readonly Mark[]
  readonly content: JSX.Element
}

/** A marked piece of text, with a chip where a citation begins. `<mark>` tells screen readers of the colour. */
function MarkedPiece({ piece, over, content }: MarkedPieceProps) {
  const citations = over.flatMap((mark) => (mark.kind === 'citation' ? [mark] : []))
  const hit = over.find((mark) => mark.kind === 'found')
  const good = citations.some(({ citation }) => holds(citation.status))
  return (
    <>
      {citations
        .filter((mark) => mark.start === piece.start)
        .map(({ number, citation }) => (
          <a
            key={number}
            id={citationAnchor(number)}
            class="chip"
            data-citations={number + 1}
            data-holds={holds(citation.status)}
            href={`#claim-${number + 1}`}
            data-native
          >
            {number + 1} {citation.supports} {spaced(citation.status)}
          </a>
        ))}
      <mark
        data-citations={citations.map(({ number }) => number + 1).join(' ') || undefined}
        data-holds={citations.length === 0 ? undefined : good}
        data-found={hit?.kind === 'found' ? (hit.current ? 'current' : 'other') : undefined}
      >
        {content}
      </mark>
    </>
  )
}

/** The role of an argument of a tool call, and the outcome of the call by its record: few of them can prove an act. */
function ActView({ act }: { readonly act: Act }) {
  const { role, outcome, target } = act
  return (
    <>
      <span class="act">{ACT_ROLE_WORDS[role]}</span>
      {target !== null && <HostileCode class="act-target" text={target} />}
      <span class="act" data-outcome={outcome}>
        {ACT_OUTCOME_WORDS[outcome]}
      </span>
    </>
  )
}

interface StepRowProps {
  readonly step: Step
  readonly index: number
  readonly count: number
  readonly citations: readonly CheckedCitation[]
  /** The places of the searched text in this step. */
  readonly hits: readonly Hit[]
  readonly current: Hit | null
  readonly toolsFolded: boolean
}

/** A step with all its parts. */
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
