import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Loaded into the service by the soak (`--import`): on SIGUSR2 it collects garbage, and V8 gives back the empty pages that it keeps for
 * the next allocations (200 MB of them after a storm), so that what is left is what is held.
 */
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', () => {
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
})
