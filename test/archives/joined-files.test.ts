import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { atif, outline, readAll, tempFolder, writeFiles } from './make.ts'

let folder = ''
beforeEach(async () => {
  folder = join(await tempFolder(), 'f')
})

const run = (session: string | undefined, next?: string) =>
  atif(`says ${session}`, {
    ...(session !== undefined && { session_id: session }),
    ...(next !== undefined && { continued_trajectory_ref: next }),
  })

/** A run that a subagent helped, which wrote a file of its own. */
function helped(session: string, path: string): Record<string, unknown> {
  const document = run(session)
  const observation = { results: [{ content: 'ok', subagent_trajectory_ref: [{ trajectory_path: path }] }] }
  ;(document['steps'] as object[]).push({ step_id: 3, source: 'agent', message: '', observation })
  return document
}

describe('what a trajectory says that it goes on in', () => {
  it.each([
    ['of another session stays a run of its own', 'a-evil.json', 'b-victim.json', ['evil', 'victim'], false],
    ['that tells its session, where the run tells none, too', 'a-evil.json', 'b.json', [undefined, 'victim'], false],
    ['whose session only begins like it, too', 'a-evil.json', 'b-victim.json', ['vic', 'victim'], false],
    ['is joined where it is the same session', 'a.json', 'b.json', ['s', 's'], true],
    ['is joined where its session extends it', 'a.json', 'b.json', ['s', 's-cont-1'], true],
    ['is joined where it tells no session', 'a.json', 'b.json', ['s', undefined], true],
    ['is joined where its name says so', 'a.json', 'a.cont-1.json', ['s', 't'], true],
    ['is joined once where it comes first in the folder', 'z.json', 'a.json', ['s', 's'], true],
  ] as const)('%s', async (_, first, second, [one, two], isJoined) => {
    await writeFiles(folder, { [first]: run(one, second), [second]: run(two) })
    const items = await readAll(folder)
    expect(outline(items)).toEqual([first, ...(isJoined ? [] : [second])].map((name) => `f/${name}`))
    const [head] = items
    expect(head).toMatchObject({
      warnings: [
        isJoined
          ? `joined from ${second}`
          : `the run goes on in ${second}, which is of another session; it is not joined`,
      ],
    })
    expect(head?.kind === 'trial' && 'segments' in head.request.trajectory).toBe(isJoined)
  })

  it('makes no run of a circle vanish', async () => {
    await writeFiles(folder, {
      'a.json': run('s', 'b.json'),
      'b.json': run('s', 'c.json'),
      'c.json': run('s', 'a.json'),
    })
    const items = await readAll(folder)
    expect(outline(items)).toEqual(['f/a.json'])
    expect(items[0]).toMatchObject({ request: { trajectory: { segments: { length: 3 } } } })
  })

  it('is read by itself where the run has too many files', async () => {
    await writeFiles(folder, { 'a.json': run('s', 'b.json'), 'b.json': run('s', 'c.json'), 'c.json': run('s') })
    expect(outline(await readAll(folder, { limits: { max_run_files: 2 } }))).toEqual(['f/a.json', 'f/c.json'])
  })
})

describe('the file of a subagent in a folder below', () => {
  it.each(['a-subs/x.json', 'z-subs/deep/x.json'])('%s is read with its run, once', async (path) => {
    await writeFiles(folder, { 'run.json': helped('s', path), [path]: run('s-1') })
    const items = await readAll(folder)
    expect(outline(items)).toEqual(['f/run.json'])
    expect(items[0]).toMatchObject({
      request: { trajectory: { subagents: { [path]: run('s-1') } } },
      warnings: [`joined from ${path}`],
    })
  })

  it('stays a run of its own where it is of another session', async () => {
    const path = 'other/victim.json'
    await writeFiles(folder, { 'run.json': helped('s', path), [path]: run('victim') })
    const items = await readAll(folder)
    expect(outline(items)).toEqual(['f/run.json', `f/${path}`])
    expect(items[0]).toMatchObject({ warnings: [`joined from ${path}, which is of another session`] })
  })
})
