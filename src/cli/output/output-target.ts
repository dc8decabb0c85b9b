import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { CliError } from '../client/cli-error.ts'
import type { Screen, Shell } from '../client/shell.ts'

/** Where results go: stdout, or a file that has its name only once it is whole. */
export interface OutputTarget {
  readonly screen: Screen
  /** What is written is not seen before it is kept. */
  readonly isHidden: boolean
  /** Resolves once more may be written: what reads slowly is waited for. */
  write(text: string): Promise<void>
  /** Keeps what was written. */
  commit(): Promise<void>
  /** Forgets what was written; nothing where it was committed. */
  discard(): Promise<void>
}

/** Opens the target at once: a folder that is not there is told before anything is paid for. */
export async function openOutput(shell: Shell, file: string | undefined): Promise<OutputTarget> {
  return file === undefined || file === '-' ? toScreen(shell.out) : await toFile(file)
}

function toScreen(screen: Screen): OutputTarget {
  return {
    screen,
    isHidden: false,
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
    isHidden: partial !== file,
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

/** Where a file is written until it is whole; a device or a pipe is written to as it comes. */
async function partialOf(file: string): Promise<string> {
  const known = await stat(file).catch(() => null)
  if (known?.isDirectory() || file.endsWith('/'))
    throw new CliError(`${file} cannot be written: it is a folder`, ['Give --out a file in it.'])
  return known === null || known.isFile() ? `${file}.partial` : file
}
