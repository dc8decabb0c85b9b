import { readTrials } from '../../src/archives/trials/read-trials.ts'

/** Begins to read an archive, and dies as a process does that is out of memory: `node read-killed.ts <path> <temp folder>`. */
const [path = '', tempFolder = ''] = process.argv.slice(2)
for await (const _ of readTrials([path], { tempFolder })) process.kill(process.pid, 'SIGKILL')
