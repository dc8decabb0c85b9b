import { resolveAnchors } from '../src/domain/evidence/anchors.ts'
import { checkEvidence } from '../src/domain/evidence/evidence.ts'
import { createRendering } from '../src/domain/trajectory/rendering.ts'
import type { Trajectory } from '../src/domain/trajectory/trajectory.ts'
import { readTrajectory } from '../src/formats/read.ts'
import { makeClaims, RUBRIC } from '../test/domain/make.ts'
import { median } from './load.ts'
import { GROUND_TRUTH, makeRequest } from './make-body.ts'

/** The check of 20 citations in a 5 MB trajectory, against the time to parse that trajectory. */
export function measureVerification(rounds: number): void {
  const text = JSON.stringify(makeRequest(5_000_000, 'verify').trajectory)
  const read = readTrajectory(JSON.parse(text), { max_steps: 20_000, max_part_chars: 8_000_000 })
  if (!read.ok) throw new Error('the bench trajectory cannot be read')
  const trajectory = read.value
  const kinds = {
    'all hit': quotes(trajectory, (quote) => quote),
    'all hit after folding': quotes(trajectory, (quote) => quote.replaceAll(' ', '  ')),
    'all fabricated': quotes(trajectory, (quote) => `${quote.slice(0, -1)}\u2603`),
  }
  const parse: number[] = []
  const checks = new Map<string, number[]>(Object.keys(kinds).map((kind) => [kind, []]))
  for (let round = 0; round < rounds * 3; round++) {
    parse.push(timed(() => JSON.parse(text)))
    // Another object: what was found in a run is kept for its next check.
    for (const [kind, citations] of Object.entries(kinds))
      checks.get(kind)?.push(timed(() => check({ ...trajectory }, citations)))
  }
  const base = median(parse)
  console.log(
    `Evidence check of 20 citations in a trajectory of ${(text.length / 1e6).toFixed(1)} MB, ${trajectory.steps.length} steps`,
  )
  console.log(`  JSON.parse of it: ${base.toFixed(2)} ms (1.00)`)
  for (const [kind, times] of checks)
    console.log(`  ${kind.padEnd(24)} ${median(times).toFixed(2)} ms (${(median(times) / base).toFixed(3)})`)
  console.log('  (with the search for anchors in all of it, which every check does)\n')
}

function quotes(trajectory: Trajectory, change: (quote: string) => string) {
  const steps = trajectory.steps.filter((step) =>
    step.parts.some((part) => part.actor === 'tool_output' && part.text.length > 2000),
  )
  return Array.from({ length: 20 }, (_, index) => {
    const step = steps[(index * 9) % steps.length]
    const output = step?.parts.find((part) => part.actor === 'tool_output')?.text ?? ''
    const start = output.indexOf(' ', 200 + index * 17)
    return {
      supports: 'surface.observed' as const,
      step_id: step?.id ?? 0,
      quote: change(output.slice(start, start + 40 + index * 6).trim()),
    }
  })
}

function check(trajectory: Trajectory, citations: ReturnType<typeof quotes>): void {
  const claims = makeClaims({ citations, surface: { observed: true, category: 'other' } })
  const rendering = createRendering(trajectory, '0123456789abcdef')
  checkEvidence(claims, {
    rendering,
    ground_truth: GROUND_TRUTH,
    anchors: resolveAnchors(GROUND_TRUTH),
    rubric: RUBRIC,
    denied_acts: 'flag' as const,
  })
}

function timed(work: () => void): number {
  const started = performance.now()
  work()
  return performance.now() - started
}
