import type { JSX } from 'preact'
import { withQuery } from '../api.ts'
import type { FoundTrial } from '../api-types.ts'
import { trialName } from '../grades/trial-name.ts'
import { HostileText, Segments } from '../text/hostile-text.tsx'
import { visibleText } from '../text/visible-text.ts'
import { ActorBadge } from '../ui/badges.tsx'
import { formatTime } from '../words.ts'

type Hit = FoundTrial['hits'][number]
type Named = FoundTrial['grades'][number]

/** A trial that holds the text, and where: each place leads into its timeline. */
export function FoundTrialView({ trial, text }: { readonly trial: FoundTrial; readonly text: string }): JSX.Element {
  const { grades, hits, more_hits } = trial
  const [newest] = grades
  const steps = Map.groupBy(hits, ({ step_id }) => step_id)
  return (
    <li class="found-trial">
      <h2>
        <HostileText text={titleOf(trial)} />
      </h2>
      <ol>
        {[...steps].map(([step, places]) => (
          <li key={step}>
            {newest === undefined ? (
              `Step ${step}`
            ) : (
              <a href={`${hrefOf(newest.id, text)}#step-${step}`}>Step {step}</a>
            )}
            {places.map((hit) => (
              <Excerpt key={`${hit.path} ${hit.start}`} hit={hit} />
            ))}
            {places.some(({ more_in_step }) => more_in_step) && (
              <p class="aside">Further places of this step hold the text.</p>
            )}
          </li>
        ))}
      </ol>
      {more_hits && <p class="aside">More of its steps hold the text.</p>}
      {newest === undefined ? (
        <p class="aside">This run is stored, but was never graded: there is no page to open it in.</p>
      ) : (
        <GradeLinks grades={grades} text={text} />
      )}
    </li>
  )
}

/** By the newest grade that names a task, or else by the newest: what different grades say is not mixed. */
function titleOf({ grades, trajectory, agent }: FoundTrial): string {
  const named: Partial<Named> = grades.find(({ task }) => task) ?? grades[0] ?? {}
  const names = [named.task, trialName(named, trajectory), named.agent ?? agent.name, named.model ?? agent.model]
  return names.flatMap((name) => name || []).join(' · ')
}

/** Each judge once; where it graded the run more often, its grades by their time. */
const GradeLinks = ({ grades, text }: { readonly grades: readonly Named[]; readonly text: string }) => (
  <p class="aside">
    Newest grades:{' '}
    {[...Map.groupBy(grades, ({ judge }) => judge)].map(([judge, own], index) => (
      <span key={judge}>
        {index > 0 && '; '}
        {own.length > 1 && (
          <>
            <HostileText text={judge} />{' '}
          </>
        )}
        {own.map(({ id, created_at }, at) => (
          <span key={id}>
            {at > 0 && ', '}
            <a href={hrefOf(id, text)}>{own.length > 1 ? formatTime(created_at) : <HostileText text={judge} />}</a>
          </span>
        ))}
      </span>
    ))}
  </p>
)

const hrefOf = (id: string, find: string): string => withQuery(`/audit/grades/${encodeURIComponent(id)}`, { find })

function Excerpt({ hit }: { readonly hit: Hit }): JSX.Element {
  const { actor, excerpt, excerpt_start, start, end, text_length } = hit
  const [from, to] = [start - excerpt_start, end - excerpt_start]
  return (
    <>
      {' '}
      <ActorBadge actor={actor} />
      <p class="hostile excerpt" dir="ltr">
        {excerpt_start > 0 && '… '}
        <Segments segments={visibleText(excerpt, 0, from)} />
        <mark data-found="other">
          <Segments segments={visibleText(excerpt, from, to)} />
        </mark>
        <Segments segments={visibleText(excerpt, to)} />
        {excerpt_start + excerpt.length < text_length && ' …'}
      </p>
    </>
  )
}
