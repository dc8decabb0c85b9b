import { parentPort } from 'node:worker_threads'
import type { Answer } from './worker-pool.ts'

/** Answers every message of the main thread by the work, one after the other. For the file that is the worker. */
export function serveWorker<Input, Output>(work: (input: Input) => Output | Promise<Output>): void {
  let last = Promise.resolve()
  parentPort?.on('message', (input: Input) => {
    last = last.then(() => answer(work, input))
  })
}

async function answer<Input, Output>(work: (input: Input) => Output | Promise<Output>, input: Input): Promise<void> {
  const tell = (told: Answer<Output>) => parentPort?.postMessage(told)
  try {
    tell({ output: await work(input) })
  } catch (error) {
    tell({ error: error instanceof Error ? error.message : String(error) })
  }
}
