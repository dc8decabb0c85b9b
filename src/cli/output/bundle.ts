import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ServiceError } from '../../client/errors.ts'
import { count, fileFault } from '../../domain/words.ts'
import { VERSION } from '../../grading/software.ts'
import type { Batch } from '../../schemas/batch.ts'
import { CliError } from '../errors.ts'
import { claimColumns, isEnded } from '../follow.ts'
import type { Session } from '../session.ts'
import { jsonText, withReplies } from './grade-text.ts'
import { inOrder, type OutputTarget, openOutput } from './output-target.ts'
import { csvRows } from './results-format.ts'
import { line } from './text.ts'

type Bundle = Awaited<ReturnType<typeof createBundle>>

/** Writes the bundle of a batch (`results --help`). Throws a CliError for a batch that has not ended, and for a folder that exists. */
export async function writeBundle(session: Session, batch: Batch, folder: string): Promise<void> {
  if (!isEnded(batch))
    throw new CliError(`${batch.id} has not ended (${batch.status}): a bundle holds all of its items`, [
      `Follow it to its end: veridict status ${batch.id}${session.flag} --follow`,
    ])
  const bundle = await createBundle(session, folder)
  try {
    await bundle.write('batch.json', jsonText(batch))
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

async function writeTables(session: Session, batch: Batch, bundle: Bundle) {
  const grades = new Set<string>()
  const rubrics = new Set<string>()
  const csv = csvRows(await claimColumns(session, batch.id))
  await bundle.write('results.csv', csv.head())
  for await (const result of session.veridict.results(batch.id, session)) {
    if (result.grade_id !== null) grades.add(result.grade_id)
    if (result.rubric != null) rubrics.add(result.rubric)
    await bundle.write('results.ndjson', line(result))
    await bundle.write('results.csv', csv.row(result))
  }
  return { grades, rubrics }
}

const AT_ONCE = 8

/** Writes each grade with its receipt and raw replies. Returns the ids of their calls, and the digests of their rubrics by name. */
async function writeGrades({ veridict, signal, view }: Session, grades: ReadonlySet<string>, bundle: Bundle) {
  const calls = new Set<string>()
  const digests = new Map<string, string>()
  let written = 0
  const read = (id: string) => Promise.all([veridict.readGrade(id, { signal }), veridict.calls(id, { signal })])
  for await (const [grade, entries] of inOrder(grades, AT_ONCE, read)) {
    await bundle.write('grades.ndjson', line(withReplies(grade, entries)))
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
  await bundle.write(`rubrics/${rubric.name.replaceAll(/[^\w@.-]/g, '_')}.json`, jsonText(rubric))
}

/** Creates a folder that takes its name when it is whole. An existing folder is never touched. */
async function createBundle({ shell }: Session, folder: string) {
  const path = resolve(folder)
  const partial = join(dirname(path), `.${basename(path)}.partial-${process.pid}`)
  const files = new Map<string, OutputTarget>()
  const refuseExisting = async () => {
    if ((await lstat(path).catch(() => null)) === null) return
    throw new CliError(`${path} is there already, and is not overwritten`, ['Give --out another folder.'])
  }
  const write = async (name: string, text: string): Promise<void> => {
    const at = join(partial, name)
    if (!files.has(name)) await mkdir(dirname(at), { recursive: true })
    const file = files.get(name) ?? (await openOutput(shell, at))
    files.set(name, file)
    await file.write(text)
  }
  const close = async () => {
    for (const file of files.values()) await file.commit()
  }
  await refuseExisting()
  await mkdir(partial, { mode: 0o700 }).catch((error: unknown) => {
    throw new CliError(`${path} cannot be written: ${fileFault(error)}`, [
      'Give --out a new folder inside one that exists.',
    ])
  })
  return {
    write,
    /** Writes the manifest, with the digests of all files before it, and gives the folder its name. */
    async commit(head: Readonly<Record<string, string>>): Promise<void> {
      await close()
      const listed = await Promise.all([...files.keys()].sort().map((name) => describeFile(partial, name)))
      await write('manifest.json', jsonText({ ...head, files: listed }))
      await close()
      await refuseExisting()
      await rename(partial, path)
    },
    async discard(): Promise<void> {
      for (const file of files.values()) await file.discard()
      await rm(partial, { recursive: true, force: true })
    },
  }
}

async function describeFile(folder: string, name: string) {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { name, bytes, sha256: hash.digest('hex') }
}
