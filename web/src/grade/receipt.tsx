import { useState } from 'preact/hooks'
import { useLoad } from '../api.ts'
import { HostileBlock, HostileText } from '../text/hostile-text.tsx'
import type { Grade, LedgerEntry, TrialMetadata } from '../types.ts'
import { Facts, LoadView, NameOrNone, None, Section } from '../ui/parts.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { formatCount, formatTime, formatUsd, inputWords, spaced } from '../words.ts'

/** The receipt of a grade: judge, rubric, digests, versions. */
export function ReceiptView(props: { readonly receipt: Grade['receipt']; readonly metadata: TrialMetadata }) {
  const { receipt, metadata } = props
  const { coverage, versions } = receipt
  return (
    <Section id="receipt" title="Receipt">
      <div class="columns">
        <Facts
          facts={[
            ['Judge', hostile(receipt.judge)],
            ['Provider', hostile(receipt.provider)],
            ['Model asked for', hostile(receipt.model_requested)],
            ['Model that answered', hostile(receipt.model_resolved)],
            ['Rubric', hostile(receipt.rubric)],
            ['Cost', formatUsd(receipt.cost_usd)],
            ['Prices of', receipt.price_as_of ?? null],
            ['Cache', receipt.cache === 'hit' ? 'a stored grade' : 'made for this request'],
            [
              'Shown to the judge',
              `${formatCount(coverage.steps_shown)} of ${formatCount(coverage.steps_total)} steps; ${formatCount(coverage.elided_chars)} characters left out; ${formatCount(coverage.media_parts)} pictures or sounds, of which ${formatCount(coverage.media_shown ?? 0)} were shown; windows: ${formatCount(coverage.windows)}`,
            ],
            ['Input', receipt.input == null ? null : inputWords(receipt.input).map(spaced).join('; ')],
            [
              'Versions',
              `rendering ${versions.rendering}, evidence ${versions.evidence}, prompt ${versions.prompt}, reader ${versions.reader}`,
            ],
          ]}
        />
        <Facts
          facts={[
            ['Trajectory', <code key="t">{receipt.trajectory}</code>],
            ['Ground truth', <code key="g">{receipt.ground_truth}</code>],
            ['Rubric content', <code key="r">{receipt.rubric_digest}</code>],
            ['Cache key', <code key="k">{receipt.key}</code>],
          ]}
        />
        <Facts facts={Object.entries(metadata).map(([name, value]) => [name, hostile(String(value))])} />
      </div>
    </Section>
  )
}

const hostile = (text: string | null) => (text === null ? null : <HostileText text={text} />)

const COLUMNS: readonly Column<LedgerEntry>[] = [
  { title: 'Started', cell: ({ started_at }) => formatTime(started_at) },
  { title: 'Sample', number: true, cell: ({ sample }) => sample + 1 },
  { title: 'Round', number: true, cell: ({ round }) => round },
  { title: 'Purpose', cell: ({ purpose }) => purpose },
  { title: 'Outcome', cell: ({ outcome }) => spaced(outcome) },
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

/** The calls of the judge; a button shows the raw replies. */
export function Attempts(props: { readonly attempts: readonly LedgerEntry[]; readonly grade: string }) {
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

function RawReplies({ grade }: { readonly grade: string }) {
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
