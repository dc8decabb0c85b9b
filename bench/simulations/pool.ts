import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** Deals the pieces out to as many threads as there are cores, and answers in their order. A worker answers each message with one. */
export async function runPieces<Piece, Answer>(worker: URL, pieces: readonly Piece[]): Promise<Answer[]> {
  const answers: Answer[] = []
  let next = 0
  const work = async (): Promise<void> => {
    const thread = new Worker(worker)
    try {
      for (let place = next++; place < pieces.length; place = next++) {
        answers[place] = await answerOf<Answer>(thread, pieces[place])
      }
    } finally {
      await thread.terminate()
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return answers
}

function answerOf<Answer>(thread: Worker, piece: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    thread.removeAllListeners()
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.postMessage(piece)
  })
}
