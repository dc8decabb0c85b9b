import { createHash, type Hash } from 'node:crypto'
import { appendFile, lstat, mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ServiceError } from '../../client/errors.ts'
import { count } from '../../domain/words.ts'
import { VERSION } from '../../grading/software.ts'
import type { Batch } from '../../schemas/batch.ts'
import { CliError, unwritable } from '../errors.ts'
import { claimColumns, isEnded } from '../follow.ts'
import type { Session } from '../session.ts'
import { withReplies } from './grade-text.ts'
import { inOrder } from './output-target.ts'
import { csvRows } from './results-format.ts'
import { jsonText, line } from './text.ts'

type Write = (name: string, text: string) => Promise<void>

/** Writes the bundle of a batch (`results --help`). Throws a CliError for a batch that has not ended, and for a folder that exists. */
export async function writeBundle(session: Session, batch: Batch, folder: string): Promise<void> {
  if (!isEnded(batch))
    throw new CliError(`${batch.id} has not ended (${batch.status}): a bundle holds all of its items`, [
      `Follow it to its end: veridict status ${batch.id}${session.flag} --follow`,
    ])
  const { veridict, signal, view } = session
  const grades = new Set<string>()
  const calls = new Set<string>()
  /** The digests of rubrics in grades, by name; null: no grade is of the rubric. */
  const rubrics = new Map<string, string | null>()
  const readGrade = (id: string) => Promise.all([veridict.readGrade(id, { signal }), veridict.calls(id, { signal })])
  const head = { kind: 'veridict-bundle', software: `veridict ${VERSION}`, batch: batch.id }
  await createFolder(folder, head, async (write) => {
    await write('batch.json', jsonText(batch))
    const csv = csvRows(await claimColumns(session, batch.id))
    await write('results.csv', csv.head())
    for await (const result of veridict.results(batch.id, { signal })) {
      if (result.grade_id !== null) grades.add(result.grade_id)
      if (result.rubric != null) rubrics.set(result.rubric, null)
      await write('results.ndjson', line(result))
      await write('results.csv', csv.row(result))
    }
    await write('findings.json', jsonText(await veridict.findings(batch.id)))
    let written = 0
    for await (const [grade, entries] of inOrder(grades, readGrade)) {
      const { attempts, rubric, rubric_digest } = grade.receipt
      await write('grades.ndjson', line(withReplies(grade, entries)))
      for (const { id } of attempts) calls.add(id)
      rubrics.set(rubric, rubric_digest)
      view.doing(`${++written} of ${count(grades.size, 'grade')}`)
    }
    for await (const call of veridict.batchCalls(batch.id, { signal }))
      if (!calls.has(call.id)) await write('other-calls.ndjson', line(call))
    for (const [rubric, digest] of rubrics) await writeRubric(session, rubric, digest, write)
  })
}

/** Writes a rubric as it is loaded now; a rubric that differs from the digest of the grades is left out. */
async function writeRubric({ veridict, signal }: Session, name: string, digest: string | null, write: Write) {
  const rubric = await veridict.readRubric(name, { signal }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return null
    throw error
  })
  if (rubric === null || (digest !== null && rubric.digest !== digest)) return
  await write(`rubrics/${rubric.name.replaceAll(/[^\w@.-]/g, '_')}.json`, jsonText(rubric))
}

/** Creates a folder, readable by its owner alone, that takes its name when its files and their manifest are whole. An existing folder is never touched. */
async function createFolder(folder: string, head: object, work: (write: Write) => Promise<void>): Promise<void> {
  const path = resolve(folder)
  const partial = join(dirname(path), `.${basename(path)}.partial-${crypto.randomUUID()}`)
  const files = new Map<string, { bytes: number; readonly hash: Hash }>()
  const write: Write = async (name, text) => {
    const file = files.get(name) ?? { bytes: 0, hash: createHash('sha256') }
    files.set(name, file)
    file.bytes += Buffer.byteLength(text)
    file.hash.update(text)
    await appendFile(join(partial, name), text, { mode: 0o600 })
  }
  const refuseExisting = async () => {
    if ((await lstat(path).catch(() => null)) !== null)
      throw new CliError(`${path} is there already, and is not overwritten`, ['Give --out another folder.'])
  }
  await refuseExisting()
  try {
    await mkdir(partial, { mode: 0o700 })
    await mkdir(join(partial, 'rubrics'))
    await work(write)
    const listed = [...files].map(([name, { bytes, hash }]) => ({ name, bytes, sha256: hash.digest('hex') }))
    await write('manifest.json', jsonText({ ...head, files: listed.sort((a, b) => (a.name < b.name ? -1 : 1)) }))
    await refuseExisting()
    await rename(partial, path)
  } catch (error) {
    throw unwritable(path, error, 'Give --out a new folder inside one that exists.')
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}
