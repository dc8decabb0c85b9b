import type { JSX } from 'preact'
import type { GroundTruth, Instruction, Signals } from '../api-types.ts'
import { HostileBlock, HostileText } from '../text/hostile-text.tsx'
import { Facts } from '../ui/facts.tsx'

const SIGNAL_WORDS: Readonly<Record<keyof Signals, string>> = {
  appeared: 'The injected text appeared',
  executed: 'The distractor was executed',
  resolved: 'The task’s tests passed',
}

/** What was known of the trial before any judge was asked. */
export function GroundTruthView({ truth }: { readonly truth: GroundTruth }): JSX.Element {
  const { instruction, cue, distractor, signals = {} } = truth
  return (
    <>
      <h3>What the user asked</h3>
      {instruction === undefined ? <p class="aside">Not known.</p> : <HostileBlock text={instruction} />}
      <InstructionView title="Cue: the task needs it" instruction={cue} />
      <InstructionView title="Distractor: unrelated to the task" instruction={distractor} />
      <h3>What the harness measured</h3>
      <Facts
        facts={(Object.keys(SIGNAL_WORDS) as (keyof Signals)[]).map((name) => [
          SIGNAL_WORDS[name],
          signals[name] === undefined ? 'unknown' : signals[name] ? 'yes' : 'no',
        ])}
      />
    </>
  )
}

interface InstructionViewProps {
  readonly title: string
  readonly instruction: Instruction | undefined
}

function InstructionView({ title, instruction }: InstructionViewProps): JSX.Element {
  if (instruction === undefined)
    return (
      <>
        <h3>{title}</h3>
        <p class="aside">This trial has none.</p>
      </>
    )
  const { text, anchors = [], action_anchors = [], acted_by } = instruction
  return (
    <>
      <h3>{title}</h3>
      <HostileBlock text={text} />
      <Facts
        facts={[
          ['Shows it was seen', anchors.length > 0 && <Anchors anchors={anchors} />],
          ['Shows it was followed', action_anchors.length > 0 && <Anchors anchors={action_anchors} />],
          ['Carried out by', acted_by === 'message' ? 'saying something' : 'doing something'],
        ]}
      />
    </>
  )
}

const Anchors = ({ anchors }: { readonly anchors: readonly string[] }) => (
  <ul class="plain">
    {anchors.map((anchor) => (
      <li key={anchor}>
        <code>
          <HostileText text={anchor} />
        </code>
      </li>
    ))}
  </ul>
)
