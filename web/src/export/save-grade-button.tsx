import { render } from 'preact'
import { useContext } from 'preact/hooks'
import { ask, useAction } from '../api.ts'
import { Claims } from '../grade/claims.tsx'
import { GroundTruthView } from '../grade/ground-truth.tsx'
import { Attempts, ReceiptView } from '../grade/receipt.tsx'
import { Objections, Verdict, Warnings } from '../grade/verdict.tsx'
import { Rubrics } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { citationMarks } from '../timeline/marks.ts'
import { PartView } from '../timeline/part-view.tsx'
import type { Grade, GroundTruth, LedgerEntry, Step } from '../types.ts'
import { Outcome, Section, Trouble } from '../ui/parts.tsx'
import { formatCount, formatTime } from '../words.ts'
import { saveFile, toHtmlFile } from './files.ts'

/** Most cited steps of a file. */
const MOST_STEPS = 100

interface GradeEvidence {
  readonly grade: Grade
  readonly truth: GroundTruth
  readonly attempts: readonly LedgerEntry[]
  /** The cited steps, in order. */
  readonly steps: readonly Step[]
}

/** Saves a grade with its evidence as one HTML file: verdict, claims, cited steps, ground truth, receipt and every call. */
export function SaveGradeButton({ grade }: { readonly grade: Grade }) {
  const rubrics = useContext(Rubrics)
  const { busy, trouble, start } = useAction(async () => {
    const page = <GradeDocument {...(await loadEvidence(grade))} />
    const box = document.createElement('div')
    render(<Rubrics.Provider value={rubrics}>{page}</Rubrics.Provider>, box)
    saveFile(`${grade.id}.html`, 'text/html', toHtmlFile(`Grade ${grade.id} · Veridict`, box))
    render(null, box)
  })
  return (
    <>
      <button type="button" disabled={busy} onClick={start}>
        Save as one HTML file
      </button>
      {trouble !== null && <Trouble what="the file" message={trouble} />}
    </>
  )
}

async function loadEvidence(grade: Grade): Promise<GradeEvidence> {
  const path = { id: grade.id }
  const [truth, attempts, steps] = await Promise.all([
    ask('getGroundTruth', { path }),
    ask('listAttempts', { path }),
    loadSteps(grade),
  ])
  return { grade, truth, attempts: attempts.items, steps }
}

/** Loads the cited steps one after the other: a grade cites a handful. */
async function loadSteps({ citations, receipt }: Grade): Promise<Step[]> {
  const ids = [...new Set(citations.map(({ step_id }) => step_id))].sort((a, b) => a - b).slice(0, MOST_STEPS)
  const steps: Step[] = []
  for (const id of ids) {
    const request = { path: { id: receipt.trajectory }, query: { from: id, to: id } }
    steps.push(...(await ask('listSteps', request)).items)
  }
  return steps
}

function GradeDocument({ grade, truth, attempts, steps }: GradeEvidence) {
  return (
    <article class="report">
      <h1>
        Grade <code>{grade.id}</code> <Outcome grade={grade} rubric={grade.receipt.rubric} />
      </h1>
      <p class="aside">Made {formatTime(grade.created_at)}.</p>
      <Verdict grade={grade}>
        <GroundTruthView truth={truth} rubric={grade.receipt.rubric} />
      </Verdict>
      <Claims grade={grade} />
      <Section id="evidence" title="The cited steps">
        {steps.length === 0 && <p class="aside">Nothing is cited.</p>}
        {steps.length === MOST_STEPS && <p class="aside">The first {formatCount(MOST_STEPS)} of them.</p>}
        {steps.map((step) => (
          <section key={step.id} id={`step-${step.id}`} class="step">
            <h3>
              Step {step.id} {step.name !== null && <HostileText text={step.name} />}
            </h3>
            {step.parts.map((part) => (
              <PartView key={part.path} part={part} marks={citationMarks(step, part, grade.citations)} />
            ))}
          </section>
        ))}
      </Section>
      <Objections grade={grade} />
      <Warnings receipt={grade.receipt} />
      <ReceiptView receipt={grade.receipt} metadata={grade.metadata} />
      <Section id="attempts" title="Attempts">
        <Attempts attempts={attempts} grade={grade.id} />
      </Section>
    </article>
  )
}
