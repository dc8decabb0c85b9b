import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'

/** Calls an exported function of a module for each input, in as many threads as there are cores; answers stand in the order of the inputs. */
export async function runEach<Input, Output>(module: URL, name: string, inputs: readonly Input[]): Promise<Output[]> {
  const pool = new Piscina({ filename: module.href, maxThreads: availableParallelism() })
  try {
    return await Promise.all(inputs.map((input) => pool.run(input, { name }) as Promise<Output>))
  } finally {
    await pool.destroy()
  }
}
