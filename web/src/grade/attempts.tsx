import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { LedgerEntry } from '../api-types.ts'
import { HostileBlock } from '../text/hostile-text.tsx'
import { LoadView } from '../ui/load-view.tsx'
import { NameOrNone, None } from '../ui/none.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { useLoad } from '../use-load.ts'
import { formatCount, formatTime, formatUsd } from '../words.ts'

const COLUMNS: readonly Column<LedgerEntry>[] = [
  { title: 'Started', cell: ({ started_at }) => formatTime(started_at) },
  { title: 'Sample', number: true, cell: ({ sample }) => sample + 1 },
  { title: 'Round', number: true, cell: ({ round }) => round },
  { title: 'Purpose', cell: ({ purpose }) => purpose },
  { title: 'Outcome', cell: ({ outcome }) => outcome.replaceAll('_', ' ') },
  { title: 'Message', cell: ({ message }) => <NameOrNone name={message} /> },
  { title: 'Model', cell: ({ model_resolved }) => <NameOrNone name={model_resolved} /> },
  {
    title: 'Tokens in, out',
    number: true,
    cell: ({ usage }) =>
      usage === null ? <None /> : `${formatCount(usage.input_tokens)}, ${formatCount(usage.output_tokens)}`,
  },
  { title: 'Cost', number: true, cell: ({ cost_usd }) => formatUsd(cost_usd) },
  {
    title: 'Took',
    number: true,
    cell: ({ latency_ms }) => (latency_ms === null ? <None /> : `${formatCount(latency_ms)} ms`),
  },
  { title: 'Request id', cell: ({ request_id }) => <NameOrNone name={request_id} /> },
]

/** Every call of the judge; what it answered word for word only when asked for. */
export function Attempts(props: { readonly attempts: readonly LedgerEntry[]; readonly grade: string }): JSX.Element {
  const [raw, setRaw] = useState(false)
  return (
    <>
      <Table
        caption="Calls of the judge"
        columns={COLUMNS}
        items={props.attempts}
        keyOf={({ id }) => id}
        empty="No judge was called for this grade."
      />
      {props.attempts.length > 0 && (
        <p>
          <button type="button" aria-expanded={raw} onClick={() => setRaw(!raw)}>
            {raw ? 'Hide the raw replies' : 'Show the raw replies'}
          </button>
        </p>
      )}
      {raw && <RawReplies grade={props.grade} />}
    </>
  )
}

function RawReplies({ grade }: { readonly grade: string }): JSX.Element {
  const load = useLoad('listAttempts', { path: { id: grade }, query: { raw: true } })
  return (
    <LoadView load={load} what="the raw replies">
      {({ items }) =>
        items.map(({ id, sample, round, raw_reply }) => (
          <details key={id}>
            <summary>
              Sample {sample + 1}, round {round}
            </summary>
            <HostileBlock text={raw_reply ?? 'nothing came back'} />
          </details>
        ))
      }
    </LoadView>
  )
}
