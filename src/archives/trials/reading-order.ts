import { parseJson } from '../../domain/text/exact-json.ts'
import { isRecord } from '../../formats/common/reading.ts'
import type { ArchiveLimits } from '../unpack/limits.ts'
import { type Listed, type Place, readBytes, relativeNames, within } from '../unpack/place.ts'
import { decodeText } from '../unpack/text.ts'
import { isPartOfRun, namedFiles } from './joined-files.ts'

const MARKS = ['"continued_trajectory_ref"', '"trajectory_path"']

/**
 * Orders the names of a folder for reading: a run comes before the files that it names, so that its parts are known by then. All others
 * keep their order.
 */
export async function readingOrder(
  folder: Place,
  listed: readonly Listed[],
  limits: ArchiveLimits,
): Promise<readonly Listed[]> {
  const files = listed.filter(({ name, kind }) => kind === 'file' && name.endsWith('.json') && !name.startsWith('.'))
  const refs = new Map<string, readonly string[]>()
  if (listed.length > 1)
    for (const { name } of files) {
      const named = await namedIn(within(folder, name), limits.max_file_bytes)
      if (named.length > 0) refs.set(name, named)
    }
  const late = namedByOthers(refs)
  const isLate = ({ name }: Listed): boolean => isPartOfRun(name) || late.has(name)
  const isFirst = (entry: Listed): boolean =>
    !isLate(entry) && (refs.get(entry.name) ?? []).some((name) => name.includes('/'))
  const isOther = (entry: Listed): boolean => !isLate(entry) && !isFirst(entry)
  return [...listed.filter(isFirst), ...listed.filter(isOther), ...listed.filter(isLate)]
}

/** Lists the files that a file names. Only files with one of the marks are parsed. */
async function namedIn(file: Place, max: number): Promise<string[]> {
  const read = await readBytes(file, max)
  if (read.kind !== 'read' || !MARKS.some((mark) => read.bytes.includes(mark))) return []
  const text = decodeText(read.bytes)
  const value = text.kind === 'read' ? parseJson(text.text) : undefined
  const names = isRecord(value) ? namedFiles(value) : []
  return names.flatMap((name) => relativeNames(name)?.join('/') ?? [])
}

/** Returns the files that another file names; in a circle, all but the first. */
function namedByOthers(refs: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const named = new Set([...refs].flatMap(([name, others]) => others.filter((other) => other !== name)))
  const heads = [...[...refs.keys()].filter((name) => !named.has(name)), ...refs.keys()]
  const seen = new Set<string>()
  const late = new Set<string>()
  for (const head of heads) {
    if (seen.has(head)) continue
    const open = [head]
    seen.add(head)
    for (const name of open)
      for (const other of refs.get(name) ?? []) {
        if (seen.has(other)) continue
        seen.add(other)
        late.add(other)
        open.push(other)
      }
  }
  return late
}
