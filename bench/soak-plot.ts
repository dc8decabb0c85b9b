import { readFileSync } from 'node:fs'
import { writeDocs } from './soak/docs.ts'
import type { SoakRun } from './soak/run.ts'

/** Writes the figures and the plot of a run that was kept: `node bench/soak-plot.ts run.json`. */
const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('name the file that `npm run soak -- --out FILE.json` wrote')
await writeDocs(JSON.parse(readFileSync(file, 'utf8')) as SoakRun)
