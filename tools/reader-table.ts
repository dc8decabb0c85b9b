import { readdirSync, readFileSync } from 'node:fs'
import { LIMITS } from '../src/config/settings.ts'
import { openDocuments } from '../src/formats/common/open-documents.ts'
import { readTrajectory } from '../src/formats/read.ts'

/** `npm run readers`: what each reader makes of the samples in test/fuzz/corpus that it was written with. Warnings are listed below the table. */

const CORPUS = new URL('../test/fuzz/corpus/', import.meta.url)
/** Rows of the archive of real runs, by format without its version. */
const REAL_RUNS = new URL('../test/archives/real-runs.json', import.meta.url)
const familyOf = (format: string): string => format.replace(/-\d.*$/u, '')
const realFiles = new Map<string, number>()
const real = JSON.parse(readFileSync(REAL_RUNS, 'utf8')) as Record<string, Record<string, readonly unknown[]>>
for (const runs of Object.values(real))
  for (const [format] of Object.values(runs)) {
    const family = familyOf(String(format))
    realFiles.set(family, (realFiles.get(family) ?? 0) + 1)
  }

const NO_READERS = ['archives', 'evidence', 'reply', 'shell']
const rows: Record<string, string | number>[] = []
const said: string[] = []

for (const folder of readdirSync(CORPUS).filter((name) => !NO_READERS.includes(name)))
  for (const file of readdirSync(new URL(`${folder}/`, CORPUS)).filter((name) => name.startsWith('seed'))) {
    const sample = `${folder}/${file}`
    const opened = openDocuments(readFileSync(new URL(sample, CORPUS), 'utf8'))
    for (const { document } of opened.ok ? opened.value : []) {
      const read = readTrajectory(document, LIMITS.defaults)
      if (!read.ok) rows.push({ sample, format: `refused: ${read.error[0]?.message ?? ''}`.slice(0, 60) })
      else {
        const { format, steps, warnings, unread } = read.value
        const parts = steps.flatMap((step) => step.parts)
        const acts = parts.flatMap(({ act }) => (act === null ? [] : [act.call.outcome]))
        const of = (actor: string) => parts.filter((part) => part.actor === actor).length
        const ran = acts.filter((outcome) => outcome === 'ran').length
        rows.push({
          sample,
          format,
          steps: steps.length,
          acts: acts.length,
          ran,
          sights: of('tool_output'),
          warnings: warnings.length,
          unread: unread.records,
          'real files read': realFiles.get(familyOf(format)) ?? 0,
        })
        said.push(...warnings.map(({ path, message }) => `${sample}  ${path}  ${message}`.slice(0, 200)))
      }
    }
    if (!opened.ok) rows.push({ sample, format: `refused: ${opened.error[0]?.message ?? ''}`.slice(0, 60) })
  }
console.table(rows)
console.log(said.join('\n'))
