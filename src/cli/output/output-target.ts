import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { CliError } from '../client/errors.ts'
import type { Screen, Shell } from '../client/shell.ts'

/** The target of results: stdout, or a file that takes its name when it is whole. */
export interface OutputTarget {
  readonly screen: Screen
  /** Writes text, and waits for a slow reader. */
  write(text: string): Promise<void>
  /** Keeps the output. */
  commit(): Promise<void>
  /** Discards uncommitted output. */
  discard(): Promise<void>
}

/** Opens the target before any call is paid for. Throws `CliError` for a missing folder. */
export async function openOutput(shell: Shell, file: string | undefined): Promise<OutputTarget> {
  return file === undefined || file === '-' ? toScreen(shell.out) : await toFile(file)
}

function toScreen(screen: Screen): OutputTarget {
  return {
    screen,
    async write(text) {
      if (!screen.write(text)) await once(screen, 'drain')
    },
    async commit() {},
    async discard() {},
  }
}

async function toFile(file: string): Promise<OutputTarget> {
  const refused = (error: unknown) =>
    new CliError(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`, [
      'Give --out a file in a folder that exists.',
    ])
  const partial = await partialOf(file)
  if (partial !== file) await rm(partial, { force: true }).catch((error: unknown) => Promise.reject(refused(error)))
  const stream = createWriteStream(partial)
  await once(stream, 'open').catch((error: unknown) => Promise.reject(refused(error)))
  let fault: unknown = null
  stream.on('error', (error) => {
    fault = error
  })
  let open = true
  return {
    screen: stream,
    async write(text) {
      if (fault !== null) throw refused(fault)
      if (!stream.write(text)) await once(stream, 'drain').catch((error: unknown) => Promise.reject(refused(error)))
    },
    async commit() {
      stream.end()
      await finished(stream).catch((error: unknown) => Promise.reject(refused(error)))
      if (partial !== file) await rename(partial, file).catch((error: unknown) => Promise.reject(refused(error)))
      open = false
    },
    async discard() {
      if (!open) return
      open = false
      stream.destroy()
      if (partial !== file) await rm(partial, { force: true })
    },
  }
}

/** Returns the name of an unfinished file. Devices and pipes are written directly. */
async function partialOf(file: string): Promise<string> {
  const stats = await stat(file).catch(() => null)
  if (stats?.isDirectory() || file.endsWith('/'))
    throw new CliError(`${file} cannot be written: it is a folder`, ['Give --out a file in this folder.'])
  return stats === null || stats.isFile() ? `${file}.partial` : file
}

/** Maps values in their order, with `atOnce` calls of `work` under way. */
export const inOrder = <T, R>(
  values: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  work: (value: T) => Promise<R>,
): AsyncIterable<R> => Readable.from(values).map(work, { concurrency: atOnce })
