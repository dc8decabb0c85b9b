import { useState } from 'preact/hooks'
import { ask, useAction, useLoad } from '../api.ts'
import { readRater, rememberRater, tidyRater } from '../review/review-item.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Batch, DispositionRequest, FindingClass, Findings } from '../types.ts'
import { Named } from '../ui/filters.tsx'
import { confirmAct } from '../ui/notice.tsx'
import { GradeLink, LoadView, Trouble } from '../ui/parts.tsx'
import { type Column, countColumn, Table } from '../ui/table.tsx'
import { formatTime, plural, spaced } from '../words.ts'
import { Why } from './results.tsx'

/** The findings of a batch in classes, each with what a person decided about it, and the sign-off of the batch. */
export function FindingsView({ batch }: { readonly batch: Batch }) {
  const path = { id: batch.id }
  const load = useLoad('readFindings', { path })
  const [typed, setTyped] = useState(readRater)
  const by = tidyRater(typed)
  const sign = useAction(
    () => ask('signOffBatch', { path, body: { by } }).then(load.reload),
    'The batch is signed off.',
  )
  return (
    <LoadView load={load} what="the findings">
      {(findings) => (
        <details class="findings">
          <summary>{stateWords(findings)}</summary>
          <div class="filters">
            <Named id="decider" title="Who decides and signs">
              <input
                id="decider"
                value={typed}
                maxLength={100}
                onInput={({ currentTarget: { value } }) => {
                  setTyped(value)
                  rememberRater(tidyRater(value))
                }}
              />
            </Named>
            <button
              type="button"
              disabled={sign.busy || by === '' || findings.open > 0 || !findings.ended}
              onClick={sign.start}
            >
              Sign off
            </button>
            <OpenClasses findings={findings} />
          </div>
          {sign.trouble !== null && <Trouble what="the sign-off" message={sign.trouble} />}
          <Table
            caption="Classes of findings"
            columns={columnsOf((of) => (
              <Decision key={of.digest} of={of} batch={batch.id} by={by} onDone={load.reload} />
            ))}
            items={findings.classes}
            keyOf={({ id }) => id}
            empty="No finding: every trial has a label, and nothing speaks against it."
          />
        </details>
      )}
    </LoadView>
  )
}

/** Counts the open classes, and names the signer. */
function stateWords({ classes, open, signoff }: Findings): string {
  const signed = signoff && `signed off by ${signoff.by}, ${formatTime(signoff.created_at)}`
  return [
    `Findings: ${plural(classes.length, 'class', 'classes')}, ${open} open`,
    signed ? `${signed}${signoff?.outdated ? '; changed since' : ''}` : 'not signed off',
  ].join(' · ')
}

/** Says what stands in the way of the sign-off. */
function OpenClasses({ findings: { classes, open, ended } }: { readonly findings: Findings }) {
  if (!ended) return <span class="objection">The batch has not ended.</span>
  if (open === 0) return null
  const names = classes.flatMap((of) => (of.open ? className(of) : []))
  return (
    <span class="objection">
      Still open: <HostileText text={names.join('; ')} />
    </span>
  )
}

/** Writes the id of a class for people: `failed:refused` → `failed: refused`. */
const className = ({ id }: FindingClass): string => spaced(id.replace(':', ': '))

const columnsOf = (decide: Column<FindingClass>['cell']): readonly Column<FindingClass>[] => [
  { title: 'Class', cell: (of) => <HostileText text={className(of)} /> },
  countColumn('Findings', ({ count }) => count),
  { title: 'First of them', cell: (of) => <FirstTrials of={of} /> },
  { title: 'Decision', cell: decide },
]

const FirstTrials = ({ of: { trials } }: { readonly of: FindingClass }) => (
  <Why
    reasons={trials.map(({ name, grade_id, why }) => (
      <>
        {grade_id === null ? <HostileText text={name} /> : <GradeLink id={grade_id} text={name} />}:{' '}
        <HostileText text={why} />
      </>
    ))}
  />
)

const CHOICES = [
  ['accepted', 'Accept'],
  ['regraded', 'Re-graded'],
  ['dismissed', 'Dismiss'],
] as const satisfies readonly (readonly [DispositionRequest['disposition'], string])[]

interface DecisionProps {
  readonly of: FindingClass
  readonly batch: string
  readonly by: string
  readonly onDone: () => void
}

/** The newest decision about a class, and the buttons of the next one. */
function Decision({ of, batch, by, onDone }: DecisionProps) {
  const { id, digest, disposition: last, open } = of
  const [reason, setReason] = useState('')
  const { busy, trouble, start } = useAction(async (disposition: DispositionRequest['disposition']) => {
    await ask('disposeFindings', { path: { id: batch }, body: { class: id, disposition, reason, by, digest } })
    confirmAct(`${disposition}: ${className(of)}`)
    onDone()
  })
  return (
    <div class="decision">
      {last !== null && (
        <p class={open ? 'objection' : undefined}>
          <HostileText text={`${last.disposition} by ${last.by}${last.reason === '' ? '' : `: ${last.reason}`}`} />
          {open && ' (the findings have changed since)'}
        </p>
      )}
      <input
        aria-label={`Reason for ${className(of)}`}
        placeholder="reason"
        value={reason}
        maxLength={5000}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <span>
        {CHOICES.map(([choice, word]) => (
          <button key={choice} type="button" disabled={busy || by === ''} onClick={() => start(choice)}>
            {word}
          </button>
        ))}
      </span>
      {trouble !== null && <Trouble what="the decision" message={trouble} />}
    </div>
  )
}
