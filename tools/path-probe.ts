import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { isMainThread } from 'node:worker_threads'

/** Loaded before a program with `--import`: SIGUSR2 and the end write to `PATH_COUNTS` how often each function was called since the last time. */
const file = process.env['PATH_COUNTS']
if (isMainThread && file !== undefined) {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const write = () =>
    session.post('Profiler.takePreciseCoverage', (error, counts) => {
      writeFileSync(`${file}.partial`, JSON.stringify(error ?? counts))
      renameSync(`${file}.partial`, file)
    })
  process.on('SIGUSR2', write)
  process.on('exit', write)
}
