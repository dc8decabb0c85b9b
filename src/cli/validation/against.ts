import { Z95 } from '../../domain/statistics/intervals.ts'
import { comparePairs } from '../../domain/statistics/rates.ts'
import { inputIssues } from '../../schemas/check.ts'
import { type Certificate, CertificateSchema } from '../../schemas/documents.ts'
import { CliError } from '../errors.ts'
import { readJson } from '../input/read-json.ts'
import { oneLine, percent } from '../output/text.ts'
import { intervalText } from './certificate.ts'

/** Reads an earlier certificate. Throws, before a judge is asked, for another form, other data or another rubric. */
export function readEarlier(file: string, { data, rubric }: Pick<Certificate, 'data' | 'rubric'>): Certificate {
  const refused = (why: string) => new CliError(`not comparable with ${oneLine(file)}: ${oneLine(why)}`)
  const value = readJson(file, (why) => refused(`the file ${why}`))
  const { against: _, ...earlier } = Object(value) as Certificate & { readonly against?: unknown }
  const [issue] = inputIssues(CertificateSchema, earlier)
  if (issue !== undefined) throw refused(`the file is no certificate: ${issue.path} ${issue.message}`)
  if (earlier.data.digest !== data.digest) throw refused(`the items of ${earlier.data.name} are other items`)
  if (earlier.rubric.digest !== rubric.digest) throw refused(`the rubric ${earlier.rubric.name} has another text`)
  return earlier
}

/**
 * Tests for each question whether two judges are right equally often: two one-sided tests at 2.5 %, so that the 95 % interval of the paired
 * difference lies within ± margin. Clusters are resampled; the interval reaches at least as far as that of judges that never differ on so
 * many items as clusters, z² / (m + z²) (Tango, Statistics in Medicine 17, 1998).
 */
export function compareWith(base: Certificate, head: Certificate, margin: number) {
  const before = new Map(base.results.map(({ item, answers }) => [item, answers]))
  const questions = head.measures.map(({ question }) => {
    const pairs = head.results.flatMap(({ item, cluster, answers }) => {
      const [then, now] = [before.get(item)?.[question], answers[question]]
      if (then === undefined || now === undefined) return []
      return [{ cluster: cluster === null ? null : String(cluster), base: then.right, head: now.right }]
    })
    const { difference: compared, discordant } = comparePairs(pairs)
    const { value: difference, ci95 } = compared
    const { base_only, head_only } = discordant
    const clusters = new Set(pairs.map(({ cluster }, index) => cluster ?? index)).size
    const least = Z95 ** 2 / (clusters + Z95 ** 2)
    const [low = -1, high = 1] = ci95 ?? (base_only + head_only === 0 ? [0, 0] : [])
    const interval = [Math.min(low, (difference ?? 0) - least), Math.max(high, (difference ?? 0) + least)]
    const equivalent = difference !== null && interval.every((limit) => Math.abs(limit) < margin)
    return { question, n: pairs.length, base_only, head_only, difference, ci95: interval, equivalent }
  })
  const equivalent = questions.length > 0 && questions.every((question) => question.equivalent)
  return { margin, base: base.judge, base_created_at: base.created_at, equivalent, questions }
}

/** Renders a comparison of two judges for people. */
export function comparisonText({ margin, base, equivalent, questions }: ReturnType<typeof compareWith>): string {
  const lines = questions.map(({ question, n, difference, ci95, base_only, head_only }) => {
    const share = `${percent(difference ?? 0)} ${intervalText(ci95)} of ${n}`
    return `  ${question}: ${share}; right alone: ${base_only} before, ${head_only} now`
  })
  const verdict = equivalent ? 'equivalent' : 'not equivalent, as far as these items can tell'
  return `\nAgainst ${oneLine(base.name)}, within ±${percent(margin)}: ${verdict}\n${lines.join('\n')}\n`
}
