import type { JSX } from 'preact'
import { withQuery } from '../api.ts'
import type { FoundTrial } from '../api-types.ts'
import { HostileText, Segments } from '../text/hostile-text.tsx'
import { visibleText } from '../text/visible-text.ts'
import { ActorBadge } from '../ui/badges.tsx'

type Hit = FoundTrial['hits'][number]

/** A trial that holds the text, and where: each place leads into its timeline. */
export function FoundTrialView({ trial, text }: { readonly trial: FoundTrial; readonly text: string }): JSX.Element {
  const { grades, hits, more_hits, trajectory } = trial
  const [newest] = grades
  const name = newest?.task ?? `Run ${trajectory.slice(7, 15)}`
  return (
    <li class="found-trial">
      <h2>
        <HostileText text={newest?.agent ? `${name} · ${newest.agent}` : name} />
      </h2>
      <ol>
        {hits.map((hit) => (
          <li key={hit.step_id}>
            {newest === undefined ? (
              `Step ${hit.step_id}`
            ) : (
              <a href={`${hrefOf(newest.id, text)}#step-${hit.step_id}`}>Step {hit.step_id}</a>
            )}{' '}
            <ActorBadge actor={hit.actor} />
            <Excerpt hit={hit} />
          </li>
        ))}
      </ol>
      {more_hits && <p class="aside">More of its steps hold the text.</p>}
      {newest === undefined ? (
        <p class="aside">This run is stored, but was never graded: there is no page to open it in.</p>
      ) : (
        <p class="aside">
          Graded by{' '}
          {grades.map(({ id, judge }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <a href={hrefOf(id, text)}>
                <HostileText text={judge} />
              </a>
            </span>
          ))}
        </p>
      )}
    </li>
  )
}

const hrefOf = (id: string, find: string): string => withQuery(`/audit/grades/${encodeURIComponent(id)}`, { find })

function Excerpt({ hit: { excerpt, excerpt_start, start, end } }: { readonly hit: Hit }): JSX.Element {
  const [from, to] = [start - excerpt_start, end - excerpt_start]
  return (
    <p class="hostile excerpt" dir="ltr">
      <Segments segments={visibleText(excerpt, 0, from)} />
      <mark data-found="other">
        <Segments segments={visibleText(excerpt, from, to)} />
      </mark>
      <Segments segments={visibleText(excerpt, to)} />
    </p>
  )
}
