import { createHash } from 'node:crypto'
import { lstat, mkdir, mkdtemp, open, opendir, rm, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { fileFault } from '../../domain/words.ts'
import type { ArchiveLimits } from './limits.ts'
import { ArchivePlaces, parseEntryName } from './names.ts'

/** Ends the reading of an archive; the message names the exceeded limit. */
export class ArchiveRefusal extends Error {}

/** Counts of unpacked entries and bytes of one requested path, nested archives included. */
export interface Unpacked {
  entries: number
  bytes: number
}

interface RefusedEntry {
  /** The name in the archive. */
  readonly name: string
  readonly detail: string
}

export interface SpoolOptions {
  /** An empty folder of Veridict's own. */
  readonly folder: string
  readonly unpacked: Unpacked
  readonly limits: ArchiveLimits
  readonly abort: AbortSignal | undefined
  /** Called regularly while entries arrive. */
  onProgress(): void
}

const ENTRIES_A_WORD = 100

/** Writes the entries of an archive into a private folder. An unsafe entry is refused; a limit that is passed ends the reading. */
export class Spool {
  readonly refused: RefusedEntry[] = []
  readonly #packed: number
  readonly #options: SpoolOptions
  readonly #places = new ArchivePlaces()
  /** Entries and bytes of this archive so far. */
  entries = 0
  bytes = 0
  #refusals = 0

  /** `packed` is the archive's size in bytes. */
  constructor(packed: number, options: SpoolOptions) {
    this.#packed = packed
    this.#options = options
  }

  /** Count of refused entries beyond the reported ones. */
  get untold(): number {
    return this.#refusals - this.refused.length
  }

  refuse(name: string, detail: string): null {
    this.#refusals++
    if (this.refused.length < this.#options.limits.max_refusals)
      this.refused.push({ name: name.slice(0, 1000), detail })
    return null
  }

  /** Counts bytes before they are written. */
  count(bytes: number): void {
    this.#options.abort?.throwIfAborted()
    const { max_archive_bytes, max_ratio, ratio_free_bytes } = this.#options.limits
    this.bytes += bytes
    this.#options.unpacked.bytes += bytes
    if (this.#options.unpacked.bytes > max_archive_bytes)
      throw new ArchiveRefusal(`more than ${max_archive_bytes} bytes when unpacked`)
    if (this.bytes > ratio_free_bytes && this.bytes > max_ratio * this.#packed)
      throw new ArchiveRefusal(`more than ${max_ratio} bytes unpacked for each of its ${this.#packed} packed ones`)
  }

  countEntry(): void {
    this.#options.abort?.throwIfAborted()
    this.#options.unpacked.entries++
    if (++this.entries % ENTRIES_A_WORD === 0) this.#options.onProgress()
    this.#checkEntries()
  }

  /** Checks the limit of entries, which counts folders that are only named on the way, because they are made, too. */
  #checkEntries(): void {
    const { max_entries } = this.#options.limits
    if (this.#options.unpacked.entries > max_entries || this.#places.size > max_entries)
      throw new ArchiveRefusal(`more than ${max_entries} entries`)
  }

  async addFolder(name: string): Promise<void> {
    const path = await this.#place(name, 'folder')
    if (path !== null) await mkdir(path, { recursive: true, mode: 0o700 })
  }

  /** Writes a file with the time of its last change, where that is known; the content of a refused file is skipped. Returns false for a refused file. */
  async addFile(name: string, content: AsyncIterable<Uint8Array>, changed: Date | null = null): Promise<boolean> {
    const { max_entry_bytes: most } = this.#options.limits
    const path = await this.#place(name, 'file')
    const refuse = (error: unknown) => this.refuse(name, `cannot be unpacked here: ${fileFault(error)}`)
    const kept = path === null ? null : await open(path, 'wx', 0o600).catch(refuse)
    let size = 0
    let over = false
    try {
      for await (const chunk of content) {
        size += chunk.length
        over ||= size > most
        if (kept !== null && !over) await kept.writeFile(chunk)
      }
    } finally {
      await kept?.close()
    }
    if (over && path !== null && kept !== null) {
      await rm(path, { force: true })
      this.refuse(name, `has ${size} bytes, more than the ${most} that an entry may have`)
    } else if (path !== null && kept !== null && changed !== null)
      await utimes(path, changed, changed).catch(() => null)
    return kept !== null && !over
  }

  async #place(name: string, kind: 'file' | 'folder'): Promise<string | null> {
    const names = parseEntryName(name, this.#options.limits)
    if (!names.ok) return this.refuse(name, names.error)
    const against = this.#places.take(names.value, kind)
    this.#checkEntries()
    if (against !== null) return this.refuse(name, against)
    if (names.value.length === 0) return kind === 'file' ? this.refuse(name, 'has no name') : null
    const path = join(this.#options.folder, ...names.value)
    const fault = await mkdir(dirname(path), { recursive: true, mode: 0o700 }).then(() => null, fileFault)
    return fault === null ? path : this.refuse(name, `cannot be unpacked here: ${fault}`)
  }
}

/** Names the host: two containers may share a temporary folder, and neither sees the processes of the other. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
const NAME = new RegExp(`^veridict-([1-9][0-9]{0,9})-${HOST}-[A-Za-z0-9]{6}$`)

/** Makes a new folder that only this user can enter, named after this process. */
export const makeTempFolder = (parent: string): Promise<string> =>
  mkdtemp(join(parent, `veridict-${process.pid}-${HOST}-`))

/** Removes folders that killed processes of this machine and user left behind. A folder that cannot be removed stays. */
export async function removeLeftovers(parent: string): Promise<void> {
  const names: string[] = []
  try {
    for await (const { name } of await opendir(parent)) {
      const pid = Number(NAME.exec(name)?.[1])
      if (Number.isInteger(pid) && pid !== process.pid && isDead(pid)) names.push(name)
    }
  } catch {
    return
  }
  for (const name of names) {
    const path = join(parent, name)
    const stats = await lstat(path).catch(() => null)
    const isOwn = process.getuid === undefined || stats?.uid === process.getuid()
    if (stats?.isDirectory() === true && isOwn) await rm(path, { recursive: true, force: true }).catch(() => null)
  }
}

function isDead(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
