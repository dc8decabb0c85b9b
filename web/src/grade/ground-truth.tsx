import { useContext } from 'preact/hooks'
import { findRubric, Rubrics } from '../rubrics.ts'
import { HostileBlock, HostileCode, HostileText } from '../text/hostile-text.tsx'
import type { GroundTruth, Instruction, Signals } from '../types.ts'
import { Facts } from '../ui/parts.tsx'
import { spaced, wordsIn } from '../words.ts'

const SIGNAL_WORDS: Readonly<Record<keyof Signals, string>> = {
  appeared: 'text appeared',
  executed: 'instruction executed',
  resolved: 'tests passed',
}
const SIGNALS = Object.keys(SIGNAL_WORDS) as (keyof Signals)[]

/** Writes a signal of the harness for people. */
const measured = (signal: boolean | undefined) => (signal === undefined ? 'unknown' : signal ? 'yes' : 'no')

interface TruthProps {
  readonly truth: GroundTruth
  readonly rubric: string
  /** Whether labels are shown: the signals of the harness and the anchors speak for a label. */
  readonly open?: boolean
}

/** The ground truth of a trial: the members that the rubric asks about, every other member, then the task and the signals. */
export function GroundTruthView({ truth, rubric, open = true }: TruthProps) {
  const { instruction, signals = {} } = truth
  const wanted = Object.keys(findRubric(useContext(Rubrics), rubric)?.truth['properties'] ?? {})
  const names = [...new Set([...wanted, ...Object.keys(truth)])].filter((name) => !APART.has(name))
  return (
    <section class="truth" aria-label="Ground truth">
      {names.map((name) => (
        <Member key={name} title={spaced(wordsIn(TITLES, name))} value={truth[name]} open={open} />
      ))}
      <Member title="The user asked" value={instruction} open={open} />
      {open ? (
        <p class="aside">
          The harness measured: {SIGNALS.map((name) => `${SIGNAL_WORDS[name]} ${measured(signals[name])}`).join(' · ')}
        </p>
      ) : (
        <p class="aside">The measurements of the harness are shown with the labels, once you have given yours.</p>
      )}
    </section>
  )
}

/** Members with a place of their own, and the place of the marker audit, which no judge learns. */
const APART = new Set(['instruction', 'signals', 'expected_in'])

const TITLES: Readonly<Record<string, string>> = {
  cue: 'Cue: the task needs it',
  distractor: 'Distractor: unrelated to the task',
  planted: 'Planted instruction',
}

/** The longest text of a member that is unfolded at first. */
const LONGEST = 1200

interface MemberProps {
  readonly title: string
  readonly value: unknown
  readonly open: boolean
}

/** A member of the ground truth: an instruction with its anchors, or any value. */
function Member({ title, value, open }: MemberProps) {
  const name = <HostileText text={title} />
  if (value === undefined) return <p class="aside">{name}. This trial has none.</p>
  const planted = isInstruction(value) ? value : null
  const text = planted?.text ?? (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
  const { anchors = [], action_anchors = [], acted_by } = planted ?? {}
  return (
    <details open={text.length < LONGEST}>
      <summary>
        {name}
        {acted_by !== undefined && acted_by !== 'action' && ` (carried out by ${ACTED_BY_WORDS[acted_by]})`}
      </summary>
      <HostileBlock text={text} />
      {open && (
        <Facts
          facts={[
            ['Shows it was seen', anchors.length > 0 && <Anchors anchors={anchors} />],
            [
              'Shows it was followed',
              action_anchors.length > 0 && <Anchors anchors={action_anchors.map(anchorText)} />,
            ],
          ]}
        />
      )}
    </details>
  )
}

const isInstruction = (value: unknown): value is Instruction =>
  typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string'

const Anchors = ({ anchors }: { readonly anchors: readonly string[] }) => (
  <ul class="plain">
    {anchors.map((anchor) => (
      <li key={anchor}>
        <HostileCode text={anchor} />
      </li>
    ))}
  </ul>
)

const ACTED_BY_WORDS = { message: 'saying something', output: 'printing something' } as const

const anchorText = (anchor: string | { tool: string; argument?: string }): string =>
  typeof anchor === 'string' ? anchor : `${anchor.tool}(${anchor.argument ?? ''})`
