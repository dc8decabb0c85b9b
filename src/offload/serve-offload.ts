import { parentPort } from 'node:worker_threads'
import type { Answer } from './offload.ts'

/** Answers every message of the main thread by the work. For the file that is the thread. */
export function serveOffload<Input, Output>(work: (input: Input) => Output): void {
  parentPort?.on('message', (input: Input) => parentPort?.postMessage(answer(work, input)))
}

function answer<Input, Output>(work: (input: Input) => Output, input: Input): Answer<Output> {
  try {
    return { output: work(input) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
