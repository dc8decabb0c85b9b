import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { GroundTruths } from '../../archives/truth/ground-truths.ts'
import { fileFault } from '../../domain/file-fault.ts'
import type { GivenTruth } from '../../schemas/ground-truth.ts'

/** A run of a file. An Inspect log or a file of sessions can hold more runs than one. */
interface Run {
  readonly name: string
  readonly trajectory: unknown
  /** Parts of the file that were left out, or read with doubt. */
  readonly warnings: readonly string[]
}

type Read = { readonly runs: readonly Run[] } | { readonly fault: string }

const USE_BATCH = 'grade it with `veridict batch`, which takes folders, archives and files of requests'

/**
 * Reads the runs of a trajectory file. An ATIF document or a list of steps goes to the service unchanged, which names every issue with its
 * place; other formats are read as in `veridict batch`.
 */
export async function readGradeFile(file: string, truth: GivenTruth, rubric?: string): Promise<Read> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { fault: code === 'EISDIR' ? `is a folder: ${USE_BATCH}` : `cannot be read: ${fileFault(error)}` }
  }
  const document = parseJson(bytes)
  return isOneRun(document)
    ? { runs: [{ name: file, trajectory: document, warnings: [] }] }
    : readRuns(file, truth, rubric)
}

const isOneRun = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && ('steps' in document || 'schema_version' in document)

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

async function readRuns(file: string, truth: GivenTruth, rubric?: string): Promise<Read> {
  const { readTrials } = await import('../../archives/trials/read-trials.ts')
  let joined = false
  const groundTruths: GroundTruths = {
    source: '',
    tasks: [],
    trials: [],
    find() {
      joined = true
      return { truth, metadata: {}, by: 'all', name: '', variant: null, dropped: [] }
    },
    rowsOf: () => [truth],
  }
  const runs: Run[] = []
  for await (const item of readTrials([file], { groundTruths, ...(rubric !== undefined && { rubric }) })) {
    if (item.source.startsWith(`${file}!`)) return { fault: `is an archive: ${USE_BATCH}` }
    if (item.kind === 'skipped') return { fault: item.detail }
    // Grade requests bring their own ground truths.
    if (!joined) return { fault: `holds grade requests: ${USE_BATCH}` }
    // The name of a run is the name of the file and the name of the run inside the file.
    const run = item.name.slice(basename(resolve(file)).length)
    runs.push({ name: `${file}${run}`, trajectory: item.request.trajectory, warnings: item.warnings })
  }
  return runs.length > 0 ? { runs } : { fault: 'holds no trajectory' }
}
