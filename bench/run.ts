import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureHttp } from './http.ts'
import { measureVerification } from './verification.ts'

/** Every figure is a ratio to a ceiling measured in the same run, rounds interleaved, medians. Nothing here gates a test. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(
    'npm run bench -- [--rounds 5] [--quick]\n\nPrints cache hits and misses against a bare Fastify route, and verification against JSON.parse.',
  )
  process.exit(0)
}
const rounds = values.quick ? 2 : Number(values.rounds)
const folder = mkdtempSync(join(tmpdir(), 'veridict-bench-'))
console.log(
  `Node ${process.version}, ${cpus().length} cores, ${rounds} interleaved rounds, medians. Ratios count; absolute figures only orient.\n`,
)
try {
  measureVerification(rounds)
  await measureHttp(folder, rounds, values.quick)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
