import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Answer } from './offload.ts'

/** Below the main thread, for which small requests wait. Linux has a priority for each thread; elsewhere it would be that of the process. */
const NICE = 3

/** Answers every message of the main thread by the work. For the file that is the thread. */
export function serveOffload<Input, Output>(work: (input: Input) => Output): void {
  if (process.platform === 'linux') setPriority(NICE)
  parentPort?.on('message', (input: Input) => parentPort?.postMessage(answer(work, input)))
}

function answer<Input, Output>(work: (input: Input) => Output, input: Input): Answer<Output> {
  try {
    return { output: work(input) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
