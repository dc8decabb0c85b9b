import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { usePlace } from '../location.ts'
import { HostileText, Segments } from '../text/hostile-text.tsx'
import { visibleText } from '../text/visible-text.ts'
import type { Act, Part } from '../types.ts'
import { ActorBadge } from '../ui/parts.tsx'
import { ACT_OUTCOME_WORDS, ACT_ROLE_WORDS, holds, plural } from '../words.ts'
import { chunkText, cutText, HEAD, type Piece, splitAtMarks } from './cut-text.ts'
import { citationAnchor, isSought, type Mark } from './marks.ts'

export interface PartViewProps {
  readonly part: Part
  readonly marks: readonly Mark[]
  /** Tool output is folded unless something in it is marked. */
  readonly toolsFolded?: boolean
}

/** What one actor wrote: who, where in the source, and the text, with citations and what was searched for marked in it. */
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
        {part.name !== '' && (
          <code class="aside">
            <HostileText text={part.name} />
          </code>
        )}
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

/** What its reader did to this part, until all are folded or unfolded; what a link or a search leads to is never hidden. */
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

/** The chip of a citation stands where it begins; `<mark>` says to screen readers what the colour says. */
function MarkedPiece({ piece, over, content }: MarkedPieceProps) {
  const citations = over.flatMap((mark) => (mark.kind === 'citation' ? [mark] : []))
  const found = over.find((mark) => mark.kind === 'found')
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
            {number + 1} {citation.supports} {citation.status.replaceAll('_', ' ')}
          </a>
        ))}
      <mark
        data-citations={citations.map(({ number }) => number + 1).join(' ') || undefined}
        data-holds={citations.length === 0 ? undefined : good}
        data-found={found?.kind === 'found' ? (found.current ? 'current' : 'other') : undefined}
      >
        {content}
      </mark>
    </>
  )
}

/** What this argument of a tool call is, and what the record says became of the call: only some of it can prove an act. */
export function ActView({ act }: { readonly act: Act }) {
  const { role, outcome, target } = act
  return (
    <>
      <span class="act">{ACT_ROLE_WORDS[role]}</span>
      {target !== null && (
        <code class="act-target">
          <HostileText text={target} />
        </code>
      )}
      <span class="act" data-outcome={outcome}>
        {ACT_OUTCOME_WORDS[outcome]}
      </span>
    </>
  )
}
