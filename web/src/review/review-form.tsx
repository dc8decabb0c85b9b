import { useLayoutEffect } from 'preact/hooks'
import { HostileText } from '../text/hostile-text.tsx'
import type { Behaviour, Label, RubricView } from '../types.ts'
import { Select } from '../ui/filters.tsx'
import { LabelBadge } from '../ui/parts.tsx'
import { claimWords, LABEL_MEANINGS, spaced } from '../words.ts'
import { type ClaimAnswer, type Draft, decidedBy, type Reviewing } from './use-reviewing.ts'

export const COMMENT_ID = 'review-comment'
const RATER_ID = 'review-rater'
const FIELD_IDS = { rater: RATER_ID, comment: COMMENT_ID, label: 'review-label-1' } as const

/** The form of a review: label, claims, comment, rater. The typed text stays until the service has stored the review. */
export function ReviewForm({ reviewing, rubric }: { readonly reviewing: Reviewing; readonly rubric: RubricView }) {
  const { draft, complaint, refused, revealed, sending } = reviewing
  // The field of the complaint takes the next key.
  useLayoutEffect(() => {
    if (complaint !== null) document.getElementById(FIELD_IDS[complaint.field])?.focus()
  }, [complaint])
  return (
    <form
      class="review-form"
      aria-label="Your review"
      onSubmit={(event) => {
        event.preventDefault()
        void reviewing.submit()
      }}
    >
      <h3>Your review</h3>
      <OutcomeChoice rubric={rubric} chosen={draft.label} onChoose={(label) => reviewing.change({ label })} />
      <ClaimFields rubric={rubric} draft={draft} onChange={(claims) => reviewing.change({ claims })} />
      <label htmlFor={COMMENT_ID}>
        Comment <kbd>c</kbd>
      </label>
      <Comment reviewing={reviewing} />
      <label htmlFor={RATER_ID}>Who reviews</label>
      <input
        id={RATER_ID}
        value={reviewing.rater}
        maxLength={100}
        autocomplete="nickname"
        placeholder="a name that stays the same"
        onInput={(event) => reviewing.nameRater(event.currentTarget.value)}
      />
      {complaint !== null && (
        <p class="trouble" role="alert">
          {complaint.message}
        </p>
      )}
      {refused !== null && (
        <p class="trouble" role="alert">
          <strong>It was not taken.</strong> <HostileText text={refused} /> What you wrote is still here.
        </p>
      )}
      <div class="review-buttons">
        <button type="submit" class="primary" disabled={sending}>
          {sending ? 'Sending…' : 'Submit'} <kbd>s</kbd>
        </button>
        {!revealed && (
          <button type="button" onClick={() => reviewing.unblind()}>
            Unblind <kbd>u</kbd>
          </button>
        )}
      </div>
      <p class="aside" role="status">
        <Standing reviewing={reviewing} />
      </p>
    </form>
  )
}

function Standing({ reviewing }: { readonly reviewing: Reviewing }) {
  if (reviewing.revealed)
    return <>The labels of this question were shown here: a review given now is stored as not blind.</>
  return <>Blind. If you know a judge’s label from elsewhere, unblind first.</>
}

function Comment({ reviewing }: { readonly reviewing: Reviewing }) {
  return (
    <textarea
      id={COMMENT_ID}
      rows={3}
      maxLength={5000}
      value={reviewing.draft.comment}
      onInput={(event) => reviewing.change({ comment: event.currentTarget.value })}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur()
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void reviewing.submit()
      }}
    />
  )
}

/** Passes the keys of a radio on to the page: nobody types into a radio. */
function passOn(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey } = event
  if (key.length !== 1 || key === ' ' || ctrlKey || metaKey || altKey) return
  event.preventDefault()
  event.stopPropagation()
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
}

interface ChoiceProps {
  readonly rubric: RubricView
  readonly chosen: Label | null | undefined
  readonly onChoose: (label: Label | null) => void
}

/** The labels of the rubric, with keys that work everywhere on the page. The reader types a sum. */
function OutcomeChoice({ rubric, chosen, onChoose }: ChoiceProps) {
  return (
    <fieldset class="label-choice" onKeyDown={passOn}>
      <legend>{rubric.id === 'tab-behavior' ? 'What did the agent do?' : rubric.title}</legend>
      {rubric.labels.map(({ label, claims }, index) => (
        <label key={label} data-chosen={chosen === label}>
          <input
            id={`review-label-${index + 1}`}
            type="radio"
            name="review-label"
            checked={chosen === label}
            onChange={() => onChoose(label)}
          />
          {index < 9 && <kbd>{index + 1}</kbd>}
          <span>
            <LabelBadge label={label} rubric={rubric.id} /> <span class="aside">{meaningOf(label, claims)}</span>
          </span>
        </label>
      ))}
      {rubric.labels.length === 0 && (
        <label>
          Sum{' '}
          <input
            id="review-label-1"
            type="number"
            value={chosen ?? ''}
            onInput={({ currentTarget: { value } }) => value !== '' && onChoose(value)}
          />
        </label>
      )}
      <label data-chosen={chosen === null}>
        <input type="radio" name="review-label" checked={chosen === null} onChange={() => onChoose(null)} />
        <kbd>0</kbd>
        <span>
          <strong>cannot be told</strong> <span class="aside">the comment says why</span>
        </span>
      </label>
    </fieldset>
  )
}

/** Explains a label of `tab-behavior` in words, any other label by its decided claims. */
function meaningOf(label: Label, claims: RubricView['labels'][number]['claims']): string {
  if (Object.hasOwn(LABEL_MEANINGS, label) && 'surface.observed' in claims) return LABEL_MEANINGS[label as Behaviour]
  const decided = Object.entries(claims).filter(([, value]) => typeof value === 'boolean')
  return decided.map(([id, value]) => `${id.slice(id.indexOf('.') + 1)}: ${value === true ? 'yes' : 'no'}`).join(', ')
}

interface ClaimFieldsProps {
  readonly rubric: RubricView
  readonly draft: Draft
  readonly onChange: (claims: Draft['claims']) => void
}

type Claim = RubricView['claims'][number]

const UNSAID = ''
const UNCLEAR = 'unclear'

/** The claims that the label leaves open, each by its type; the review has the answered claims alone. */
function ClaimFields({ rubric, draft, onChange }: ClaimFieldsProps) {
  const decided = decidedBy(draft.label, rubric)
  const open = rubric.claims.filter(({ id, type }) => type !== 'list' && !Object.hasOwn(decided, id))
  if (open.length === 0 || draft.label === null || draft.label === undefined) return null
  const change = (id: string, value: ClaimAnswer | undefined) => {
    const { [id]: _, ...others } = draft.claims
    onChange(value === undefined ? others : { ...others, [id]: value })
  }
  return (
    <details open={rubric.id !== 'tab-behavior'} class="claim-fields">
      <summary>What you found, claim by claim</summary>
      {open.map((claim) => (
        <p key={claim.id}>
          <label htmlFor={fieldId(claim)}>{claimWords(claim.id)}</label>
          <Field claim={claim} value={draft.claims[claim.id]} onChange={(value) => change(claim.id, value)} />
        </p>
      ))}
    </details>
  )
}

const fieldId = ({ id }: Claim): string => `review-claim-${id}`

interface FieldProps {
  readonly claim: Claim
  readonly value: ClaimAnswer | undefined
  readonly onChange: (value: ClaimAnswer | undefined) => void
}

function Field({ claim, value, onChange }: FieldProps) {
  const { type, values } = claim
  if (type === 'boolean') return <Choice {...{ claim, value, onChange }} options={['yes', 'no']} />
  if (type === 'enum') return <Choice {...{ claim, value, onChange }} options={values} />
  const isNumber = type === 'integer' || type === 'step'
  const read = (typed: string) => (typed === '' ? undefined : isNumber ? Number(typed) : typed)
  const field = {
    id: fieldId(claim),
    value: value === null || value === undefined ? '' : String(value),
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => onChange(read(event.currentTarget.value)),
  }
  const { minimum, maximum } = claim
  return isNumber ? (
    <input
      {...field}
      type="number"
      {...(minimum !== undefined && { min: minimum })}
      {...(maximum !== undefined && { max: maximum })}
    />
  ) : (
    <input {...field} maxLength={300} />
  )
}

function Choice({ claim, value, onChange, options }: FieldProps & { readonly options: readonly string[] }) {
  const isBoolean = claim.type === 'boolean'
  const shown =
    value === undefined ? UNSAID : value === null ? UNCLEAR : isBoolean ? (value ? 'yes' : 'no') : String(value)
  const read = (chosen: string): ClaimAnswer | undefined => {
    if (chosen === UNSAID) return undefined
    if (chosen === UNCLEAR) return null
    return isBoolean ? chosen === 'yes' : chosen
  }
  const words = [...options, UNCLEAR].map((option) => [option, spaced(option)] as const)
  return (
    <Select
      id={fieldId(claim)}
      value={shown}
      options={[[UNSAID, 'not said'], ...words]}
      onChoose={(chosen) => onChange(read(chosen))}
    />
  )
}
