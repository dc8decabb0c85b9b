import { parentPort, workerData } from 'node:worker_threads'
import type { Answer } from './worker-pool.ts'

/** Answers every message of the main thread by the work, one piece after the other. For the file that is the worker. */
export function serveWorker<Input, Output>(work: (input: Input) => Output | Promise<Output>): void {
  const place = workerData as Int32Array
  let last = Promise.resolve()
  const answerAll = async (inputs: readonly Input[]) => {
    const answers: Answer<Output>[] = []
    for (const [index, input] of inputs.entries()) {
      Atomics.store(place, 0, index)
      answers.push(await answer(work, input))
    }
    try {
      parentPort?.postMessage(answers)
    } catch {
      parentPort?.postMessage(answers.map(ifCloned))
    }
    Atomics.store(place, 0, 0)
  }
  parentPort?.on('message', (inputs: readonly Input[]) => {
    last = last.then(() => answerAll(inputs))
  })
}

async function answer<Input, Output>(
  work: (input: Input) => Output | Promise<Output>,
  input: Input,
): Promise<Answer<Output>> {
  try {
    return { output: await work(input) }
  } catch (error) {
    return fault(error)
  }
}

/** The answer, where it can be handed over by itself. */
function ifCloned<Output>(answer: Answer<Output>): Answer<Output> {
  try {
    return structuredClone(answer)
  } catch (error) {
    return fault(error)
  }
}

const fault = (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) })
