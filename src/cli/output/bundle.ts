import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ServiceError } from '../../client/errors.ts'
import { waitsForYou } from '../../client/persist.ts'
import { count, fileFault } from '../../domain/words.ts'
import { VERSION } from '../../grading/software.ts'
import type { Batch, BatchResult } from '../../schemas/batch.ts'
import { CliError } from '../errors.ts'
import { claimColumns } from '../follow.ts'
import type { Session } from '../session.ts'
import { fullGrade } from './grade-text.ts'
import { inOrder, type OutputTarget } from './output-target.ts'
import { writeResults } from './results-format.ts'
import { line } from './text.ts'

type Bundle = Awaited<ReturnType<typeof createBundle>>

/**
 * Writes the bundle of an ended batch: results, table, grades with whole receipts and raw replies, other calls, rubrics, and a manifest
 * with the digest of each file. Throws a CliError for a batch that has not ended, and for a folder that exists.
 */
export async function writeBundle(session: Session, batch: Batch, folder: string): Promise<void> {
  requireEnded(session, batch)
  const bundle = await createBundle(folder)
  try {
    await bundle.write('batch.json', pretty(batch))
    const { grades, rubrics } = await writeTables(session, batch, bundle)
    const { calls, digests } = await writeGrades(session, grades, bundle)
    for await (const call of session.veridict.batchCalls(batch.id, session))
      if (!calls.has(call.id)) await bundle.write('other-calls.ndjson', line(call))
    for (const rubric of new Set([...rubrics, ...digests.keys()]))
      await writeRubric(session, rubric, digests.get(rubric), bundle)
    await bundle.commit({ kind: 'veridict-bundle', software: `veridict ${VERSION}`, batch: batch.id })
  } finally {
    await bundle.discard()
  }
}

function requireEnded({ local, flag }: Session, batch: Batch): void {
  const { id, status } = batch
  if (status === 'done' || status === 'cancelled') return
  const named = `${id}${flag}`
  throw new CliError(`${id} has not ended (${status}): a bundle holds all of its items`, [
    local !== null || waitsForYou(batch)
      ? `Resume the batch: veridict resume ${named}`
      : `Follow it to its end: veridict status ${named} --follow`,
    `Or end the batch now: veridict cancel ${named}`,
  ])
}

/** Writes the results as NDJSON and as CSV. Returns the ids of their grades, each once, and the names of their rubrics. */
async function writeTables(session: Session, batch: Batch, bundle: Bundle) {
  const { veridict, shell, skipped } = session
  const grades = new Set<string>()
  const rubrics = new Set<string>()
  async function* read(): AsyncGenerator<BatchResult> {
    for await (const result of veridict.results(batch.id, session)) {
      if (result.grade_id !== null) grades.add(result.grade_id)
      if (result.rubric != null) rubrics.add(result.rubric)
      yield result
    }
  }
  const plain = (_style: unknown, text: string) => text
  for (const format of ['ndjson', 'csv'] as const) {
    const target: Pick<OutputTarget, 'screen' | 'write'> = {
      screen: shell.out,
      write: (text) => bundle.write(`results.${format}`, text),
    }
    await writeResults(target, format, read(), batch, plain, await claimColumns(session, format, batch.id), skipped)
  }
  return { grades, rubrics }
}

/** Grades that are read at once. */
const AT_ONCE = 8

/** Writes each grade with its receipt and raw replies. Returns the ids of their calls, and the digests of their rubrics by name. */
async function writeGrades({ veridict, signal, view }: Session, grades: ReadonlySet<string>, bundle: Bundle) {
  const calls = new Set<string>()
  const digests = new Map<string, string>()
  let written = 0
  const read = (id: string) => Promise.all([veridict.readGrade(id, { signal }), veridict.calls(id, { signal })])
  for await (const [grade, entries] of inOrder(grades, AT_ONCE, read)) {
    await bundle.write('grades.ndjson', line(fullGrade(grade, entries)))
    for (const attempt of grade.receipt.attempts) calls.add(attempt.id)
    digests.set(grade.receipt.rubric, grade.receipt.rubric_digest)
    written += 1
    view.doing(`${written} of ${count(grades.size, 'grade')}`)
  }
  return { calls, digests }
}

/** Writes a rubric as it is loaded now; a rubric that differs from the digest of the grades is left out. */
async function writeRubric({ veridict, signal }: Session, name: string, digest: string | undefined, bundle: Bundle) {
  const rubric = await veridict.readRubric(name, { signal }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return null
    throw error
  })
  if (rubric === null || (digest !== undefined && rubric.digest !== digest)) return
  await bundle.write(`rubrics/${rubric.name.replaceAll(/[^\w@.-]/g, '_')}.json`, pretty(rubric))
}

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

interface OpenFile {
  readonly handle: FileHandle
  readonly hash: Hash
  bytes: number
}

/** Creates a folder that takes its name when it is whole. An existing folder is never touched. */
async function createBundle(folder: string) {
  const path = resolve(folder)
  const partial = join(dirname(path), `.${basename(path)}.partial-${process.pid}`)
  const files = new Map<string, OpenFile>()
  await refuseExisting(path)
  await writing(path, () => mkdir(partial, { mode: 0o700 }))

  async function openFile(name: string): Promise<OpenFile> {
    await mkdir(dirname(join(partial, name)), { recursive: true })
    const file = { handle: await open(join(partial, name), 'wx'), hash: createHash('sha256'), bytes: 0 }
    files.set(name, file)
    return file
  }

  const write = (name: string, text: string): Promise<void> =>
    writing(path, async () => {
      const file = files.get(name) ?? (await openFile(name))
      file.hash.update(text)
      file.bytes += Buffer.byteLength(text)
      await file.handle.appendFile(text)
    })

  return {
    write,
    /** Writes the manifest, with the digests of all files before it, and gives the folder its name. */
    async commit(head: Readonly<Record<string, string>>): Promise<void> {
      const written = [...files].sort(([a], [b]) => (a < b ? -1 : 1))
      const listed = written.map(([name, { hash, bytes }]) => ({ name, bytes, sha256: hash.digest('hex') }))
      await write('manifest.json', pretty({ ...head, files: listed }))
      // A full disk may show at the close alone.
      for (const { handle } of files.values()) await writing(path, () => handle.close())
      await refuseExisting(path)
      await writing(path, () => rename(partial, path))
    },
    /** Removes an unfinished folder. */
    async discard(): Promise<void> {
      for (const { handle } of files.values()) await handle.close().catch(() => undefined)
      await rm(partial, { recursive: true, force: true })
    },
  }
}

async function refuseExisting(path: string): Promise<void> {
  if ((await lstat(path).catch(() => null)) === null) return
  throw new CliError(`${path} is there already, and is not overwritten`, ['Give --out another folder.'])
}

const writing = <T>(path: string, write: () => Promise<T>): Promise<T> =>
  write().catch((error: unknown) => {
    throw new CliError(`${path} cannot be written: ${fileFault(error)}`, [
      'Give --out a new folder inside one that exists.',
    ])
  })
