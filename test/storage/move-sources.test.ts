import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { NO_CAPS } from '../../src/ports/ledger-ports.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { generateStore } from './generated-store.ts'
import { planAttempt } from './make-attempt.ts'
import { ask, move, NO_SCHEMA, newDatabase, tempStore } from './move-tools.ts'
import { describePostgres } from './postgres-tools.ts'

/** What a service that was started on the file once more leaves in it. */
async function workOn(path: string, attempt: string): Promise<void> {
  const stores = openSqliteStores({ path })
  await stores.attempts.begin(planAttempt(attempt), NO_CAPS)
  await stores.close()
}

describePostgres('the source of a move', (tools) => {
  const target = () => newDatabase(tools().server)
  const projectOf = (from: string, name: string) => join(dirname(from), 'projects', `${name}.sqlite`)

  test('may not change while it is moved, in whatever project', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 20, projects: { b: 10 } })
    const url = await target()
    let work: Promise<void> | undefined
    const moving = move(from, url, {
      onProgress: ({ project, step }) => {
        if (project === 'default' && step === 'verify') work ??= workOn(projectOf(from, 'b'), 'att_later')
      },
    })
    await expect(moving).rejects.toThrow('was written to while it was read')
    await work
    expect(await ask(url, NO_SCHEMA)).toEqual([])
  })
})
