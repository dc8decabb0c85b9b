import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { fileFault } from '../../domain/words.ts'
import { CliError } from '../errors.ts'
import type { Screen, Shell } from '../shell.ts'

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

/**
 * Opens the target before any call is paid for. A file is readable by its owner alone. Throws `CliError` for a missing folder, and for an existing
 * file where `force` is false.
 */
export async function openOutput(shell: Shell, file: string | undefined, force = true): Promise<OutputTarget> {
  return file === undefined || file === '-' ? toScreen(shell.out) : await toFile(file, force)
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

async function toFile(file: string, force: boolean): Promise<OutputTarget> {
  const refuse = (error: unknown): never => {
    throw error instanceof CliError ? error : new CliError(`${file} cannot be written: ${fileFault(error)}`, [ADVICE])
  }
  const partial = await partialOf(file, force)
  if (partial !== file) await rm(partial, { force: true }).catch(refuse)
  const stream = createWriteStream(partial, { mode: 0o600, flags: partial === file ? 'w' : 'wx' })
  await once(stream, 'open').catch(refuse)
  let fault: unknown = null
  stream.on('error', (error) => {
    fault = error
  })
  let open = true
  return {
    screen: stream,
    async write(text) {
      if (fault !== null) refuse(fault)
      if (!stream.write(text)) await once(stream, 'drain').catch(refuse)
    },
    async commit() {
      stream.end()
      await finished(stream).catch(refuse)
      if (partial !== file)
        await partialOf(file, force)
          .then(() => rename(partial, file), refuse)
          .catch(refuse)
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

const ADVICE = 'Give --out a file in a folder that exists.'

/** Returns the name of an unfinished file. Devices and pipes are written directly. Throws for a folder, and for an existing file without `force`. */
async function partialOf(file: string, force: boolean): Promise<string> {
  const stats = await stat(file).catch(() => null)
  if (stats?.isDirectory() || file.endsWith('/'))
    throw new CliError(`${file} cannot be written: it is a folder`, ['Give --out a file in this folder.'])
  if (stats?.isFile() && !force)
    throw new CliError(`${file} is there already, and is not overwritten`, [
      'Give --out another name, or --force to replace the file.',
    ])
  return stats === null || stats.isFile() ? `${file}.partial` : file
}

/** Maps values in their order, with `atOnce` calls of `work` under way. */
export const inOrder = <T, R>(
  values: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  work: (value: T) => Promise<R>,
): AsyncIterable<R> => Readable.from(values).map(work, { concurrency: atOnce })
