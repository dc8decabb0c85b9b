import { createHash, type Hash, randomUUID } from 'node:crypto'
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { CliError } from '../client/cli-error.ts'

/** One file of the folder as it is in the end. */
export interface WrittenFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

interface OpenFile {
  readonly handle: FileHandle
  readonly hash: Hash
  bytes: number
}

/** A folder of files that has its name only once it is whole; one that is there already is never touched. */
export class AppendixFolder {
  private readonly path: string
  private readonly partial: string
  private readonly files = new Map<string, OpenFile>()

  private constructor(path: string, partial: string) {
    this.path = path
    this.partial = partial
  }

  static async create(given: string): Promise<AppendixFolder> {
    const path = resolve(given)
    await refuseExisting(path, given)
    const partial = join(dirname(path), `.${basename(path)}-partial-${randomUUID()}`)
    await writing(given, () => mkdir(partial))
    return new AppendixFolder(path, partial)
  }

  async write(name: string, text: string): Promise<void> {
    const file = this.files.get(name) ?? (await this.open(name))
    file.hash.update(text)
    file.bytes += Buffer.byteLength(text)
    await writing(this.path, () => file.handle.appendFile(text))
  }

  /** Of what was written so far, by name. */
  written(): WrittenFile[] {
    const files = [...this.files].map(([name, { bytes, hash }]) => ({ name, bytes, sha256: hash.copy().digest('hex') }))
    return files.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async commit(): Promise<void> {
    // A disk may only say now that it is full.
    for (const { handle } of this.files.values()) await writing(this.path, () => handle.close())
    await refuseExisting(this.path, this.path)
    await writing(this.path, () => rename(this.partial, this.path))
  }

  /** Forgets what was written; nothing where it was committed. */
  async discard(): Promise<void> {
    for (const { handle } of this.files.values()) await handle.close().catch(() => undefined)
    await rm(this.partial, { recursive: true, force: true })
  }

  private async open(name: string): Promise<OpenFile> {
    const file = join(this.partial, name)
    await writing(this.path, () => mkdir(dirname(file), { recursive: true }))
    const opened = { handle: await writing(this.path, () => open(file, 'wx')), hash: createHash('sha256'), bytes: 0 }
    this.files.set(name, opened)
    return opened
  }
}

async function refuseExisting(path: string, given: string): Promise<void> {
  if ((await lstat(path).catch(() => null)) === null) return
  throw new CliError(`${given} is there already, and is not overwritten`, [
    'Give --out another folder, or move this one away.',
  ])
}

async function writing<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new CliError(`${path} cannot be written: ${code}`, ['Give --out a new folder inside one that exists.'])
  }
}
