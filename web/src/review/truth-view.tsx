import type { JSX } from 'preact'
import type { GroundTruth, Instruction } from '../api-types.ts'
import { HostileBlock } from '../text/hostile-text.tsx'
import { Facts } from '../ui/facts.tsx'

/** What was asked and what was hidden. What the harness measured speaks for a label, and comes only once labels are shown. */
export function TruthView({ truth, open }: { readonly truth: GroundTruth; readonly open: boolean }): JSX.Element {
  return (
    <section class="truth" aria-label="Ground truth">
      <h3>Ground truth</h3>
      {truth.instruction !== undefined && <Stated name="The user asked" text={truth.instruction} />}
      {(truth.cue !== undefined || truth.distractor !== undefined) && (
        <>
          <Hidden name="Cue (the task needs it)" instruction={truth.cue} />
          <Hidden name="Distractor (unrelated)" instruction={truth.distractor} />
        </>
      )}
      {Object.entries(truth).map(([name, value]) =>
        KNOWN.has(name) ? null : <Other key={name} name={name} value={value} />,
      )}
      {open ? (
        <Facts
          facts={[
            ['Appeared', measured(truth.signals?.appeared)],
            ['Executed', measured(truth.signals?.executed)],
            ['Resolved', measured(truth.signals?.resolved)],
          ]}
        />
      ) : (
        <p class="aside">What the harness measured is shown with the labels, once you have given yours.</p>
      )}
    </section>
  )
}

const KNOWN = new Set(['instruction', 'cue', 'distractor', 'signals'])

/** What another rubric wants to know of a trial: an instruction, or whatever it is. */
function Other({ name, value }: { readonly name: string; readonly value: unknown }) {
  const text = typeof value === 'object' && value !== null && 'text' in value ? value.text : value
  return <Stated name={name} text={typeof text === 'string' ? text : JSON.stringify(text)} />
}

const measured = (signal: boolean | undefined) => (signal === undefined ? 'unknown' : signal ? 'yes' : 'no')

const Stated = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <details open={text.length < 1200}>
    <summary>{name}</summary>
    <HostileBlock text={text} />
  </details>
)

function Hidden({ name, instruction }: { readonly name: string; readonly instruction: Instruction | undefined }) {
  if (instruction === undefined) return <p class="aside">{name}: none in this trial.</p>
  return (
    <Stated
      name={`${name}${instruction.acted_by === 'message' ? ', carried out by saying' : ''}`}
      text={instruction.text}
    />
  )
}
