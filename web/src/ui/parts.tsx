import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import type { ApiError, Load } from '../api.ts'
import { setQuery } from '../location.ts'
import { lookOf, Rubrics } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Actor, CitationStatus, Grade, GradeStatus, Label } from '../types.ts'
import { ENDS, formatCount, holds, plural, spaced } from '../words.ts'

/** A dash, or the reason, in place of a missing value. */
export const None = ({ children = '–' }: { readonly children?: ComponentChildren }) => (
  <span class="none">{children}</span>
)

/** A name by a stranger, or a dash. */
export const NameOrNone = ({ name }: { readonly name: string | null | undefined }) =>
  name ? <HostileText text={name} /> : <None />

/** Names and values. A value of null or false leaves its name out. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [ComponentChildren, ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(([name, value], index) =>
      value === null || value === false || value === undefined ? null : (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
)

interface SectionProps {
  /** The id of the heading. */
  readonly id: string
  readonly title: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}

/** A section of a page under its heading. */
export const Section = ({ id, title, children, ...more }: SectionProps) => (
  <section class={more.class} aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)

/** The reason for an empty list, and the arguments of `veridict` that fill the list. */
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

/** The first command of a reader: the folder stands for any pile of trajectories with their ground truths. */
export const FIRST_COMMAND = 'batch examples'

interface NothingProps {
  readonly filtered: boolean
  /** Shown under filters. */
  readonly fits: string
  /** Shown without filters. */
  readonly yet: string
}

/** The reason for an empty list with filters: no entry fits, or no command has run yet. */
export const Nothing = ({ filtered, fits, yet }: NothingProps) =>
  filtered ? <Empty>{fits}</Empty> : <Empty command={FIRST_COMMAND}>{yet}</Empty>

interface LoadProps<T> {
  readonly load: Load<T>
  readonly what: string
  /** The list to go on from a missing thing. */
  readonly list?: { readonly href: string; readonly name: string }
  readonly children: (value: T) => ComponentChildren
}

/** The loaded value, a refusal, or the words of waiting. */
export function LoadView<T>({ load, what, list, children }: LoadProps<T>) {
  const choice = load.state === 'failed' && choiceIn(load.error)
  if (choice) return <Choose choice={choice} why="A report, or a comparison, is of one." />
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

/** Makes a sentence of a message of the service, which begins small. */
export const messageSentence = (message: string): string =>
  sentence(`${message.charAt(0).toUpperCase()}${message.slice(1)}`)

/** Ends a message with a full stop. */
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

/** A refusal; messages of the service begin small. */
export const Trouble = ({ what, message }: { readonly what: string; readonly message: string }) => (
  <p class="trouble" role="alert">
    <strong>Cannot show {what}.</strong> <HostileText text={messageSentence(message)} />
  </p>
)

export const hrefOfGrade = (id: string): string => `/audit/grades/${encodeURIComponent(id)}`

/** A link to a grade, under a name by a stranger. */
export const GradeLink = ({ id, text }: { readonly id: string; readonly text: string }) => (
  <a href={hrefOfGrade(id)}>
    <HostileText text={text} />
  </a>
)

/** A link to a step of the timeline; nothing without a step. */
export const StepLink = ({ step }: { readonly step: number | null }) =>
  step === null ? null : (
    <>
      {' '}
      <a href={`#step-${step}`}>Step {step}</a>
    </>
  )

/** Notes and warnings, a paragraph each. */
export const Notes = ({ notes }: { readonly notes: readonly string[] }) => (
  <>
    {notes.map((note) => (
      <p key={note} class="aside">
        <HostileText text={note} />
      </p>
    ))}
  </>
)

interface LabelProps {
  readonly label: Label
  /** The rubric of the label, by name or id; null: labels of several rubrics stand together. */
  readonly rubric: string | null
  /** Labels of grades beyond those of the rubric. */
  readonly given?: readonly string[]
}

/** A label with its colour: the word says everything, the colour repeats it. */
export function LabelBadge({ label, rubric, given }: LabelProps) {
  const look = lookOf(useContext(Rubrics), label, rubric, given)
  return (
    <span class="badge" data-label={label} data-colour={look?.colour ?? 'none'} data-pattern={look?.pattern.name}>
      {spaced(label)}
    </span>
  )
}

export const StatusBadge = ({ status }: { readonly status: GradeStatus | 'cancelled' }) => (
  <span class="badge" data-status={status}>
    {status}
  </span>
)

interface OutcomeProps {
  readonly grade: Pick<Grade, 'status' | 'label' | 'claimed_label'>
  readonly rubric: string
}

/** The label of a grade, or its status with the label that was claimed in vain. */
export const Outcome = ({ grade: { status, label, claimed_label }, rubric }: OutcomeProps) =>
  label !== null ? (
    <LabelBadge label={label} rubric={rubric} />
  ) : (
    <>
      <StatusBadge status={status} />
      {claimed_label !== null && <span class="aside"> claimed {spaced(claimed_label)}</span>}
    </>
  )

interface CountsProps {
  readonly labels: Readonly<Record<string, number | undefined>>
  /** Counts by end; grades with a label are counted by their labels. */
  readonly ends: Readonly<Partial<Record<(typeof ENDS)[number], number>>>
  /** The rubric of the labels; null: several rubrics stand together. */
  readonly rubric: string | null
  readonly children?: ComponentChildren
}

/** Counts of outcomes, without zeros. */
export const OutcomeCounts = ({ labels, ends, rubric, children }: CountsProps) => (
  <p class="counts" role="status">
    {children}
    {Object.entries(labels).map(([label, count = 0]) => (
      <Count key={label} badge={<LabelBadge label={label} rubric={rubric} />} count={count} />
    ))}
    {ENDS.map(
      (end) => end !== 'graded' && <Count key={end} badge={<StatusBadge status={end} />} count={ends[end] ?? 0} />,
    )}
  </p>
)

const Count = ({ badge, count }: { readonly badge: ComponentChildren; readonly count: number }) =>
  count === 0 ? null : (
    <span>
      {badge} {formatCount(count)}
    </span>
  )

export const ActorBadge = ({ actor }: { readonly actor: Actor }) => (
  <span class="actor" data-actor={actor}>
    {spaced(actor)}
  </span>
)

export const CitationBadge = ({ status }: { readonly status: CitationStatus }) => (
  <span class="badge" data-holds={holds(status)}>
    {holds(status) ? '✓' : '✗'} {spaced(status)}
  </span>
)

/** Names of which a page needs one, so that it does not mix several judges or rubrics. */
export interface Choice {
  /** The name of the choice, also in the query. */
  readonly name: 'judge' | 'rubric'
  readonly options: readonly { readonly value: string; readonly grades?: number }[]
}

/** Finds the choice that a refusal asks for: `/querystring/judge is needed, one of: a, b`. */
function choiceIn({ places }: ApiError): Choice | null {
  for (const { path, message } of places) {
    const names = /(?:one of:|ask by) (.+?)(?:, which|$)/.exec(message)?.[1]
    const name = path.split('/').at(-1)
    if (names !== undefined && (name === 'judge' || name === 'rubric'))
      return { name, options: names.split(', ').map((value) => ({ value })) }
  }
  return null
}

/** The buttons of a choice. */
export const Choose = ({ choice, why }: { readonly choice: Choice; readonly why: string }) => (
  <Section id="choose-title" class="choose" title={`Choose a ${choice.name}`}>
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
  </Section>
)
