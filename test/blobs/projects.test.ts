import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { doctorCommand } from '../../src/cli/commands/store/doctor-command.ts'
import { digestValue } from '../../src/domain/digest.ts'
import type { Finding } from '../../src/ports/upkeep-ports.ts'
import { backUpDatabase } from '../../src/storage/backup.ts'
import { restoreDatabase } from '../../src/storage/restore.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { testShell } from '../cli/test-shell.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { blobVariables, folderOf, openStore } from './blob-tools.ts'
import type { S3Server } from './s3-server.ts'

const DOCUMENT = { steps: [{ text: 'of team-a' }] }

/** A main database, and a project of which everything lies outside. */
async function begin() {
  const { s3, room } = await openStore({ min_bytes: 1, max_attempts: 1 })
  const main = tempDatabase()
  await openSqliteStores({ path: main, project: 'default' }).close()
  const pathOf = (project: string) => join(dirname(main), 'projects', `${project}.sqlite`)
  mkdirSync(dirname(pathOf('team-a')))
  const open = async (project: string) => {
    const stores = openSqliteStores({ path: pathOf(project), project, blobs: folderOf(room, project) })
    await stores.settlePlace()
    return stores
  }
  const stores = await open('team-a')
  await stores.trajectories.put(
    { id: digestValue(DOCUMENT), format: 'steps', document: DOCUMENT },
    '2026-11-21T00:00:00.000Z',
  )
  await stores.close()
  return { s3, main, pathOf, open }
}

async function diagnose(path: string, s3: S3Server): Promise<Map<string, Finding>> {
  const shell = testShell({ args: [], env: blobVariables(s3) })
  await doctorCommand(shell).parseAsync(['--database', path, '--full', '-o', 'json'], { from: 'user' })
  const { databases } = JSON.parse(shell.output()) as { databases: { findings: Finding[] }[] }
  return new Map(databases[0]?.findings.map((finding) => [finding.check, finding]))
}

test('the doctor looks for what lies outside in the folder of the project that the file is of', async () => {
  const { main, s3, pathOf } = await begin()
  const copy = join(dirname(main), 'team-a-2026-11-21.sqlite')
  await backUpDatabase({ from: pathOf('team-a'), to: copy, replace: false })
  for (const path of [pathOf('team-a'), copy])
    expect((await diagnose(path, s3)).get('stored trajectories')).toMatchObject({
      severity: 'ok',
      found: '1 looked at, all whole',
    })
})

test('a project that is restored as another is not opened before its large data is there', async () => {
  const { main, s3, pathOf, open } = await begin()
  const copy = join(dirname(main), 'copy.sqlite')
  await backUpDatabase({ from: pathOf('team-a'), to: copy, replace: false })
  const given = { from: copy, to: pathOf('team-b'), as_project: 'team-b', new_project: true, now: new Date() }
  await restoreDatabase(given)
  await restoreDatabase({ ...given, from: pathOf('team-b'), to: pathOf('team-c'), as_project: 'team-c' })
  await expect(open('team-c')).rejects.toThrow(/team-a.*copy all objects there first/s)
  await expect(open('team-b')).rejects.toThrow(/team-a.*copy all objects there first/s)
  for (const [key, bytes] of [...s3.objects]) s3.objects.set(key.replace('/team-a/', '/team-b/'), bytes)
  const stores = await open('team-b')
  expect((await stores.trajectories.get(digestValue(DOCUMENT)))?.document).toEqual(DOCUMENT)
  await stores.close()
  // Once it is there, nothing is asked of anybody.
  const asked = s3.requests.length
  await (await open('team-b')).close()
  expect(s3.requests).toHaveLength(asked)
})
