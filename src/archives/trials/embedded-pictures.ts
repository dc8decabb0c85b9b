import { MOST_PICTURE_CHARS } from '../../domain/trajectory/picture.ts'
import { MOST_PICTURES } from '../../domain/trajectory/shown-pictures.ts'
import { isRecord, type Json } from '../../formats/common/reading.ts'
import { shownName } from '../unpack/names.ts'
import { findFile, type Place, readBytes, relativeNames } from '../unpack/place.ts'

/** Base64 has four characters for three bytes. */
const MOST_FILE_BYTES = (MOST_PICTURE_CHARS / 4) * 3
/** Bounds the added characters of all pictures of a run, and those of the run with them: a service accepts bodies of 32 MiB. */
const MOST_CHARS = 16 * 1024 * 1024
const MOST_RUN_CHARS = 24 * 1024 * 1024
const MAX_WARNINGS = 5

interface WithPictures {
  readonly document: Record<string, unknown>
  readonly warnings: readonly string[]
}

/**
 * Embeds the pictures of an ATIF run that are files beside it (`source.path`, Harbor's `agent/images/…`) as `source.data`: they become part
 * of its digest, are stored with it, and reach the service. Only files in the run's own folder are read; no link is followed.
 *
 * @param bytes size of the run's own file
 */
export async function embedPictures(folder: Place, run: Record<string, unknown>, bytes: number): Promise<WithPictures> {
  const paths = new Set<string>()
  replaceSources(run, (source) => {
    const { path } = source
    if (isFileOfRun(source) && typeof path === 'string') paths.add(path)
    return source
  })
  if (paths.size === 0) return { document: run, warnings: [] }
  const { pictures, warnings } = await readPictures(folder, paths, Math.min(MOST_CHARS, MOST_RUN_CHARS - bytes))
  const document = replaceSources(run, (source) => {
    const data = isFileOfRun(source) ? pictures.get(String(source['path'])) : undefined
    return data === undefined ? source : { ...source, data }
  })
  return { document, warnings: summarized(warnings) }
}

const isFileOfRun = ({ path, data }: Json): boolean =>
  data === undefined && typeof path === 'string' && path !== '' && !path.slice(0, 40).includes(':')

async function readPictures(folder: Place, paths: ReadonlySet<string>, most: number) {
  const pictures = new Map<string, string>()
  const warnings: string[] = []
  let chars = 0
  for (const path of paths) {
    const read =
      pictures.size < MOST_PICTURES ? await readPicture(folder, path, most - chars) : `beyond ${MOST_PICTURES}`
    if (typeof read === 'string') warnings.push(`no judge is shown the picture ${shownName(path)}: ${read}`)
    else {
      pictures.set(path, read.data)
      chars += read.data.length
    }
  }
  return { pictures, warnings }
}

async function readPicture(folder: Place, path: string, room: number): Promise<{ readonly data: string } | string> {
  const names = path.length > 1000 ? null : relativeNames(path)
  if (names === null) return 'it is outside of the folder'
  const file = await findFile(folder, ...names)
  if (file === null) return 'it is not there'
  const read = await readBytes(file, MOST_FILE_BYTES)
  if (read.kind !== 'read') return read.detail
  const data = read.bytes.toString('base64')
  return data.length > room ? 'there is no more room in the run' : { data }
}

const summarized = (warnings: readonly string[]): string[] =>
  warnings.length <= MAX_WARNINGS
    ? [...warnings]
    : [...warnings.slice(0, MAX_WARNINGS), `no judge is shown ${warnings.length - MAX_WARNINGS} more pictures`]

type Change = (record: Json) => Json

/** Replaces the `source` of each picture of a run; unchanged values are not copied. */
function replaceSources<T extends Json>(run: T, replace: Change): T {
  const inPart: Change = (part) =>
    part['type'] === 'image' ? inField(part, 'source', (source) => (isRecord(source) ? replace(source) : source)) : part
  const inContent = (content: unknown) => inList(content, inPart)
  const inResult: Change = (result) => inField(result, 'content', inContent)
  const inObservation = (value: unknown) =>
    isRecord(value) ? inField(value, 'results', (results) => inList(results, inResult)) : value
  const inStep: Change = (step) => inField(inField(step, 'message', inContent), 'observation', inObservation)
  const inTrajectory = (trajectory: Json, depth: number): Json => {
    const own = inField(trajectory, 'steps', (steps) => inList(steps, inStep))
    if (depth === 0) return own
    return inField(own, 'subagent_trajectories', (list) => inList(list, (nested) => inTrajectory(nested, depth - 1)))
  }
  const inSegments = (list: unknown) => inList(list, (segment) => inTrajectory(segment, MAX_NESTING))
  const inFiles = (files: unknown) =>
    isRecord(files) ? Object.keys(files).reduce<Json>((all, name) => inField(all, name, inFile), files) : files
  const inFile = (file: unknown) => (isRecord(file) ? inTrajectory(file, MAX_NESTING) : file)
  return inField(inField(inTrajectory(run, MAX_NESTING), 'segments', inSegments), 'subagents', inFiles) as T
}

/** The nesting that `formats/atif/atif.ts` reads. */
const MAX_NESTING = 8

function inField(record: Json, field: string, change: (value: unknown) => unknown): Json {
  if (!Object.hasOwn(record, field)) return record
  const value = record[field]
  const changed = change(value)
  return changed === value ? record : { ...record, [field]: changed }
}

function inList(list: unknown, change: Change): unknown {
  if (!Array.isArray(list)) return list
  const changed = list.map((item: unknown) => (isRecord(item) ? change(item) : item))
  return changed.some((item, index) => item !== list[index]) ? changed : list
}
