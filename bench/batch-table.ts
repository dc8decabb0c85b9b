import { AT_ONCE, type Run } from './batch-run.ts'

export const bestOf = (runs: readonly Run[]): Run => {
  const [best] = [...runs].sort((a, b) => a.grading_s - b.grading_s)
  if (best === undefined) throw new Error('nothing was run')
  return best
}

export const HEAD =
  ' items   intake  items/s   MB/s   grading  over ideal   least   CPU/item: intake  grading   peak  anonymous   calls  at once  provider CPU  ended'

export function rowOf(items: number, latency: number, run: Run): string {
  const ideal = (items / AT_ONCE) * (latency / 1000)
  const { provider } = run
  return columns([
    [`${items}`, 6],
    [`${run.intake_s.toFixed(1)} s`, 9],
    [(items / run.intake_s).toFixed(0), 9],
    [(run.bytes / 1e6 / run.intake_s).toFixed(1), 7],
    [`${run.grading_s.toFixed(2)} s`, 10],
    [`${(run.grading_s / ideal).toFixed(3)}x`, 12],
    [`${((Math.ceil(items / AT_ONCE) * AT_ONCE) / items).toFixed(3)}x`, 8],
    [`${run.intake_cpu_ms.toFixed(2)} ms`, 19],
    [`${run.grading_cpu_ms.toFixed(2)} ms`, 9],
    [`${run.peak_mb.toFixed(0)} MB`, 7],
    [`${run.anonymous_mb.toFixed(0)} MB`, 11],
    [`${provider?.calls ?? 0}`, 8],
    [`${provider?.most_at_once ?? 0}`, 9],
    [`${((provider?.cpu_share ?? 0) * 100).toFixed(0)} %`, 14],
    [`  ${endsOf(run)}`, 0],
  ])
}

export const endsOf = ({ counts }: Run): string =>
  Object.entries(counts)
    .filter(([name, count]) => name !== 'total' && count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')

const columns = (cells: readonly (readonly [string, number])[]) =>
  cells.map(([text, width]) => text.padStart(width)).join('')
