import { once } from 'node:events'
import { open, rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { CliError, unwritable } from '../errors.ts'
import type { Screen, Shell } from '../shell.ts'

/** The target of results: stdout, or a file that takes its name when it is whole. */
export interface OutputTarget {
  readonly screen: Pick<Screen, 'isTTY' | 'columns'>
  /** Writes text, and waits for a slow reader. */
  write(text: string): Promise<void>
  /** Keeps the output, unless it was discarded. */
  commit(): Promise<void>
  /** Discards uncommitted output. */
  discard(): Promise<void>
}

const BUFFER_CHARS = 65_536

/** Opens the target, readable by its owner alone, before any call is paid for. Throws `CliError` for a missing folder, and without `force` for an existing file. */
export async function openOutput(shell: Shell, file: string | undefined, force = false): Promise<OutputTarget> {
  if (file === undefined || file === '-') {
    const write = async (text: string) => void (shell.out.write(text) || (await once(shell.out, 'drain')))
    return { screen: shell.out, write, commit: async () => {}, discard: async () => {} }
  }
  const partial = await partialOf(file, force)
  const isRenamed = partial !== file
  const refusing = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw unwritable(file, error, ADVICE)
    })
  if (isRenamed) await refusing(rm(partial, { force: true }))
  const handle = await refusing(open(partial, isRenamed ? 'wx' : 'w', 0o600))
  let isOpen = true
  let buffer = ''
  const flush = async () => {
    const text = buffer
    buffer = ''
    await refusing(handle.appendFile(text))
  }
  return {
    screen: {},
    async write(text) {
      // A terminal on stdout gets colours, a file does not.
      buffer += stripVTControlCharacters(text)
      if (buffer.length > BUFFER_CHARS) await flush()
    },
    async commit() {
      if (!isOpen) return
      await flush()
      // A full disk may show at the close alone.
      await refusing(handle.close())
      if (isRenamed) await refusing(partialOf(file, force).then(() => rename(partial, file)))
      isOpen = false
    },
    async discard() {
      if (!isOpen) return
      isOpen = false
      await handle.close().catch(() => undefined)
      if (isRenamed) await rm(partial, { force: true })
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

/** Maps values in their order, with eight calls of `work` under way. */
export const inOrder = <T, R>(
  values: AsyncIterable<T> | Iterable<T>,
  work: (value: T) => Promise<R>,
): AsyncIterable<R> => Readable.from(values).map(work, { concurrency: 8 })
