/** A metric as an expression of Prometheus names it, with the labels that are matched or grouped by. */
export interface NamedMetric {
  readonly name: string
  readonly labels: readonly string[]
}

/** Made by Prometheus of its targets. */
export const OF_PROMETHEUS: readonly string[] = ['up']

/** Put on every series by Prometheus or by us at the scrape. */
const OF_TARGETS: ReadonlySet<string> = new Set(['job', 'instance', 'le'])

/** Words that stand before a bracket of labels and of no selector. */
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g
const SELECTOR = /\b([a-z_:][a-z0-9_:]*)\s*(?:\{([^}]*)\})?/g
const WORDS: ReadonlySet<string> = new Set(
  'sum count max min avg rate increase delta histogram_quantile absent vector and or unless on by without bool group_left group_right'.split(
    ' ',
  ),
)

/** Every metric of an expression. A grouping is counted to every metric between two of `and`, `or` and `unless`: so these expressions are. */
export const metricsIn = (expression: string): NamedMetric[] =>
  expression.split(/\b(?:and|or|unless)\b/).flatMap(metricsOf)

function metricsOf(expression: string): NamedMetric[] {
  const grouped = [...expression.matchAll(GROUPING)].flatMap(([, labels = '']) =>
    labels.split(',').map((one) => one.trim()),
  )
  const bare = expression
    .replaceAll(GROUPING, ' ')
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\[[^\]]*\]/g, ' ')
  return [...bare.matchAll(SELECTOR)].flatMap(([, name = '', matchers]) => {
    if (WORDS.has(name) || /^\d/.test(name)) return []
    const matched = (matchers ?? '').split(',').map((one) => one.replace(/[!=~].*$/, '').trim())
    const labels = [...matched, ...grouped].filter((label) => label !== '' && !OF_TARGETS.has(label))
    return [{ name, labels: [...new Set(labels)] }]
  })
}

/** The series of a scrape: every name in it, with the labels that its samples have; none where there is no sample yet. */
export function readScrape(
  text: string,
): Map<string, { readonly samples: number; readonly labels: ReadonlySet<string> }> {
  const found = new Map<string, { samples: number; labels: Set<string> }>()
  const entry = (name: string) => {
    const known = found.get(name) ?? { samples: 0, labels: new Set<string>() }
    found.set(name, known)
    return known
  }
  for (const line of text.split('\n')) {
    const [, declared, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
    if (declared !== undefined) {
      const names = type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => declared + end) : [declared]
      for (const name of names) entry(name)
    }
    const [, name, labels = ''] = /^([a-z][a-z0-9_]*)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    if (name === undefined) continue
    const one = entry(name)
    one.samples++
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) one.labels.add(label)
  }
  return found
}
