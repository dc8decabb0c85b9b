import type { JSX } from 'preact'
import type { RubricView } from '../api-types.ts'
import { claimWords } from '../words.ts'
import { type ClaimAnswer, type Draft, decidedBy } from './drafts.ts'

interface Props {
  readonly rubric: RubricView
  readonly draft: Draft
  readonly onChange: (claims: Draft['claims']) => void
}

type Claim = RubricView['claims'][number]

const UNSAID = ''
const UNCLEAR = 'unclear'

/** The claims that the label leaves open, each by its type; what is not said is left out of the review. */
export function ClaimFields({ rubric, draft, onChange }: Props): JSX.Element | null {
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

function Field({ claim, value, onChange }: FieldProps): JSX.Element {
  const { type, values } = claim
  if (type === 'boolean') return <Choice {...{ claim, value, onChange }} options={['yes', 'no']} />
  if (type === 'enum') return <Choice {...{ claim, value, onChange }} options={values} />
  const isNumber = type === 'integer' || type === 'step'
  const shown = value === null || value === undefined ? '' : String(value)
  if (isNumber)
    return (
      <input
        id={fieldId(claim)}
        type="number"
        {...(claim.minimum !== undefined && { min: claim.minimum })}
        {...(claim.maximum !== undefined && { max: claim.maximum })}
        value={shown}
        onInput={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : Number(currentTarget.value))}
      />
    )
  return (
    <input
      id={fieldId(claim)}
      maxLength={300}
      value={shown}
      onInput={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
    />
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
  return (
    <select id={fieldId(claim)} value={shown} onChange={(event) => onChange(read(event.currentTarget.value))}>
      <option value={UNSAID}>not said</option>
      {[...options, UNCLEAR].map((option) => (
        <option key={option} value={option}>
          {option.replaceAll('_', ' ')}
        </option>
      ))}
    </select>
  )
}
