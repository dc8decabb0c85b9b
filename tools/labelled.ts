import { once } from 'node:events'
import { DEFAULT_LIMITS } from '../src/archives/unpack/limits.ts'
import { runScript, UsageError } from './command-line.ts'
import { DATASETS, type Dataset, type LabelledTrial } from './labelled/labelled-item.ts'
import { readLabelled } from './labelled/read-labelled.ts'

const USAGE = `usage: npm run --silent labelled -- KIND FOLDER > items.ndjson, where KIND is ${Object.keys(DATASETS).join(', ')}`

/** Renders a labelled run as the line that \`veridict validate\` reads. */
export const labelledLine = ({ trial, human }: LabelledTrial): string =>
  `${JSON.stringify({ item_id: trial.name, ...trial.request, human })}\n`

const isDataset = (name: string): name is Dataset => Object.hasOwn(DATASETS, name)

/** Writes the labelled runs of a published data set to stdout, a line each, and names the skipped runs on stderr. */
async function main(): Promise<number> {
  const [kind = '', folder, ...more] = process.argv.slice(2)
  if (!isDataset(kind) || folder === undefined || more.length > 0) throw new UsageError(USAGE)
  let runs = 0
  for await (const item of readLabelled(kind, folder, { limits: DEFAULT_LIMITS })) {
    if (item.kind === 'skipped') {
      console.error(`skipped  ${item.name}  ${item.detail}`)
      continue
    }
    runs++
    if (!process.stdout.write(labelledLine(item))) await once(process.stdout, 'drain')
  }
  return runs > 0 ? 0 : 1
}

if (import.meta.main) await runScript(main)
