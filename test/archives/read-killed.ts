import { readTrials } from '../../src/archives/trials/read-trials.ts'

/**
 * Begins to read an archive and kills its own process, as the kernel does when memory runs out: `node read-killed.ts <path> <temp folder>`.
 */
const [path = '', tempFolder = ''] = process.argv.slice(2)
for await (const _ of readTrials([path], { tempFolder })) process.kill(process.pid, 'SIGKILL')
