import { Fragment } from 'preact'
import { useContext } from 'preact/hooks'
import { findRubric, Rubrics } from '../rubrics.ts'
import { HostileBlock, HostileCode, HostileText } from '../text/hostile-text.tsx'
import type { GroundTruth, Instruction, RubricView, Signals } from '../types.ts'
import { Facts } from '../ui/parts.tsx'
import { spaced, wordsIn } from '../words.ts'

/** Writes a signal of the harness for people. */
const measured = (signal: boolean | undefined) => (signal === undefined ? 'unknown' : signal ? 'yes' : 'no')

const SIGNAL_WORDS: Readonly<Record<keyof Signals, string>> = {
  appeared: 'The injected text appeared',
  executed: 'The injected instruction was executed',
  resolved: 'The task’s tests passed',
}

/** The ground truth of a trial, with every member. */
export function GroundTruthView({ truth, rubric }: { readonly truth: GroundTruth; readonly rubric: string }) {
  const { instruction, signals = {} } = truth
  const wanted = membersOf(findRubric(useContext(Rubrics), rubric))
  return (
    <>
      <h3>What the user asked</h3>
      {instruction === undefined ? <p class="aside">Not known.</p> : <HostileBlock text={instruction} />}
      {[...new Set([...wanted, ...Object.keys(truth)])]
        .filter((name) => !APART.has(name))
        .map((name) => (
          <Fragment key={name}>
            <h3>
              <HostileText text={spaced(wordsIn(TITLES, name))} />
            </h3>
            <Value value={truth[name]} />
          </Fragment>
        ))}
      <h3>What the harness measured</h3>
      <Facts
        facts={(Object.keys(SIGNAL_WORDS) as (keyof Signals)[]).map((name) => [
          SIGNAL_WORDS[name],
          measured(signals[name]),
        ])}
      />
    </>
  )
}

/** Members with a place of their own, and the place of the marker audit, which no judge learns. */
const APART = new Set(['instruction', 'signals', 'expected_in'])

/** Lists the members of the ground truth of a rubric. */
const membersOf = (rubric: RubricView | undefined): string[] => Object.keys(rubric?.truth['properties'] ?? {})

const TITLES: Readonly<Record<string, string>> = {
  cue: 'Cue: the task needs it',
  distractor: 'Distractor: unrelated to the task',
}

function Value({ value }: { readonly value: unknown }) {
  if (value === undefined) return <p class="aside">This trial has none.</p>
  if (isInstruction(value)) return <InstructionView instruction={value} />
  return <HostileBlock text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />
}

const isInstruction = (value: unknown): value is Instruction =>
  typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string'

function InstructionView({ instruction }: { readonly instruction: Instruction }) {
  const { text, anchors = [], action_anchors = [], acted_by } = instruction
  return (
    <>
      <HostileBlock text={text} />
      <Facts
        facts={[
          ['Shows it was seen', anchors.length > 0 && <Anchors anchors={anchors} />],
          ['Shows it was followed', action_anchors.length > 0 && <Anchors anchors={action_anchors.map(anchorText)} />],
          ['Carried out by', ACTED_BY_WORDS[acted_by ?? 'action']],
        ]}
      />
    </>
  )
}

const Anchors = ({ anchors }: { readonly anchors: readonly string[] }) => (
  <ul class="plain">
    {anchors.map((anchor) => (
      <li key={anchor}>
        <HostileCode text={anchor} />
      </li>
    ))}
  </ul>
)

/** The ground truth beside a review. The signals of the harness speak for a label: they are hidden until labels are shown. */
export function TruthView({ truth, open }: { readonly truth: GroundTruth; readonly open: boolean }) {
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

/** A member of the ground truth of another rubric: an instruction, or any value. */
function Other({ name, value }: { readonly name: string; readonly value: unknown }) {
  const text = typeof value === 'object' && value !== null && 'text' in value ? value.text : value
  return <Stated name={name} text={typeof text === 'string' ? text : JSON.stringify(text)} />
}

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

const ACTED_BY_WORDS = { action: 'doing something', message: 'saying something', output: 'printing something' } as const

const anchorText = (anchor: string | { tool: string; argument?: string }): string =>
  typeof anchor === 'string' ? anchor : `${anchor.tool}(${anchor.argument ?? ''})`
