import { parseArgs } from 'node:util'
import { COVERAGE_SETTINGS, type Piece } from './simulations/settings.ts'
import { add, coverageOf, lowestOf, NOTHING, runEach, type Setting, type Tally } from './simulations/simulation.ts'

/** How often the 95% intervals hold a truth that is known because the data were drawn from it. */
const LOW = 0.93
const HIGH = 0.97
const PIECES = 16

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})
if (values.help) {
  console.log(`npm run bench:coverage -- [--quick]

Simulates data from known truths, seeded, and counts how often the 95% intervals hold them. The same numbers on every machine,
whatever its number of cores. --quick: fewer simulations, too few to tell 94 from 96%.`)
  process.exit(0)
}

const simulationsOf = ({ simulations, quick }: Setting): number => (values.quick ? quick : simulations)

function piecesOf(setting: Setting, place: number): Piece[] {
  const all = simulationsOf(setting)
  const size = Math.ceil(all / PIECES)
  return Array.from({ length: Math.ceil(all / size) }, (_, index) => ({
    place,
    from: index * size,
    to: Math.min(all, (index + 1) * size),
  }))
}

async function runAll(): Promise<Tally[]> {
  const pieces = COVERAGE_SETTINGS.flatMap(piecesOf)
  const tallies = await runEach<Piece, Tally>(new URL('./simulations/settings.ts', import.meta.url), 'runPiece', pieces)
  return COVERAGE_SETTINGS.map((_, place) =>
    tallies.filter((_tally, at) => pieces[at]?.place === place).reduce(add, NOTHING),
  )
}

const percent = (share: number): string => (100 * share).toFixed(1)
const begun = performance.now()
const tallies = await runAll()
const lines = COVERAGE_SETTINGS.map((setting, place) => {
  const tally = tallies[place] ?? NOTHING
  return {
    ...setting,
    ...coverageOf(tally),
    lowest: lowestOf(tally),
    missing: tally.missing,
    asked: simulationsOf(setting),
  }
})

/** Farther outside than two Monte-Carlo errors, or perhaps inside after all. */
function verdictOf({ value, error }: { readonly value: number; readonly error: number }): string | null {
  if (value >= LOW && value <= HIGH) return null
  const distance = value < LOW ? LOW - value : value - HIGH
  return distance > 2 * error ? 'outside' : 'outside, within the Monte-Carlo error'
}

console.log('what                                   setting                                  simulations   coverage %')
for (const { what, setting, asked, missing, lowest, ...coverage } of lines) {
  const verdict = verdictOf(coverage)
  const least = lowest === null ? '' : `, lowest label ${percent(lowest)}`
  const none = missing > 0 ? `   (${missing} times no interval)` : ''
  const cells = [
    what.padEnd(38),
    setting.padEnd(40),
    String(asked).padStart(11),
    ` ${percent(coverage.value).padStart(6)}`,
  ]
  console.log(
    `${cells.join(' ')} ± ${percent(coverage.error)}${least}${verdict === null ? '' : `   ${verdict}`}${none}`,
  )
}
const outside = lines.flatMap((line) => {
  const verdict = verdictOf(line)
  return verdict === null ? [] : [`  ${line.what} (${line.setting}): ${percent(line.value)}%: ${verdict}`]
})
console.log(`\n± is one Monte-Carlo standard error. ${((performance.now() - begun) / 1000).toFixed(0)} s.`)
console.log(
  outside.length === 0
    ? 'All of them lie between 93 and 97%.'
    : `${lines.length - outside.length} of ${lines.length} lie between 93 and 97%. The others:\n${outside.join('\n')}`,
)
const lowest = lines.flatMap(({ what, setting, lowest: least }) =>
  least !== null && least < LOW ? [`  ${what} (${setting}): ${percent(least)}%`] : [],
)
if (lowest.length > 0)
  console.log(
    `Of corrected shares the table has the mean over five labels. One label alone lies below 93% in:\n${lowest.join('\n')}`,
  )
