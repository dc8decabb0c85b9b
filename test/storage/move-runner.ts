import { moveStore } from '../../src/storage/move/move-store.ts'
import { SETTINGS } from './postgres-settings.ts'

/** Run by itself, to be killed: moves, and says each step before it goes on. */
const [, , from, url] = process.argv
if (from === undefined || url === undefined) throw new Error('usage: move-runner.ts <database> <url>')
const report = await moveStore({
  ...{ from, to: { url, settings: SETTINGS }, mode: 'move', now: () => new Date() },
  ...{ signal: new AbortController().signal, chunk_bytes: 8 * 1024 },
  onProgress: ({ step, table, done }) => process.stdout.write(`${step} ${table} ${done}\n`),
})
process.stdout.write(`end ${report.outcome}\n`)
