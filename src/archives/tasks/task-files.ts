import type { ArchiveLimits } from '../unpack/limits.ts'
import { listFolder, type Place, within } from '../unpack/place.ts'

/** Something in a task's folder, with its path below that folder. */
export interface TaskEntry {
  readonly place: Place
  readonly path: string
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/** All that stands below a folder, folders before what is in them, in the order of names; hidden files too, as an agent sees them. A link is told and not followed. */
export async function* walkTask(
  folder: Place,
  { max_entries, max_depth }: Pick<ArchiveLimits, 'max_entries' | 'max_depth'>,
  onCut: (why: string) => void,
): AsyncGenerator<TaskEntry> {
  let left = max_entries
  async function* walk(place: Place, path: string, depth: number): AsyncGenerator<TaskEntry> {
    if (depth > max_depth) return onCut(`${path} stands more than ${max_depth} folders deep`)
    const listed = await listFolder(place, left)
    if (listed === null)
      return onCut(`${path || 'the folder'} cannot be listed, or there are more than ${max_entries} names`)
    left -= listed.length
    for (const { name, kind } of listed) {
      const own = path === '' ? name : `${path}/${name}`
      const inside = within(place, name)
      yield { place: inside, path: own, name, kind }
      if (kind === 'folder') yield* walk(inside, own, depth + 1)
    }
  }
  yield* walk(folder, '', 0)
}
