import { parseJson } from '../../domain/text/exact-json.ts'
import { isRecord } from '../../formats/common/reading.ts'
import type { ArchiveLimits } from '../unpack/limits.ts'
import { type Listed, type Place, readBytes, relativeNames, within } from '../unpack/place.ts'
import { decodeText } from '../unpack/text.ts'
import { isPartOfRun, namedFiles } from './joined-files.ts'

const MARKS = ['"continued_trajectory_ref"', '"trajectory_path"']

/**
 * The names in a folder in the order in which they are read: a run comes before what it names, wherever that stands, so that what
 * belongs to it is known by then. All others stay in their order.
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
  const isFirst = (one: Listed): boolean =>
    !isLate(one) && (refs.get(one.name) ?? []).some((name) => name.includes('/'))
  const isOther = (one: Listed): boolean => !isLate(one) && !isFirst(one)
  return [...listed.filter(isFirst), ...listed.filter(isOther), ...listed.filter(isLate)]
}

/** Few files name others, and those that do not are not parsed. */
async function namedIn(file: Place, max: number): Promise<string[]> {
  const read = await readBytes(file, max)
  if (read.kind !== 'read' || !MARKS.some((mark) => read.bytes.includes(mark))) return []
  const text = decodeText(read.bytes)
  const value = text.kind === 'read' ? parseJson(text.text) : undefined
  const names = isRecord(value) ? namedFiles(value) : []
  return names.flatMap((name) => relativeNames(name)?.join('/') ?? [])
}

/** Files that another one names; in a circle, all but the first. */
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
