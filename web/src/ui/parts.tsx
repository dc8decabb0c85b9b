import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import type { Load } from '../api.ts'
import { setQuery } from '../location.ts'
import { lookOf, Rubrics } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Actor, CitationStatus, Grade, GradeStatus, Label } from '../types.ts'
import { ACTOR_WORDS, holds, labelWords, plural, STATUS_WORDS } from '../words.ts'

/** What stands where there is nothing: a dash, or why. */
export const None = ({ children = '–' }: { readonly children?: ComponentChildren }) => (
  <span class="none">{children}</span>
)

/** A name that somebody else wrote, or that there is none. */
export const NameOrNone = ({ name }: { readonly name: string | null | undefined }) =>
  name ? <HostileText text={name} /> : <None />

/** Names and values. A value that is null or false is left out. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) =>
      value === null || value === false || value === undefined ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
)

/** Why there is nothing, and the command that makes something. `command` is what stands behind `veridict`. */
export const Empty = (props: { readonly children: ComponentChildren; readonly command?: string }) => (
  <div class="empty">
    <p>{props.children}</p>
    {props.command !== undefined && (
      <>
        <pre class="command">
          veridict {props.command} --server {location.origin}
        </pre>
        <p class="aside">
          In a checkout, <code>veridict</code> is <code>npm run --silent veridict --</code>.
        </p>
      </>
    )}
  </div>
)

/** What begins everything: the folder stands for any pile of trajectories with their ground truths. */
export const FIRST_COMMAND = 'batch examples'

/** Waiting, refused, or what was loaded. */
export function LoadView<T>(props: {
  readonly load: Load<T>
  readonly what: string
  /** Where to go on from something that is not there. */
  readonly list?: { readonly href: string; readonly name: string }
  readonly children: (value: T) => ComponentChildren
}) {
  const { load, what, list, children } = props
  if (load.state === 'failed')
    return (
      <>
        <Trouble what={what} message={load.error.message} />
        {list !== undefined && (
          <p>
            <a href={list.href}>{list.name}</a>
          </p>
        )}
      </>
    )
  if (load.value === null) return <p class="waiting">Loading {what}…</p>
  return <>{children(load.value)}</>
}

/** What the service says of a fault begins small and has no full stop. */
const asSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`

export const Trouble = ({ what, message }: { readonly what: string; readonly message: string }) => (
  <p class="trouble" role="alert">
    <strong>Cannot show {what}.</strong> <HostileText text={asSentence(message)} />
  </p>
)

/** Words with a colour beside them: the word says everything, the colour repeats it. */
export function LabelBadge({ label, rubric, given }: LabelProps) {
  const look = lookOf(useContext(Rubrics), label, rubric, given)
  return (
    <span class="badge" data-label={label} data-colour={look?.colour ?? 'none'} data-pattern={look?.pattern.name}>
      {labelWords(label)}
    </span>
  )
}

interface LabelProps {
  readonly label: Label
  /** Whose label it is: its name or id; null: of several that stand together. */
  readonly rubric: string | null
  /** Labels beyond those of the rubric, where it is drawn with them, too. */
  readonly given?: readonly string[]
}

export const StatusBadge = ({ status }: { readonly status: GradeStatus | 'cancelled' }) => (
  <span class="badge" data-status={status}>
    {status === 'cancelled' ? 'cancelled' : STATUS_WORDS[status]}
  </span>
)

/** The label of a graded one; of others what they are, with the label that was claimed in vain. */
export function Outcome({ grade, rubric }: OutcomeProps) {
  if (grade.label !== null) return <LabelBadge label={grade.label} rubric={rubric} />
  return (
    <>
      <StatusBadge status={grade.status} />
      {grade.claimed_label !== null && <span class="aside"> claimed {labelWords(grade.claimed_label)}</span>}
    </>
  )
}

interface OutcomeProps {
  readonly grade: Pick<Grade, 'status' | 'label' | 'claimed_label'>
  readonly rubric: string
}

export const ActorBadge = ({ actor }: { readonly actor: Actor }) => (
  <span class="actor" data-actor={actor}>
    {ACTOR_WORDS[actor]}
  </span>
)

export const CitationBadge = ({ status }: { readonly status: CitationStatus }) => (
  <span class="badge" data-holds={holds(status)}>
    {holds(status) ? '✓' : '✗'} {status.replaceAll('_', ' ')}
  </span>
)

/** One name of several, without which a page would have to mix what does not belong together. */
export interface Choice {
  /** Its name in the query, and its word. */
  readonly name: 'judge' | 'rubric'
  readonly options: readonly { readonly value: string; readonly grades?: number }[]
}

export const Choose = ({ choice, why }: { readonly choice: Choice; readonly why: string }) => (
  <section class="choose" aria-labelledby="choose-title">
    <h2 id="choose-title">Choose a {choice.name}</h2>
    <p>
      {choice.options.length} {choice.name}s graded what is selected. {why}
    </p>
    <ul class="plain">
      {choice.options.map(({ value, grades }) => (
        <li key={value}>
          <button type="button" onClick={() => setQuery({ [choice.name]: value, page: null })}>
            <HostileText text={value} />
          </button>{' '}
          {grades !== undefined && <span class="aside">{plural(grades, 'grade')}</span>}
        </li>
      ))}
    </ul>
  </section>
)
