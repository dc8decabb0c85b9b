import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { crc32, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { type Header, pack } from 'tar-stream'
import { expect, onTestFinished } from 'vitest'
import { type ReadTrialsOptions, readTrials } from '../../src/archives/trials/read-trials.ts'
import type { TrialItem } from '../../src/archives/trials/reading-job.ts'
import { type GroundTruths, parseGroundTruths } from '../../src/archives/truth/ground-truths.ts'
import { parseSignalSource, type SignalSource } from '../../src/archives/truth/signals.ts'

export const CORPUS = resolve(import.meta.dirname, '../../../shared/trajectories')
export const hasCorpus = existsSync(CORPUS)
if (!hasCorpus) console.warn(`skipped: the real files are not at ${CORPUS}`)

/** Creates a temporary folder for one test and removes it at the end of the test. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'veridict-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Maps paths to contents; a content that is neither text nor bytes is written as JSON. */
export type Files = Readonly<Record<string, unknown>>

const contentOf = (content: unknown): Buffer =>
  Buffer.isBuffer(content) ? content : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))

export async function writeFiles(folder: string, files: Files): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), contentOf(content))
  }
  return folder
}

export type TarEntry = Partial<Header> & { readonly name: string; readonly content?: unknown }

export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const packed = pack()
  const whole = buffer(packed)
  for (const { content, ...header } of entries)
    await new Promise<void>((done, fail) => {
      const next = (error?: Error | null) => (error ? fail(error) : done())
      if (content === undefined && header.type !== undefined && header.type !== 'file') packed.entry(header, next)
      else packed.entry({ mtime: new Date(0), ...header }, contentOf(content ?? ''), next)
    })
  packed.finalize()
  return whole
}

export interface ZipEntry {
  readonly name: string
  readonly content?: unknown
  readonly method?: 0 | 8 | 93 | 12
  /** Unix mode with the file type: 0o120777 is a symbolic link. */
  readonly mode?: number
  readonly flags?: number
  /** Size that the zip declares in place of the true size, in bytes. */
  readonly size?: number
  /** Time of the last change, written with its zone (extended timestamp). */
  readonly changed?: Date
}

/** Writes a zip by hand, because no sound library writes the faults of a hostile archive. */
export function zipOf(entries: readonly ZipEntry[], count = entries.length): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, content = '', method = 8, mode = 0o100644, flags = 0, size, changed } of entries) {
    const data = contentOf(content)
    const packed = method === 8 ? deflateRawSync(data) : method === 93 ? zstdCompressSync(data) : data
    const path = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags | 0x800, 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size ?? data.length, 18)
    common.writeUInt16LE(path.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, path, packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((mode << 16) >>> 0, 6)
    rest.writeUInt32LE(offset, 10)
    const stamp = Buffer.from([0x55, 0x54, 5, 0, 1, 0, 0, 0, 0])
    stamp.writeUInt32LE(Math.floor((changed?.getTime() ?? 0) / 1000), 5)
    const extra = changed === undefined ? Buffer.alloc(0) : stamp
    const own = Buffer.from(common)
    own.writeUInt16LE(extra.length, 24)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), own, rest, path, extra]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  return Buffer.concat([...locals, directory, ...endOf(count, directory.length, offset)])
}

function endOf(count: number, bytes: number, offset: number): Buffer[] {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(Math.min(count, 0xffff), 8)
  end.writeUInt16LE(Math.min(count, 0xffff), 10)
  end.writeUInt32LE(bytes, 12)
  end.writeUInt32LE(offset, 16)
  if (count <= 0xffff) return [end]
  const end64 = Buffer.alloc(56)
  end64.write('PK\x06\x06', 'latin1')
  end64.writeBigUInt64LE(44n, 4)
  end64.writeBigUInt64LE(BigInt(count), 24)
  end64.writeBigUInt64LE(BigInt(count), 32)
  end64.writeBigUInt64LE(BigInt(bytes), 40)
  end64.writeBigUInt64LE(BigInt(offset), 48)
  const locator = Buffer.alloc(20)
  locator.write('PK\x06\x07', 'latin1')
  locator.writeBigUInt64LE(BigInt(offset + bytes), 8)
  locator.writeUInt32LE(1, 16)
  return [end64, locator, end]
}

/** Packs the files of a folder in every archive format that the reader supports. */
export async function packings(
  files: Files,
): Promise<Record<'tar' | 'tar.gz' | 'tar.zst' | 'zip' | 'zstd.zip', Buffer>> {
  const tar = await tarOf(Object.entries(files).map(([name, content]) => ({ name, content })))
  const entries = Object.entries(files).map(([name, content]) => ({ name, content }))
  return {
    tar,
    'tar.gz': gzipSync(tar),
    'tar.zst': zstdCompressSync(tar),
    zip: zipOf(entries),
    'zstd.zip': zipOf(entries.map((entry) => ({ ...entry, method: 93 as const }))),
  }
}

export async function filesBelow(folder: string): Promise<Record<string, Buffer>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files: Record<string, Buffer> = {}
  for (const entry of names) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) files[path.slice(folder.length + 1)] = await readFile(path)
  }
  return files
}

export const TRUTH = { instruction: 'Build the project.', cue: 'Build with: make release-7f3a' }

export function truths(text: unknown): GroundTruths {
  const parsed = parseGroundTruths(typeof text === 'string' ? text : JSON.stringify(text), 'truths')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  return parsed.value
}

export const FOR_ALL = truths(TRUTH)

export async function readAll(
  paths: string | readonly string[],
  options: ReadTrialsOptions = {},
): Promise<TrialItem[]> {
  const items: TrialItem[] = []
  const list = typeof paths === 'string' ? [paths] : paths
  for await (const item of readTrials(list, { groundTruths: FOR_ALL, ...options })) items.push(item)
  return items
}

/** Lists items as `name` for a trial that can be graded and `name: reason` for an item that cannot. */
export const outline = (items: readonly TrialItem[]): string[] =>
  items.map((item) => (item.kind === 'trial' ? item.name : `${item.name}: ${item.reason}`))

/** Returns the only item of a reading; throws where the reading has another count of items or the item is no trial. */
export function onlyTrial(items: readonly TrialItem[]): TrialItem & { kind: 'trial' } {
  const [item] = items
  if (items.length !== 1 || item?.kind !== 'trial')
    throw new Error(`not one trial: ${JSON.stringify(items).slice(0, 2000)}`)
  return item
}

export const detailsOf = (items: readonly TrialItem[]): string[] =>
  items.flatMap((item) => (item.kind === 'skipped' ? [item.detail] : []))

/** Makes a small ATIF document whose agent message is `text`. */
export const atif = (text = 'done', more: object = {}): Record<string, unknown> => ({
  schema_version: 'ATIF-v1.7',
  agent: { name: 'terminus-2', version: '1', model_name: 'model-a' },
  steps: [
    { step_id: 1, source: 'user', message: 'Build the project.' },
    { step_id: 2, source: 'agent', message: text },
  ],
  ...more,
})

export const harborResult = (task: string, trial: string, more: object = {}): object => ({
  task_name: task,
  trial_name: trial,
  agent_info: { name: 'terminus-2', version: '1', model_info: { name: 'model-a', provider: 'openai' } },
  verifier_result: { rewards: { reward: 1 } },
  exception_info: null,
  started_at: '2026-11-20T10:00:00Z',
  ...more,
})

export const source = (text: string): SignalSource => {
  const parsed = parseSignalSource(text)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

export const GOOD = { name: 'good.json', content: atif() }

/** Reads one archive; whatever happens, nothing of it stays, and nothing of it stands beside its own folder. */
export async function readArchive(name: string, bytes: Buffer, limits = {}): Promise<TrialItem[]> {
  const folder = await writeFiles(await tempFolder(), { [name]: bytes })
  const temp = await tempFolder()
  const items = await readAll(join(folder, name), { tempFolder: temp, limits })
  expect([await readdir(temp), await readdir(folder)]).toEqual([[], [name]])
  return items
}

/** Makes the files of a Harbor trial, by path below the job. */
export const trial = (name: string, files: object = {}, result: object = {}) => {
  const own = { 'result.json': harborResult(`org/${name.split('__')[0]}`, name, result), ...files }
  return Object.fromEntries(Object.entries(own).map(([path, content]) => [`${name}/${path}`, content]))
}
export const RUN = { 'agent/trajectory.json': atif() }
