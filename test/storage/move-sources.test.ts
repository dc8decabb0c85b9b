import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { generateStore } from '../../bench/move/generated-store.ts'
import { NO_CAPS } from '../../src/grading/ledger-ports.ts'
import { openSqliteStores } from '../../src/storage/sqlite.ts'
import { planAttempt } from './make-attempt.ts'
import { ask, move, newDatabase, tempStore } from './move-tools.ts'
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

  /** Ends the move when the other project is whole and the main one is not. */
  async function breakAfterProject(from: string, url: string): Promise<void> {
    const broken = move(from, url, {
      onProgress: ({ project, step }) => {
        if (project === 'default' && step === 'move') throw new Error('broken off')
      },
    })
    await expect(broken).rejects.toThrow('broken off')
  }

  test('may not have changed in a project that is whole already', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 20, projects: { b: 10 } })
    const url = await target()
    await breakAfterProject(from, url)
    const [marker] = await ask(
      url,
      "SELECT convert_from(value, 'UTF8') AS value FROM settings WHERE name = 'store_move'",
      'veridict_b',
    )
    expect(JSON.parse(String(marker?.['value']))).toMatchObject({ state: 'moved' })
    const kept = join(dirname(from), 'kept')
    copyFileSync(projectOf(from, 'b'), kept)
    await workOn(projectOf(from, 'b'), 'att_later')
    await expect(move(from, url)).rejects.toThrow(/not what the unfinished move began with: attempts, spending changed/)
    copyFileSync(kept, projectOf(from, 'b'))
    expect((await move(from, url)).outcome).toBe('moved')
  })

  test('may not change in a project that is whole while the others are moved', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 20, projects: { b: 10 } })
    const url = await target()
    let work: Promise<void> | undefined
    const moving = move(from, url, {
      onProgress: ({ project, step }) => {
        if (project === 'default' && step === 'verify') work ??= workOn(projectOf(from, 'b'), 'att_later')
      },
    })
    await expect(moving).rejects.toThrow('was written to while it was moved')
    await work
  })

  test('that has another content than what was moved is not said to be moved already', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 20, projects: { b: 10 } })
    const url = await target()
    expect((await move(from, url)).outcome).toBe('moved')
    expect((await move(from, url)).outcome).toBe('already')
    await workOn(projectOf(from, 'b'), 'att_later')
    await expect(move(from, url)).rejects.toThrow(/b\.sqlite is not what was moved: attempts, spending/)
  })

  test('is one where two runs with different ones begin at once', async () => {
    const [one, other] = [tempStore(), tempStore()]
    await generateStore(one, { grades: 20 })
    await generateStore(other, { grades: 40 })
    const url = await target()
    let second: Promise<unknown> | undefined
    const first = await move(one, url, {
      onProgress: ({ step }) => {
        if (step === 'read') second ??= move(other, url).catch((error: Error) => error.message)
      },
    }).catch((error: Error) => error.message)
    const ends = [first, await second]
    expect(
      ends.filter((end) => typeof end === 'object' && end !== null && 'outcome' in end && end.outcome === 'differs'),
    ).toEqual([])
    // One of them has it, or can still have it.
    const again = [
      await move(one, url).catch((e: Error) => e.message),
      await move(other, url).catch((e: Error) => e.message),
    ]
    expect([...ends, ...again].filter((end) => typeof end === 'object')).not.toEqual([])
  })
})
