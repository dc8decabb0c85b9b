import { DEFAULT_PROJECT } from '../../access/access.ts'
import type { MoveOptions } from '../../grading/move-ports.ts'
import { openSchemaList, projectSchema } from '../postgres/project-schemas.ts'
import { StorageError } from '../storage-error.ts'
import type { Marker } from './marker.ts'
import { openTarget } from './target.ts'

/** What a move has left in the schema of each project; null: nothing. */
export type Looks = ReadonlyMap<string, Marker | null>

/** Reads only. Rejects where the target holds anything but one move of these projects. */
export async function lookAtTarget({ to }: MoveOptions, projects: readonly string[]): Promise<Looks> {
  const list = openSchemaList(to.url, to.settings)
  try {
    const others = (await list.list()).filter((name) => !projects.includes(name))
    if (others.length > 0)
      throw new StorageError(
        'storage_error',
        `the target has projects that the source has not: ${others.slice(0, 5).join(', ')}. A store is moved into an empty database alone`,
      )
  } finally {
    await list.close()
  }
  const looks = new Map<string, Marker | null>()
  for (const project of projects) {
    const target = openTarget(to.url, projectSchema(project), to.settings)
    try {
      looks.set(project, await target.look())
    } finally {
      await target.close()
    }
  }
  assertOneMove(looks, projects)
  return looks
}

function assertOneMove(looks: Looks, projects: readonly string[]): void {
  const main = looks.get(DEFAULT_PROJECT) ?? null
  const strange = projects.find((project) => main === null && looks.get(project) !== null)
  if (strange !== undefined)
    throw new StorageError(
      'storage_error',
      `the schema ${projectSchema(strange)} of the target has a moved project, and the main schema nothing: drop it`,
    )
  if (main !== null && main.projects.join() !== projects.join())
    throw new StorageError(
      'storage_error',
      `the move of this target began with the projects ${main.projects.join(', ')}, and the source has ${projects.join(', ')}`,
    )
}
